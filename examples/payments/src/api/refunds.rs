//! Refunding a payment, once, and never more than was paid.

use axum::Json;
use axum::http::StatusCode;
use idem_core::Tx;
use idem_core::axum::{IdempotencyKey, idempotent};
use uuid::Uuid;

use crate::input::{Input, PaymentId};
use crate::ledger::Ledger;
use crate::merchant::Merchant;
use crate::model::{NewRefund, Refund};
use crate::problem::ApiError;

/// `POST /payments/{id}/refunds`. Its refusals are 4xx and so final: a retry gets the same one, even
/// if by then a refund of that amount were possible.
#[idempotent(key = (merchant.id, key), ttl = "24h")]
pub(super) async fn create_refund<D: Ledger>(
    merchant: Merchant,
    key: IdempotencyKey,
    PaymentId(payment): PaymentId,
    tx: &mut Tx<D>,
    Input(new): Input<NewRefund>,
) -> Result<(StatusCode, Json<Refund>), ApiError> {
    let amount = new.amount.into();
    if !D::take_from_payment(tx, &merchant, &payment, amount).await? {
        return Err(match D::refundable(tx, &merchant, &payment).await? {
            None => ApiError::NoSuchPayment,
            Some(left) => ApiError::RefundTooLarge { left },
        });
    }
    let id = Uuid::new_v4().to_string();
    let refund = Refund {
        id,
        payment,
        amount,
    };
    D::insert_refund(tx, &refund).await?;
    D::move_balance(tx, &merchant, -amount).await?;
    Ok((StatusCode::CREATED, Json(refund)))
}
