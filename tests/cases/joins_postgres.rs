//! Joins: what only PostgreSQL's isolation levels can do wrong.

use idem_core::Error;

use super::plain::Shop;

/// Such a transaction would not see what others have recorded since it began.
#[tokio::test]
async fn a_callers_transaction_must_be_read_committed() {
    let shop = Shop::with(1, |builder| builder).await;
    for level in ["REPEATABLE READ", "SERIALIZABLE"] {
        let begin = sqlx::AssertSqlSafe(format!("BEGIN ISOLATION LEVEL {level}"));
        let transaction = shop.pool.begin_with(begin).await.unwrap();
        let refused = shop.idem.join(transaction).await.map(drop);
        assert!(
            matches!(refused, Err(Error::NotReady { .. })),
            "{level}: {refused:?}"
        );
    }
    assert_eq!(shop.inner_alone(7).await.unwrap(), 1);
}
