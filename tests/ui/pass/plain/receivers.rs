#![deny(warnings)]

use std::sync::Arc;

use crate::shop::*;
use idem_core::idempotent;

struct Teller {
    tenant: String,
    sold: u64,
}

impl Teller {
    const FEE: u64 = 1;

    /// case M15
    #[idempotent(key = (self.tenant, id), scope = "teller.by_ref")]
    async fn by_ref(&self, id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
        let _ = tx;
        Ok(id + Self::FEE + self.sold)
    }

    #[idempotent(key = (&self.tenant, id), scope = "teller.by_mut")]
    async fn by_mut(&mut self, tx: &mut Tx<Sqlite>, id: u64) -> Result<u64, PayError> {
        let _ = tx;
        self.sold += id;
        Ok(self.sold)
    }

    #[idempotent(key = self.tenant.as_str(), scope = "teller.by_arc")]
    async fn by_arc(self: Arc<Self>, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
        let _ = (tx, self.sold);
        Ok(())
    }

    #[idempotent(key = self.tenant, scope = "teller.by_value")]
    async fn by_value(mut self, tx: &mut Tx<Sqlite>) -> Result<String, PayError> {
        let _ = tx;
        self.tenant.push('!');
        let Self { tenant, .. } = self;
        Ok(tenant)
    }

    #[idempotent(key = tenant, scope = "teller.create")]
    async fn create(tenant: String, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
        let _ = tx;
        let teller = Self {
            tenant,
            sold: Self::FEE,
        };
        Ok(teller.sold)
    }
}

trait Pays {
    async fn pay(&self, begin: impl Begin<Sqlite>, id: u64) -> Result<u64, PayError>;
}

/// A trait impl takes no item but the trait's own.
impl<T: Clone> Pays for Vec<T> {
    #[idempotent(key = (self.len(), id), scope = "vec.pay")]
    async fn pay(&self, tx: &mut Tx<Sqlite>, id: u64) -> Result<u64, PayError> {
        let _ = tx;
        let copy: Vec<T> = self.clone();
        Ok(copy.len() as u64 + id)
    }
}

async fn all(idem: &Idem<Sqlite>, tx: &mut Tx<Sqlite>, mut teller: Teller) -> Result<(), PayError> {
    teller.by_ref(idem, 1).await?;
    teller.by_mut(&mut *tx, 1).await?;
    Teller::create(tx, "t".to_owned()).await?;
    vec![1].pay(idem, 1).await?;
    teller.by_value(idem).await?;
    let teller = Teller {
        tenant: String::new(),
        sold: 0,
    };
    Arc::new(teller).by_arc(idem).await
}

#[test]
fn compiles() {
    let _ = all;
}
