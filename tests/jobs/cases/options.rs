//! Rows as apalis writes them itself, proven by its own workers.

use std::time::{Duration, SystemTime};

use apalis::prelude::{TaskBuilder, TaskSink as _};
use idem_core::apalis::{Enqueue, queue_of};
use sqlx::AssertSqlSafe;

use super::super::queue;
use super::super::shop::{Shop, write};
use super::super::work::{INVOICES, Invoice, Pace};

/// Our row and apalis' own differ in id, key and, by less than a minute, time.
#[tokio::test]
async fn a_row_is_the_one_apalis_writes() {
    let shop = Shop::new().await;
    let later = Duration::from_secs(3600);
    let mut storage = queue::storage::<Invoice>(&shop.pool, INVOICES);
    storage.push(Invoice::number(7)).await.unwrap();
    let task = TaskBuilder::new(Invoice::number(7))
        .priority(3)
        .max_attempts(4)
        .run_after(later);
    storage.push_task(task.build()).await.unwrap();
    let theirs = rows(&shop).await;
    assert_eq!(theirs.len(), 2);
    sqlx::query(AssertSqlSafe(format!("DELETE FROM {}", queue::JOBS)))
        .execute(&shop.pool)
        .await
        .unwrap();
    shop.enqueue(INVOICES, Invoice::number(7)).await;
    let options = |job: Enqueue<'static>| job.priority(3).max_attempts(4).run_after(later);
    shop.enqueue_with(INVOICES, Invoice::number(7), options)
        .await;
    assert_eq!(rows(&shop).await, theirs);
    // The same at a time of one's own.
    let at = |job: Enqueue<'static>| {
        let time = SystemTime::now() + later;
        job.priority(3).max_attempts(4).run_at(time)
    };
    shop.enqueue_with(INVOICES, Invoice::number(7), at).await;
    assert_eq!(rows(&shop).await[2], theirs[1]);
}

type Row = (String, String, String, i32, i32, i32, i64, Option<String>);

/// Job, queue, status, attempts, most attempts, priority, minutes until it runs, lock.
async fn rows(shop: &Shop) -> Vec<Row> {
    let sql = format!(
        "SELECT {}, job_type, status, CAST(attempts AS INTEGER), CAST(max_attempts AS INTEGER),
                CAST(priority AS INTEGER), {}, lock_by
           FROM {} ORDER BY run_at, id",
        queue::JOB_AS_TEXT,
        queue::MINUTES_TO_RUN,
        queue::JOBS,
    );
    sqlx::query_as(AssertSqlSafe(sql))
        .fetch_all(&shop.pool)
        .await
        .unwrap()
}

#[tokio::test]
async fn the_job_arrives_whole_and_under_the_id_it_was_given() {
    let shop = Shop::new().await;
    let invoice = Invoice {
        number: i64::MIN,
        amount: i64::MAX,
    };
    let id = shop.enqueue(INVOICES, invoice.clone()).await;
    let mut hand = shop.hire_witness(&Pace::default());
    assert_eq!(hand.error().await, format!("AbortError: {id} {invoice:?}"));
}

#[tokio::test]
async fn higher_priorities_run_first() {
    let shop = Shop::new().await;
    for number in [1, 3, 2] {
        let priority = u32::try_from(number).unwrap();
        let options = move |job: Enqueue<'static>| job.priority(priority);
        shop.enqueue_with(INVOICES, Invoice::number(number), options)
            .await;
    }
    // Each writes the number of its run before its own.
    for run in 1..=3 {
        shop.invoices.next(move |tx| {
            Box::pin(async move {
                write(tx, -run).await?;
                Ok(run)
            })
        });
    }
    let hand = shop.hire(&Pace::one_by_one());
    let jobs = shop.jobs_are(&["Done"; 3]).await;
    let order = jobs.iter().map(|job| {
        let run: i64 = job
            .result
            .as_deref()
            .unwrap()
            .split_once(':')
            .unwrap()
            .1
            .trim_end_matches('}')
            .trim()
            .parse()
            .unwrap();
        (i64::from(job.priority), run)
    });
    let mut order: Vec<_> = order.collect();
    order.sort_unstable();
    assert_eq!(order, [(1, 3), (2, 2), (3, 1)]);
    hand.stop().await;
}

#[tokio::test]
async fn a_job_waits_for_its_time() {
    let shop = Shop::new().await;
    let later = |job: Enqueue<'static>| job.run_after(Duration::from_secs(3600));
    let first = shop.enqueue_with(INVOICES, Invoice::number(1), later).await;
    shop.enqueue(INVOICES, Invoice::number(2)).await;
    let hand = shop.hire(&Pace::one_by_one());
    let jobs = shop.jobs_are(&["Pending", "Done"]).await;
    let waiting = jobs.iter().find(|job| job.status == "Pending").unwrap();
    assert_eq!((&waiting.id, shop.effects().await), (&first, vec![2]));
    shop.update_jobs(queue::RUN_NOW).await;
    shop.jobs_are(&["Done", "Done"]).await;
    assert_eq!(shop.effects().await, [1, 2]);
    hand.stop().await;
}

/// Storages made without a `Config` name their queue after the type.
#[tokio::test]
async fn the_default_queue_is_that_of_a_storage_without_a_name() {
    let shop = Shop::new().await;
    let mut storage = queue::nameless::<Invoice>(&shop.pool);
    storage.push(Invoice::number(7)).await.unwrap();
    assert_eq!(rows(&shop).await[0].1, queue_of::<Invoice>());
}
