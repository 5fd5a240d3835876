//! A mistake in a model file, with its place and what to do about it.

use std::fmt;
use std::ops::Range;

use crate::base::LineIndex;

/// A mistake in a model file or in a project's `models` table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogError {
    /// The file, as its reader named it.
    pub source: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.source, self.line, self.column, self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for CatalogError {}

/// A text and its name: turns offsets into positions.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The name of the file.
    pub source: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl Place<'_> {
    /// An error at `span` of this text.
    pub fn error(self, span: Range<usize>, message: String, help: Option<String>) -> CatalogError {
        let position = LineIndex::new(self.text).position(self.text, span.start as u32);
        CatalogError { source: self.source.to_owned(), line: position.line, column: position.column, message, help }
    }

    /// The parser's own error, with the nearest known word suggested.
    pub fn shape_error(self, error: &toml::de::Error) -> CatalogError {
        let message = error.message().trim();
        let (wrong, expected) = match message.split_once(", expected ") {
            Some((wrong, expected)) if message.starts_with("unknown ") => (wrong, Some(expected)),
            _ => (message, None),
        };
        let help = expected.map(|expected| match nearest_expected(message) {
            Some(word) => format!("did you mean `{word}`?"),
            None => format!("expected {expected}"),
        });
        self.error(error.span().unwrap_or(0..0), wrong.replace('\n', ", "), help)
    }
}

/// The word nearest to `word` among `known`, when it is near enough to be meant.
pub(super) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, candidate)| candidate)
}

/// Serde words its complaints as "unknown field `a`, expected one of `b`, `c`": the first quoted word is the mistake.
fn nearest_expected(message: &str) -> Option<&str> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let mistake = quoted.next()?;
    nearest(mistake, quoted)
}
