#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[derive(Serialize)]
struct Cmd<'a> {
    name: &'a str,
}

/// case M03
#[idempotent(key = (cmd.name, tags.len()))]
async fn run(tx: &mut Tx<Postgres>, cmd: Cmd<'_>, tags: &[&str]) -> Result<(), PayError> {
    let _ = (tx, cmd.name, tags);
    Ok(())
}

#[idempotent(key = new.order)]
async fn named<'a, 't>(
    new: &'a NewPayment,
    by: &'a Merchant,
    tx: &'t mut Tx<Postgres>,
    #[ambient] log: &'a (dyn Fn(&str) + Send + Sync),
) -> Result<usize, PayError> {
    let _ = tx;
    log(&by.id);
    let order: &'a str = &new.order;
    Ok(order.len())
}

async fn all(idem: &Idem<Postgres>, new: NewPayment, by: Merchant) -> Result<(), PayError> {
    let name = new.order.clone();
    run(idem, Cmd { name: &name }, &[&name, "b"]).await?;
    named(idem, &new, &by, &|text| drop(text.to_owned())).await?;
    Ok(())
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Postgres>, new, by| is_send(&all(idem, new, by));
}
