mod associated_fn;
mod method;
