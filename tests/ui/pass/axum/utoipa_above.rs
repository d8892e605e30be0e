#![deny(warnings)]

use crate::shop::*;

/// Pays.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
struct Payment {
    order: String,
}

/// case M18: above ours it describes the fn as it is written.
#[utoipa::path(
    post,
    path = "/shops/{shop}/payments",
    params(("shop" = u32, Path)),
    request_body = Payment,
    responses((status = 200, body = Payment))
)]
#[idempotent(key = (merchant.id, shop, key))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    Path(shop): Path<u32>,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<Payment>,
) -> Result<Json<Payment>, ApiError> {
    let _ = (tx, shop);
    Ok(Json(new))
}

#[derive(utoipa::OpenApi)]
#[openapi(paths(pay))]
struct Api;

#[test]
fn compiles_and_is_described() {
    use utoipa::OpenApi as _;
    routes(pay);
    let described = Api::openapi().to_json().unwrap();
    for said in [
        "/shops/{shop}/payments",
        "\"shop\"",
        "#/components/schemas/Payment",
    ] {
        assert!(described.contains(said), "{described}");
    }
}
