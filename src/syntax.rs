//! The only door to the ruff crates: parsing, the syntax tree's types, and comments.
//!
//! Everything else of ranklint that names a syntax node names it through this module.

pub use ruff_python_ast as ast;
pub use ruff_text_size::{Ranged, TextRange};

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

use crate::base::Span;

/// A place where a file is not Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What the parser says.
    pub message: String,
    /// Where.
    pub span: Span,
}

/// What a parsed file gives: the tree (as far as it could be recovered), comments and errors.
pub struct Parsed {
    /// The statements of the module.
    pub module: ast::ModModule,
    /// Spans of all comments, in order.
    pub comments: Vec<Span>,
    /// The first place where the file is not Python, if any.
    pub error: Option<SyntaxError>,
}

/// Parses one module. Never fails: a broken file yields what could be recovered, and its first error.
pub fn parse(source: &str) -> Parsed {
    let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module))
        .try_into_module()
        .expect("module mode yields a module");
    let error = parsed
        .errors()
        .first()
        .map(|error| SyntaxError { message: error.error.to_string(), span: span(error.location) });
    let comments =
        parsed.tokens().iter().filter(|token| token.kind().is_comment()).map(|token| span(token.range())).collect();
    Parsed { module: parsed.into_syntax(), comments, error }
}

/// A syntax node's range as a span.
pub fn span(range: TextRange) -> Span {
    Span::new(range.start().to_u32(), range.end().to_u32())
}

/// The span of a node.
pub fn span_of(node: &impl Ranged) -> Span {
    span(node.range())
}

/// The spans of all strings that go over more than one line, in order: no comment can begin within one.
pub fn long_strings(source: &str) -> Vec<Span> {
    let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module));
    let mut open: Option<TextRange> = None;
    let mut within = 0;
    let mut out = Vec::new();
    for token in parsed.tokens() {
        // Of a format string, everything from its start to its end is one; there may be others within.
        let range = match token.kind() {
            TokenKind::FStringStart | TokenKind::TStringStart => {
                within += 1;
                open.get_or_insert(token.range());
                None
            }
            TokenKind::FStringEnd | TokenKind::TStringEnd => {
                within = usize::saturating_sub(within, 1);
                (within == 0).then(|| open.take().map(|start| start.cover(token.range()))).flatten()
            }
            TokenKind::String if within == 0 => Some(token.range()),
            _ => None,
        };
        out.extend(range.filter(|range| source[*range].contains(['\n', '\r'])).map(span));
    }
    out
}
