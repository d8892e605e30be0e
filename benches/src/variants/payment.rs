//! The work itself, the same in each variant: two writes in the transaction, one answer.

use std::time::Duration;

use axum::Json;
use axum::http::{HeaderName, StatusCode, header};
use sqlx::Database;

use super::super::database::Db;
use crate::call::{Merchant, NewPayment, Payment};

/// What a handler answers.
pub(super) type Created = (StatusCode, [(HeaderName, String); 1], Json<Payment>);

/// Inserts a payment and moves the merchant's balance.
pub(super) async fn pay(
    connection: &mut <Db as Database>::Connection,
    merchant: &Merchant,
    new: NewPayment,
) -> sqlx::Result<Created> {
    let id: i64 = sqlx::query_scalar(
        "INSERT INTO payment (merchant_id, order_ref, amount, currency) VALUES ($1, $2, $3, $4)
         RETURNING id",
    )
    .bind(merchant.id)
    .bind(&new.order)
    .bind(new.amount)
    .bind(&new.currency)
    .fetch_one(&mut *connection)
    .await?;
    if new.delay_ms > 0 {
        tokio::time::sleep(Duration::from_millis(new.delay_ms)).await;
    }
    sqlx::query("UPDATE account SET balance = balance + $1 WHERE id = $2")
        .bind(new.amount)
        .bind(merchant.id)
        .execute(&mut *connection)
        .await?;
    let payment = Payment {
        id,
        order: new.order,
        amount: new.amount,
        currency: new.currency,
        status: "paid",
    };
    let location = [(header::LOCATION, format!("/payments/{id}"))];
    Ok((StatusCode::CREATED, location, Json(payment)))
}
