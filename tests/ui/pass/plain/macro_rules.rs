#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

macro_rules! operation {
    ($name:ident, $key:expr, $ttl:literal, $id:ident: $type:ty, $tx:ty, $answer:ty, $body:expr) => {
        #[idempotent(key = $key, ttl = $ttl)]
        async fn $name($id: $type, tx: $tx) -> $answer {
            let _ = (&$id, tx);
            $body
        }
    };
}

operation!(pay, id, "2h", id: u64, &mut Tx<Sqlite>, Result<String, PayError>, Ok("x".to_owned()));

macro_rules! hygienic {
    ($name:ident) => {
        #[idempotent(key = (merchant.id, new.order))]
        async fn $name(
            merchant: &Merchant,
            mut new: NewPayment,
            tx: &mut Tx<Sqlite>,
        ) -> Result<String, PayError> {
            let _ = (tx, merchant);
            new.order.push('x');
            Ok(new.order)
        }
    };
}

hygienic!(refund);

macro_rules! method {
    ($type:ident, $name:ident, $scope:literal) => {
        impl $type {
            #[idempotent(key = (self.id, id), scope = $scope)]
            async fn $name(&self, id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> {
                let _ = tx;
                Ok(self.id.len() as u64 + id)
            }
        }
    };
}

method!(Merchant, pay_as, "merchant.pay_as");

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>, new, by: &'static Merchant| {
        is_send(&pay(idem, 1));
        is_send(&refund(idem, by, new));
        is_send(&by.pay_as(idem, 1));
    };
}
