//! The variants under test, compiled once per database: they use the `database` module beside.

mod attribute;
mod bare;
mod by_hand;
mod payment;

use std::any::Any;

use idem_core::Idem;
use sqlx::{Executor as _, Pool};

use super::database::{Db, TABLES};
use crate::subject::{Subject, Variant};

/// A variant on an empty database, with its tables.
pub(crate) async fn subject(
    variant: Variant,
    pool: Pool<Db>,
    keep: Box<dyn Any + Send + Sync>,
) -> Subject {
    pool.execute(TABLES)
        .await
        .expect("the shop's tables can be made");
    let (router, direct) = match variant {
        Variant::Bare => bare::handler(pool.clone()),
        Variant::ByHand | Variant::ByHandAgain => by_hand::handler(pool.clone()),
        Variant::Attribute | Variant::Uncached => {
            let mut builder = Idem::builder(pool.clone());
            if variant == Variant::Uncached {
                builder = builder.cache(0);
            }
            let idem = builder.build().expect("the pool keeps the promise");
            idem.setup().await.expect("idem's tables can be made");
            attribute::handler(idem)
        }
    };
    Subject::new(variant, router, direct, pool, keep).await
}
