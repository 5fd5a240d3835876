//! Comments that speak to ranklint.

use crate::base::Span;

/// A comment that holds the word `ranklint`, kept for the suppressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where it stands, the `#` included.
    pub span: Span,
    /// Its text, the `#` included.
    pub text: Box<str>,
    /// Whether nothing but white space stands before it on its line.
    pub own_line: bool,
}

impl Comment {
    /// The comment at `span` when it is meant for ranklint.
    pub fn of_interest(source: &str, span: Span) -> Option<Comment> {
        let text = &source[span.start as usize..span.end as usize];
        if !text.contains("ranklint") {
            return None;
        }
        let before = &source[..span.start as usize];
        let line_start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let own_line = before[line_start..].trim().is_empty();
        Some(Comment { span, text: text.into(), own_line })
    }
}
