#![deny(warnings)]

use crate::shop::*;

trait Repo: Clone {
    const NAME: &'static str;

    fn save(&self, order: &str) -> impl Future<Output = bool> + Send;
}

#[derive(Clone)]
struct Books;

impl Repo for Books {
    const NAME: &'static str = "books";

    async fn save(&self, _: &str) -> bool {
        true
    }
}

impl axum::extract::FromRef<App> for Books {
    fn from_ref(_: &App) -> Self {
        Books
    }
}

/// case M01
#[idempotent(key = (merchant.id, new.as_ref()))]
async fn pay<T, R: Repo>(
    State(repo): State<R>,
    merchant: Merchant,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<T>,
) -> String
where
    T: AsRef<str> + serde::Serialize + Send,
{
    let _ = tx;
    format!("{} {}", R::NAME, repo.save(new.as_ref()).await)
}

#[idempotent(key = (merchant.id, key))]
async fn counted<R: Repo, const N: usize>(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> String {
    let _ = tx;
    format!("{}{N}", R::NAME)
}

#[test]
fn compiles() {
    routes(pay::<String, Books>);
    routes(counted::<Books, 3>);
}
