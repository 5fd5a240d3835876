//! A run of the operator matrix, on its way to people and tools: one renderer a file, one door.

use std::io;

use crate::verify::matrix::MatrixReport;

mod html;
mod json;
mod junit;
mod plot;
mod text;

pub use json::VERSION;

/// Everything a renderer is given.
#[derive(Clone, Copy, Debug)]
pub struct Rendering<'a> {
    /// What happened.
    pub report: &'a MatrixReport,
    /// Whether text for people tells how each rank has ended.
    pub ranks: bool,
    /// Whether it may carry colours.
    pub color: bool,
}

/// A way to print a run of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixFormat {
    /// A table for the terminal.
    Text,
    /// One versioned object.
    Json,
    /// JUnit XML: a suite a row, a case an arm.
    Junit,
    /// One file for a browser.
    Html,
}

impl MatrixFormat {
    /// All formats, in the order in which they are listed to users.
    pub const ALL: [MatrixFormat; 4] =
        [MatrixFormat::Text, MatrixFormat::Json, MatrixFormat::Junit, MatrixFormat::Html];

    /// The name users choose it by.
    pub fn name(self) -> &'static str {
        match self {
            MatrixFormat::Text => "text",
            MatrixFormat::Json => "json",
            MatrixFormat::Junit => "junit",
            MatrixFormat::Html => "html",
        }
    }
}

/// Prints a run to `out` as `format`.
pub fn render_matrix(format: MatrixFormat, rendering: &Rendering<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    match format {
        MatrixFormat::Text => text::render(rendering, out),
        MatrixFormat::Json => json::render(rendering.report, out),
        MatrixFormat::Junit => junit::render(rendering.report, out),
        MatrixFormat::Html => html::render(rendering.report, out),
    }
}

/// Exit codes of the ranks, `-` for one that the runner ended.
fn codes(arm: &crate::verify::matrix::ArmReport) -> String {
    let code = |end: &crate::verify::matrix::RankEnd| end.code.map_or("-".to_owned(), |code| code.to_string());
    arm.ends.iter().map(code).collect::<Vec<_>>().join(" ")
}
