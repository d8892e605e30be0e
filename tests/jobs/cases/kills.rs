//! kill -9 of processes that pay and of processes that work.

use std::process::Command;

use idem_core::apalis::Enqueue;
use idem_test_support::process::{Child, build};

use super::super::queue;
use super::super::shop::Shop;
use super::super::work::{INVOICES, Invoice};

/// The amounts at which the program hangs in its first attempt, and aborts in each.
const HANGS: i64 = 0;
const ABORTS: i64 = -1;

fn start(shop: &Shop, arguments: &[&str]) -> Child {
    let mut command = Command::new(build("idem-test-jobs", "jobs-shop", &[]));
    let (action, rest) = arguments.split_first().unwrap();
    command.arg(action).arg(shop.files.0.url()).args(rest);
    Child::start(command)
}

/// Payments by a process that is killed again and again: in the end there are as many jobs as
/// payments, one each.
#[tokio::test]
async fn killed_at_random_each_payment_has_its_job() {
    const COUNT: usize = 1000;
    let shop = Shop::new().await;
    let mut kills = 0;
    let mut left = COUNT;
    while left > 0 {
        let mut child = start(&shop, &["pay", &COUNT.to_string()]);
        let until = fastrand::usize(1..=120);
        if until < left {
            child.line_with(&format!("new {until};")).await;
            // Others are under way.
            child.kill9().await;
            kills += 1;
        } else {
            child.line_with("all paid").await;
        }
        left = COUNT - shop.effects().await.len();
    }
    assert!(kills > COUNT / 120 / 2, "{kills}");
    let all: Vec<i64> = (1..=1000).collect();
    assert_eq!(shop.effects().await, all);
    let sql = format!("SELECT {} FROM {}", queue::JOB_AS_TEXT, queue::JOBS);
    let jobs: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
        .fetch_all(&shop.pool)
        .await
        .unwrap();
    let mut numbers: Vec<i64> = jobs
        .iter()
        .map(|job| serde_json::from_str::<Invoice>(job).unwrap().number)
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, all);
}

/// A worker killed in the middle of a job, with jobs behind it that it has committed and not
/// acknowledged: the next worker replays those, and runs the one that was undone.
#[tokio::test]
async fn a_worker_killed_mid_job_leaves_the_rest_to_the_next() {
    let shop = Shop::new().await;
    for number in 1..=4 {
        let amount = if number == 3 { HANGS } else { 1 };
        // In this order.
        let priority = u32::try_from(10 - number).unwrap();
        shop.enqueue_with(INVOICES, Invoice { number, amount }, |job| {
            job.priority(priority)
        })
        .await;
    }
    let mut first = start(&shop, &["work"]);
    first.line_with("began 3;").await;
    first.kill9().await;
    assert_eq!(shop.effects().await, [1, 2]);
    assert!(shop.jobs().await.iter().all(|job| job.status != "Done"));
    let mut second = start(&shop, &["work"]);
    let jobs = shop.jobs_are(&["Done"; 4]).await;
    assert!(jobs.iter().all(|job| job.attempts == 2), "{jobs:?}");
    assert_eq!(shop.effects().await, [1, 2, 3, 4]);
    second.line_with("began 4;").await;
    for replayed in ["began 1;", "began 2;"] {
        assert!(!second.output().contains(replayed), "{}", second.output());
    }
}

/// case J15: a job that kills its process takes as many workers with it as it has attempts.
#[tokio::test]
async fn a_job_that_aborts_its_process_is_parked() {
    let shop = Shop::new().await;
    let invoice = Invoice {
        number: 7,
        amount: ABORTS,
    };
    let twice = |job: Enqueue<'static>| job.max_attempts(2);
    shop.enqueue_with(INVOICES, invoice, twice).await;
    for _ in 0..2 {
        let mut child = start(&shop, &["work"]);
        assert!(!child.ended().await.success());
        assert!(child.output().contains("began 7;"));
    }
    let _third = start(&shop, &["work"]);
    let job = shop.job_is("Killed").await;
    assert!(job.result.unwrap().contains("parked after 2 attempts"));
    assert!(shop.effects().await.is_empty());
}
