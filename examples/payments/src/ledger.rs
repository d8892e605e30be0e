//! `Ledger`: everything the API reads and writes, in SQL that SQLite and PostgreSQL share.
//!
//! An application with one database needs none of this: its handlers name it, as in
//! `tx: &mut Tx<Postgres>`, and run their queries with `query.execute(&mut **tx)`.

use crate::merchant::Merchant;
use crate::model::{Payment, Refund};

/// A database that holds payments. Functions take a connection, which a `Tx` and a pool both give.
pub(crate) trait Ledger: idem_core::Database + Sync {
    /// Begins a transaction whose reads all see the same moment.
    const SNAPSHOT: &'static str;

    fn insert_payment(
        connection: &mut Self::Connection,
        merchant: &Merchant,
        payment: &Payment,
    ) -> impl Future<Output = sqlx::Result<()>> + Send;

    /// Adds to the merchant's balance, or takes from it.
    fn move_balance(
        connection: &mut Self::Connection,
        merchant: &Merchant,
        amount: i64,
    ) -> impl Future<Output = sqlx::Result<()>> + Send;

    /// Marks so much of the payment as refunded; whether it had so much left.
    fn take_from_payment(
        connection: &mut Self::Connection,
        merchant: &Merchant,
        payment: &str,
        amount: i64,
    ) -> impl Future<Output = sqlx::Result<bool>> + Send;

    fn insert_refund(
        connection: &mut Self::Connection,
        refund: &Refund,
    ) -> impl Future<Output = sqlx::Result<()>> + Send;

    /// What is left of the payment; `None` if this merchant has no such payment.
    fn refundable(
        connection: &mut Self::Connection,
        merchant: &Merchant,
        payment: &str,
    ) -> impl Future<Output = sqlx::Result<Option<i64>>> + Send;

    fn payment(
        connection: &mut Self::Connection,
        merchant: &Merchant,
        payment: &str,
    ) -> impl Future<Output = sqlx::Result<Option<Payment>>> + Send;

    /// The merchant's payments, the newest first.
    fn payments(
        connection: &mut Self::Connection,
        merchant: &Merchant,
    ) -> impl Future<Output = sqlx::Result<Vec<Payment>>> + Send;

    fn balance(
        connection: &mut Self::Connection,
        merchant: &Merchant,
    ) -> impl Future<Output = sqlx::Result<i64>> + Send;
}

const INSERT_PAYMENT: &str = "INSERT INTO payments (id, merchant, order_text, amount, currency)
     VALUES ($1, $2, $3, $4, $5)";

const MOVE_BALANCE: &str = "INSERT INTO balances (merchant, balance) VALUES ($1, $2)
     ON CONFLICT (merchant) DO UPDATE SET balance = balances.balance + excluded.balance";

/// One statement, so that two refunds at once cannot both see the same rest.
const TAKE_FROM_PAYMENT: &str = "UPDATE payments SET refunded = refunded + $3
      WHERE merchant = $1 AND id = $2 AND refunded + $3 <= amount";

const INSERT_REFUND: &str = "INSERT INTO refunds (id, payment, amount) VALUES ($1, $2, $3)";

const REFUNDABLE: &str = "SELECT amount - refunded FROM payments WHERE merchant = $1 AND id = $2";

const PAYMENT: &str =
    "SELECT id, order_text, amount, currency FROM payments WHERE merchant = $1 AND id = $2";

const PAYMENTS: &str = "SELECT id, order_text, amount, currency FROM payments
      WHERE merchant = $1 ORDER BY ordinal DESC";

const BALANCE: &str = "SELECT balance FROM balances WHERE merchant = $1";

/// id, order, amount, currency
type Row = (String, String, i64, String);

fn read((id, order, amount, currency): Row) -> Payment {
    let status = "paid";
    Payment {
        id,
        order,
        amount,
        currency,
        status,
    }
}

/// sqlx compiles a query for one database, so this is compiled once for each.
macro_rules! ledger {
    ($database:ty, $snapshot:literal) => {
        impl Ledger for $database {
            const SNAPSHOT: &'static str = $snapshot;

            async fn insert_payment(
                connection: &mut Self::Connection,
                merchant: &Merchant,
                payment: &Payment,
            ) -> sqlx::Result<()> {
                sqlx::query(INSERT_PAYMENT)
                    .bind(&payment.id)
                    .bind(&merchant.id)
                    .bind(&payment.order)
                    .bind(payment.amount)
                    .bind(&payment.currency)
                    .execute(connection)
                    .await?;
                Ok(())
            }

            async fn move_balance(
                connection: &mut Self::Connection,
                merchant: &Merchant,
                amount: i64,
            ) -> sqlx::Result<()> {
                sqlx::query(MOVE_BALANCE)
                    .bind(&merchant.id)
                    .bind(amount)
                    .execute(connection)
                    .await?;
                Ok(())
            }

            async fn take_from_payment(
                connection: &mut Self::Connection,
                merchant: &Merchant,
                payment: &str,
                amount: i64,
            ) -> sqlx::Result<bool> {
                let taken = sqlx::query(TAKE_FROM_PAYMENT)
                    .bind(&merchant.id)
                    .bind(payment)
                    .bind(amount)
                    .execute(connection)
                    .await?;
                Ok(taken.rows_affected() == 1)
            }

            async fn insert_refund(
                connection: &mut Self::Connection,
                refund: &Refund,
            ) -> sqlx::Result<()> {
                sqlx::query(INSERT_REFUND)
                    .bind(&refund.id)
                    .bind(&refund.payment)
                    .bind(refund.amount)
                    .execute(connection)
                    .await?;
                Ok(())
            }

            async fn refundable(
                connection: &mut Self::Connection,
                merchant: &Merchant,
                payment: &str,
            ) -> sqlx::Result<Option<i64>> {
                sqlx::query_scalar(REFUNDABLE)
                    .bind(&merchant.id)
                    .bind(payment)
                    .fetch_optional(connection)
                    .await
            }

            async fn payment(
                connection: &mut Self::Connection,
                merchant: &Merchant,
                payment: &str,
            ) -> sqlx::Result<Option<Payment>> {
                let found = sqlx::query_as(PAYMENT)
                    .bind(&merchant.id)
                    .bind(payment)
                    .fetch_optional(connection)
                    .await?;
                Ok(found.map(read))
            }

            async fn payments(
                connection: &mut Self::Connection,
                merchant: &Merchant,
            ) -> sqlx::Result<Vec<Payment>> {
                let found = sqlx::query_as(PAYMENTS)
                    .bind(&merchant.id)
                    .fetch_all(connection)
                    .await?;
                Ok(found.into_iter().map(read).collect())
            }

            async fn balance(
                connection: &mut Self::Connection,
                merchant: &Merchant,
            ) -> sqlx::Result<i64> {
                let found = sqlx::query_scalar(BALANCE)
                    .bind(&merchant.id)
                    .fetch_optional(connection)
                    .await?;
                Ok(found.unwrap_or(0))
            }
        }
    };
}

ledger!(sqlx::Sqlite, "BEGIN");
#[cfg(feature = "postgres")]
ledger!(
    sqlx::Postgres,
    "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
);
