#![deny(warnings)]

use crate::shop::*;

#[derive(Operational)]
struct Filter {
    from: u32,
    kind: Kind,
    #[operational(skip)]
    cache: std::rc::Weak<u8>,
}

#[derive(Operational)]
#[operational(crate = ::idem_core)]
struct Page(u32, u32);

#[derive(Operational)]
struct Nothing;

impl axum::extract::FromRequestParts<App> for Page {
    type Rejection = StatusCode;

    async fn from_request_parts(_: &mut Parts, _: &App) -> Result<Self, StatusCode> {
        Ok(Page(1, 2))
    }
}

#[derive(Caller)]
#[caller(crate = ::idem_core)]
struct Tenant<T>
where
    T: Clone,
{
    id: T,
}

#[idempotent(key = (merchant.id, page.0, page.1))]
async fn pay(merchant: Merchant, page: Page, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    merchant.id
}

fn operational<T: Operational>() {}
fn caller<T: idem_core::Caller>() {}

#[test]
fn compiles() {
    routes(pay);
    operational::<Filter>();
    operational::<Nothing>();
    caller::<Tenant<u8>>();
    let filter = Filter {
        from: 1,
        kind: Kind::Card,
        cache: std::rc::Weak::new(),
    };
    let _ = (filter.from, filter.kind, filter.cache, Tenant { id: 1 }.id);
}
