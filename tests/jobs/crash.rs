//! kill -9 of PostgreSQL under a running job.

use idem_test_support::gate::Gate;
use idem_test_support::postgres::Server;

use super::shop::{Shop, write};
use super::store::Files;
use super::work::{INVOICES, Invoice, Pace};

/// apalis' worker dies of it; the next one runs the job, which was undone.
#[tokio::test]
async fn a_job_undone_by_a_killed_server_runs_again() {
    let server = Server::private().await;
    let shop = Shop::on(Files(server.database().await), |builder| builder).await;
    super::queue::create_tables(&shop.pool).await;
    let gate = Gate::new();
    let held = gate.clone();
    shop.invoices.next(|tx| {
        Box::pin(async move {
            write(tx, 7).await?;
            held.pass().await;
            Ok(7)
        })
    });
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    let hand = shop.hire(&Pace::default());
    gate.arrived(1).await;
    shop.job_is("Running").await;
    server.kill9().await;
    let error = hand.died().await;
    assert!(
        error.to_string().contains("Failed to poll backend"),
        "{error}"
    );
    server.restart().await;
    assert!(shop.effects().await.is_empty());
    let hand = shop.hire(&Pace::sweeping());
    assert_eq!(shop.job_is("Done").await.attempts, 2);
    assert_eq!((shop.invoices.runs(), shop.effects().await), (2, vec![7]));
    hand.stop().await;
}
