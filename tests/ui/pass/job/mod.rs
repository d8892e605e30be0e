mod borrowed;
mod not_first;
