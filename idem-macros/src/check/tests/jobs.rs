//! What is different for apalis jobs.

use proc_macro2::TokenStream;
use quote::quote;

use super::mistakes_of;
use crate::form::Form;

fn mistakes(args: TokenStream, item: TokenStream) -> Vec<String> {
    mistakes_of(Form::Apalis, args, item)
}

#[test]
fn ambient_extractors_are_refused_by_name() {
    let item = quote! {
        async fn send(
            job: Job, tries: Attempt, mail: Data<Mailer>, worker: WorkerContext, task: TaskContext,
            meta: Meta<Note>, store: MetadataStore, queue: Queue, id: TaskId, tx: &mut Tx<D>,
        ) -> Result<(), E> {}
    };
    let key = quote!(
        key = (
            job.id, id, tries, mail.from, worker, task, meta.0, store, queue
        )
    );
    assert_eq!(
        mistakes(key, item),
        [
            "`tries` differs on every try of the same job: no part of what the caller asked for",
            "`mail` is the worker's data: no part of what the caller asked for",
            "`worker` is the worker, another one on the next try: no part of what the caller asked for",
            "`task` is the task's state, which differs between tries: no part of what the caller asked for",
            "`meta` is what was noted beside the job: no part of what the caller asked for",
            "`store` is what was noted beside the job: no part of what the caller asked for",
            "`queue` is the queue: no part of what the caller asked for",
        ]
    );
}

#[test]
fn the_job_comes_first() {
    let not_first = ["`send` does not take its job first"];
    for parameters in [
        quote!(),
        quote!(mail: Data<Mailer>, job: Job),
        quote!(task: TaskId, job: Job),
        quote!(attempt: Attempt, job: Job),
    ] {
        let item = quote!(async fn send(tx: &mut Tx<D>, #parameters) -> Result<(), E> {});
        assert_eq!(mistakes(quote!(key = id(tx.x)), item)[0], not_first[0]);
    }
    let item = quote!(
        async fn send(tx: &mut Tx<D>, job: Job, task: TaskId) -> Result<(), E> {}
    );
    assert_eq!(mistakes(quote!(key = (job.id, task)), item), [""; 0]);
}

#[test]
fn a_job_is_free_and_owns_its_parameters() {
    let item = quote!(
        async fn send(&self, job: Job, tx: &mut Tx<D>) -> Result<(), E> {}
    );
    assert_eq!(
        mistakes(quote!(key = job.id), item),
        ["apalis jobs take no `self`"]
    );
    let item = quote!(
        async fn send(job: &Job, tx: &mut Tx<D>) -> Result<(), E> {}
    );
    assert_eq!(
        mistakes(quote!(key = job.id), item),
        ["a job borrows nothing but its transaction"]
    );
    let item = quote!(
        async fn send(job: Job, pool: Data<PgPool>, tx: &mut Tx<D>) -> Result<(), E> {}
    );
    assert_eq!(
        mistakes(quote!(key = job.id), item),
        ["a connection pool is in reach of the body"]
    );
}
