//! Each body uses all of its parameters after the key: evaluating it moved nothing.
#![deny(warnings)]

use crate::shop::*;

const REGION: &str = "eu";

fn normalize(order: &str) -> String {
    order.to_lowercase()
}

fn first(lines: &[u32]) -> u32 {
    lines[0]
}

#[idempotent(key = (merchant.id, new.order, new.note))]
async fn fields(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (merchant.id, (new.order, ("v1", REGION))))]
async fn nested(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (merchant.id, new.lines[0], new.order[..2]))]
async fn index(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (&merchant.id, &new.order, &key))]
async fn references(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (merchant.id, new.order.as_str(), new.note.as_deref(), new.amount.to_string()))]
async fn methods(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = format!("{}-{REGION}-{:>4}", merchant.id, new.amount))]
async fn formats(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (merchant.id, normalize(&new.order), first(&new.lines)))]
async fn helpers(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (merchant.id, key, REGION, REGION.len(), const { 1 + 1 }, u64::MAX, "v1".to_string(), -1))]
async fn consts(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (merchant.id, Some("x"), Some(new.order), None::<u8>))]
async fn options(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (merchant.id, new.amount as u128 as u32, !new.amount, new.amount + 1, new.amount > 3))]
async fn casts(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = if new.amount > 3 { &merchant.id } else { &new.order })]
async fn branches(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = if new.amount > 3 { merchant.id } else { new.order })]
async fn place_branches(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (merchant.id, match new.kind { Kind::Card => "card", Kind::Bank => "bank" }))]
async fn matched(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = match new.kind { Kind::Card => merchant.id, Kind::Bank => new.order })]
async fn place_match(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (merchant.id, if let Some(note) = &new.note { note.len() } else { 0 }))]
async fn let_chain(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (merchant.id, new.lines.iter().map(|line| line + 1).max()))]
async fn closure(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (merchant.id, (|| new.note.as_ref()?.parse::<u32>().ok())()))]
async fn question_mark_in_closure(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = { let order = &new.order; (&merchant.id, order) })]
async fn block(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = { merchant.id })]
async fn one_expression_block(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (merchant.id))]
async fn parens(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = shared(key))]
async fn shared_header(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = (shared(new.order), "v1"))]
async fn shared_in_tuple(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = idem_core::shared((new.order, new.amount)))]
async fn shared_by_path(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[idempotent(key = merchant.id)]
async fn caller_only(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Json<(String, NewPayment)> {
    let _ = (tx, key);
    Json((merchant.id, new))
}

#[test]
fn compiles() {
    routes(fields);
    routes(nested);
    routes(index);
    routes(references);
    routes(methods);
    routes(formats);
    routes(helpers);
    routes(consts);
    routes(options);
    routes(casts);
    routes(branches);
    routes(place_branches);
    routes(matched);
    routes(place_match);
    routes(let_chain);
    routes(closure);
    routes(question_mark_in_closure);
    routes(block);
    routes(one_expression_block);
    routes(parens);
    routes(shared_header);
    routes(shared_in_tuple);
    routes(shared_by_path);
    routes(caller_only);
}
