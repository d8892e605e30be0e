#[path = "../../jobs.rs"]
mod jobs;
#[path = "../../shop.rs"]
mod shop;
use jobs::*;
use shop::*;
use idem_core::apalis::idempotent;

type Tool = Data<u64>;

#[idempotent(key = (job.number, *tool))]
async fn send(job: Invoice, tool: Tool, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
    let _ = (job, tool, tx);
    Ok(())
}

fn main() {}
