#!/usr/bin/env bash
# What the attribute costs at compile time: a crate of 100 annotated handlers against the same crate
# with the same handlers written by hand against the engine, as the attribute would. Prints both times
# and their ratio, for `cargo check` (where expanding and checking types weigh most) and for
# `cargo build`: `benches/compile-time.sh [handlers] [rounds]`.
#
# Each round compiles both crates anew, dependencies excepted; the fastest round of each counts.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
handlers=${1:-100}
rounds=${2:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target}/compile-time
# Otherwise a second compilation of the same text finds the results of the first.
export CARGO_INCREMENTAL=0

make_crate() { # name
    mkdir -p "$work/$1/src"
    cat >"$work/$1/Cargo.toml" <<TOML
[package]
name = "compile-time-$1"
version = "0.0.0"
edition = "2024"

[dependencies]
axum = "0.8"
idem-core = { path = "$here/idem-core", features = ["axum", "sqlite"] }
serde = { version = "1", features = ["derive"] }
sqlx = { version = "0.9", default-features = false, features = ["runtime-tokio", "sqlite"] }

[workspace]
TOML
    cp "$here/Cargo.lock" "$work/$1/"
    {
        cat <<'RUST'
use axum::extract::FromRequestParts;
use axum::http::{StatusCode, request::Parts};
use axum::{Json, Router, routing::post};
use idem_core::axum::{IdempotencyKey, Operation, idempotent};
use idem_core::{Caller, Idem, Tx, __private as private};
use serde::{Deserialize, Serialize};
use sqlx::Sqlite;

#[derive(Caller)]
struct Merchant {
    id: i64,
}

impl<S: Sync> FromRequestParts<S> for Merchant {
    type Rejection = StatusCode;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        Err(StatusCode::UNAUTHORIZED)
    }
}

#[derive(Serialize, Deserialize)]
struct NewPayment {
    order: String,
    amount: i64,
}

#[derive(Serialize)]
struct Payment {
    id: i64,
    order: String,
}
RUST
        for ((number = 0; number < handlers; number++)); do
            "$1" "$number"
        done
        echo 'pub fn router(idem: Idem<Sqlite>) -> Router {'
        echo '    Router::new()'
        for ((number = 0; number < handlers; number++)); do
            echo "        .route(\"/$number\", post(pay_$number))"
        done
        echo '        .with_state(idem)'
        echo '}'
    } >"$work/$1/src/lib.rs"
}

body() { # number
    cat <<RUST
    let id: i64 = sqlx::query_scalar("INSERT INTO payment_$1 (merchant, order_id, amount) VALUES (\$1, \$2, \$3) RETURNING id")
        .bind(merchant.id)
        .bind(&new.order)
        .bind(new.amount)
        .fetch_one(&mut **tx)
        .await
        .map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    if new.amount < $1 {
        return Err(StatusCode::UNPROCESSABLE_ENTITY);
    }
    Ok((StatusCode::CREATED, Json(Payment { id, order: new.order })))
RUST
}

annotated() { # number
    cat <<RUST

#[idempotent(key = (merchant.id, key), ttl = "24h")]
async fn pay_$1(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Result<(StatusCode, Json<Payment>), StatusCode> {
$(body "$1")
}
RUST
}

by_hand() { # number
    cat <<RUST

static SPEC_$1: private::Spec = private::Spec {
    scope: "pay_$1",
    form: private::Form::Axum,
    key: "(merchant.id, key)",
    file: "",
    line: 0,
    ttl: std::time::Duration::from_secs(86_400),
    wait: None,
    timeout: None,
    memoize: private::Memoize::Final,
};

async fn pay_$1(
    operation: Operation<Sqlite>,
    merchant: Merchant,
    key: IdempotencyKey,
    new: Json<NewPayment>,
) -> private::Response {
    let mut fingerprint = operation.fingerprint();
    fingerprint.value(&new.0);
    let (mut tx, run) = operation.start(&SPEC_$1, fingerprint);
    run.run(async move {
        let answer = work_$1(merchant, key, &mut tx, new).await;
        (tx, answer.is_err(), private::into_response(answer))
    })
    .await
}

async fn work_$1(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Result<(StatusCode, Json<Payment>), StatusCode> {
    let evaluated = private::key(&SPEC_$1, || (&merchant.id, &key));
    private::claim(&mut *tx, evaluated).await;
$(body "$1")
}
RUST
}

# Prints the milliseconds that one crate takes, its dependencies being there.
compile() { # check or build, name
    local start
    touch "$work/$2/src/lib.rs"
    start=$(date +%s%N)
    RUSTFLAGS="--cap-lints allow" cargo "$1" --quiet --offline --manifest-path "$work/$2/Cargo.toml"
    echo $((($(date +%s%N) - start) / 1000000))
}

make_crate annotated
make_crate by_hand
for command in check build; do
    declare -A fastest=()
    # Round 0 compiles the dependencies too.
    for ((round = 0; round <= rounds; round++)); do
        for crate in annotated by_hand; do
            taken=$(compile "$command" "$crate")
            if ((round > 0)) && ((taken < ${fastest[$crate]:-taken + 1})); then
                fastest[$crate]=$taken
            fi
        done
    done
    awk -v c="$command" -v a="${fastest[annotated]}" -v b="${fastest[by_hand]}" -v n="$handlers" 'BEGIN {
        printf "cargo %s, %d handlers: annotated %.2f s, by hand %.2f s, ratio %.2f\n", c, n, a / 1000, b / 1000, a / b
    }'
    unset fastest
done
