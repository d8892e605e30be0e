//! Correct code, free of warnings: the twins of the mistakes in `fail`, and odd but valid shapes.

mod axum;
