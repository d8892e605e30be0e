//! The server as a child process, and its API as a client sees it.

use std::process::{Command, ExitStatus};

use idem_test_support::http::Answer;
use idem_test_support::patience::soon;
use idem_test_support::process::{Child, build};
use nix::sys::signal::Signal;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::database::Database;

/// A running server.
pub(crate) struct Server {
    child: Child,
    api: Api,
}

/// A merchant's view of a server.
#[derive(Clone)]
pub(crate) struct Api {
    client: reqwest::Client,
    url: String,
    merchant: String,
}

/// The server's program, on no database and no port in particular.
pub(crate) fn command(features: &[&str]) -> Command {
    let mut command = Command::new(build("payments", "payments", features));
    for name in ["DATABASE_URL", "PORT", "RUST_LOG"] {
        command.env_remove(name);
    }
    command
}

impl Server {
    pub(crate) async fn start(database: &Database) -> Self {
        // sqlx says each statement when it has run, which is how tests know where a body is.
        Self::start_logging(database, "info,sqlx=debug").await
    }

    pub(crate) async fn start_logging(database: &Database, levels: &str) -> Self {
        Self::start_at(&database.url(), levels).await
    }

    pub(crate) async fn start_at(url: &str, levels: &str) -> Self {
        let mut command = command(&["postgres"]);
        command
            .env("DATABASE_URL", url)
            .env("PORT", "0")
            .env("RUST_LOG", levels);
        Self::ready(Child::start(command)).await
    }

    /// A started program, once it listens.
    pub(crate) async fn ready(mut child: Child) -> Self {
        let line = child.line_with("listening on ").await;
        let url = line.trim_start_matches("listening on ").to_owned();
        let api = Api {
            client: reqwest::Client::new(),
            url,
            merchant: "acme".to_owned(),
        };
        Server { child, api }
    }

    pub(crate) fn api(&self) -> Api {
        self.api.clone()
    }

    /// Waits until a body's first write is done, so that it sleeps before the second.
    pub(crate) async fn is_between_the_writes(&mut self) {
        self.child.line_with("INSERT INTO payments").await;
    }

    pub(crate) fn output(&self) -> String {
        self.child.output()
    }

    pub(crate) async fn kill9(mut self) {
        self.child.kill9().await;
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.child.signal(signal);
    }

    /// Waits until it says that it finishes what runs.
    pub(crate) async fn is_stopping(&mut self) {
        self.child.line_with("stopping").await;
    }

    pub(crate) async fn ended(&mut self) -> ExitStatus {
        self.child.ended().await
    }
}

impl Api {
    pub(crate) fn of(&self, merchant: &str) -> Self {
        let merchant = merchant.to_owned();
        Api {
            merchant,
            ..self.clone()
        }
    }

    /// A request of this merchant.
    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.anonymous(method, path).bearer_auth(&self.merchant)
    }

    /// A request of nobody.
    pub(crate) fn anonymous(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    pub(crate) async fn post(&self, path: &str, key: &str, body: &Value) -> Answer {
        self.try_post(path, key, body)
            .await
            .expect("the server answers")
    }

    /// An error when the server ended before it answered.
    pub(crate) async fn try_post(
        &self,
        path: &str,
        key: &str,
        body: &Value,
    ) -> reqwest::Result<Answer> {
        let request = self.request(Method::POST, path);
        Answer::received(
            request
                .header("idempotency-key", key)
                .json(body)
                .send()
                .await?,
        )
        .await
    }

    pub(crate) async fn pay(&self, key: &str, body: &Value) -> Answer {
        self.post("/payments", key, body).await
    }

    /// Pays in a task of its own.
    pub(crate) fn start_paying(&self, key: &str, body: &Value) -> Paying {
        let (api, key, body) = (self.clone(), key.to_owned(), body.clone());
        Paying(tokio::spawn(async move {
            api.try_post("/payments", &key, &body).await
        }))
    }

    pub(crate) async fn refund(&self, payment: &str, key: &str, amount: i64) -> Answer {
        let path = format!("/payments/{payment}/refunds");
        self.post(&path, key, &json!({ "amount": amount })).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        answer(self.request(Method::GET, path)).await
    }

    /// The list, which must be there: the payments, the newest first, and the balance.
    pub(crate) async fn account(&self) -> (Vec<Value>, i64) {
        let answer = self.get("/payments").await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        let account: Value = answer.json();
        let payments = account["payments"].as_array().expect("a list").clone();
        (payments, account["balance"].as_i64().expect("a number"))
    }

    /// Asserts that this merchant has one payment of `amount`, and its money.
    pub(crate) async fn assert_has_one_payment_of(&self, amount: i64) {
        let (payments, balance) = self.account().await;
        assert_eq!(payments.len(), 1, "{payments:?}");
        assert_eq!(payments[0]["amount"], amount);
        assert_eq!(balance, amount);
    }
}

/// A request on its way.
pub(crate) struct Paying(tokio::task::JoinHandle<reqwest::Result<Answer>>);

impl Paying {
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_finished()
    }

    pub(crate) async fn answer(self) -> Answer {
        self.outcome().await.expect("the server answers")
    }

    pub(crate) async fn outcome(self) -> reqwest::Result<Answer> {
        soon("an answer", self.0)
            .await
            .expect("a request does not panic")
    }

    /// Hangs up.
    pub(crate) async fn hang_up(self) {
        self.0.abort();
        let _ = self.0.await;
    }
}

pub(crate) async fn answer(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.expect("the server answers");
    Answer::received(response)
        .await
        .expect("the answer is whole")
}

/// The body of a payment with a card that is accepted.
pub(crate) fn payment(amount: i64) -> Value {
    json!({ "order": "order-1", "amount": amount, "currency": "eur", "card": "tok_ok" })
}

/// The same, sleeping between its writes.
pub(crate) fn slow_payment(amount: i64, delay_ms: u32) -> Value {
    with(payment(amount), "delay_ms", delay_ms)
}

/// `body` with another member.
pub(crate) fn with(mut body: Value, name: &str, value: impl Into<Value>) -> Value {
    body[name] = value.into();
    body
}

/// Asserts that `answer` is a problem of this API, or with `idem:` of the engine.
#[track_caller]
pub(crate) fn assert_problem(answer: &Answer, status: u16, name: &str) {
    let name = match name.strip_prefix("idem:") {
        Some(name) => format!("urn:idem:error:{name}"),
        None => format!("urn:payments:error:{name}"),
    };
    assert_eq!(answer.status.as_u16(), status, "{answer:?}");
    assert_eq!(answer.problem_type(), Some(name), "{answer:?}");
}
