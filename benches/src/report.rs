//! Tables that read as Markdown and as plain text.

use std::fmt::{self, Display};

/// A table under a heading.
pub(crate) struct Table {
    heading: &'static str,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Starts a table; the first column is text, all others are numbers.
    pub(crate) fn new<const N: usize>(heading: &'static str, columns: [&str; N]) -> Self {
        Table {
            heading,
            rows: vec![columns.map(str::to_owned).into()],
        }
    }

    /// Adds a row with as many cells as there are columns.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        assert_eq!(self.rows[0].len(), N, "a cell for each column");
        self.rows.push(cells.into());
    }

    /// Prints the table, if anything was measured for it.
    pub(crate) fn print(&self) {
        if self.rows.len() > 1 {
            println!("{self}");
        }
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows[0].len();
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0).max(3)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        writeln!(f, "## {}\n", self.heading)?;
        for (index, row) in self.rows.iter().enumerate() {
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                match column {
                    0 => write!(f, "| {cell:<width$} |")?,
                    _ => write!(f, " {cell:>width$} |")?,
                }
            }
            writeln!(f)?;
            if index == 0 {
                for (column, &width) in widths.iter().enumerate() {
                    let dashes = "-".repeat(width);
                    match column {
                        0 => write!(f, "| {dashes} |")?,
                        _ => write!(f, " {}: |", &dashes[1..])?,
                    }
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}
