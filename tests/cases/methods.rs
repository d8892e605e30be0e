//! Methods as plain operations: `self` in keys and bodies, and traits.

use idem_core::{Begin, Idem, Tx, idempotent};

use super::plain::{Failed, Shop, write};
use super::store::Db;

/// What operations on the stage belong to.
struct Store {
    tenant: String,
    idem: Idem<Db>,
    sold: u32,
}

/// A trait says `impl Begin<Db>` where the attribute adds it.
trait Sells {
    async fn sell(&self, begin: impl Begin<Db>, id: u32) -> Result<String, Failed>;
}

impl Sells for Store {
    #[idempotent(key = (&self.tenant, id), scope = "methods.sell")]
    async fn sell(&self, id: u32, tx: &mut Tx<Db>) -> Result<String, Failed> {
        write(tx, id.into()).await?;
        Ok(format!("{} {id}", self.tenant))
    }
}

impl Store {
    #[idempotent(key = (&self.tenant, id), scope = "methods.sell_more")]
    async fn sell_more(&mut self, id: u32, tx: &mut Tx<Db>) -> Result<u32, Failed> {
        self.sold += 1;
        write(tx, id.into()).await?;
        Ok(self.sold)
    }
}

/// case M15 and K01: methods work on `self`, and one tenant's keys are not another's.
#[tokio::test]
async fn methods_are_operations_too() {
    let shop = Shop::new().await;
    let mut stores = ["a", "b"].map(|tenant| Store {
        tenant: tenant.to_owned(),
        idem: shop.idem.clone(),
        sold: 0,
    });
    for _ in 0..2 {
        for store in &mut stores {
            let idem = store.idem.clone();
            let sold = store.sell(&idem, 7).await.unwrap();
            assert_eq!(sold, format!("{} 7", store.tenant));
            assert_eq!(store.sell_more(&idem, 8).await.unwrap(), 1);
        }
    }
    assert_eq!(shop.effects().await, [7, 7, 8, 8]);
}
