#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

trait Repo {
    fn save(&mut self, text: &str) -> impl Future<Output = Result<u64, PayError>> + Send;
}

/// case M01
#[idempotent(key = id.as_ref())]
async fn pay<T, R, const N: usize>(
    #[ambient] mut repo: R,
    id: T,
    tx: &mut Tx<Sqlite>,
    parts: [u8; 4],
) -> Result<[u64; 2], PayError>
where
    T: AsRef<str> + Serialize + Send + Sync,
    R: Repo + Send + Sync,
{
    let _ = tx;
    let saved = repo.save(id.as_ref()).await?;
    Ok([saved, N as u64 + parts.len() as u64])
}

/// Any store, and a context behind an alias.
type Work<Db> = Tx<Db>;

#[idempotent(key = id)]
async fn generic_store<Db: Database>(id: u64, tx: &mut Work<Db>) -> Result<u64, PayError> {
    let _ = tx;
    Ok(id)
}

struct Memory;
impl Repo for Memory {
    async fn save(&mut self, text: &str) -> Result<u64, PayError> {
        Ok(text.len() as u64)
    }
}

async fn all(idem: &Idem<Sqlite>) -> Result<(), PayError> {
    let [a, _] = pay::<String, Memory, 3>(idem, Memory, "a".to_owned(), [0; 4]).await?;
    generic_store(idem, a).await?;
    Ok(())
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&all(idem));
}
