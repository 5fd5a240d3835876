//! One file alone: its statements and expressions in a compact form, its functions, classes, imports and comments.
//!
//! Lowered once from the syntax tree, which is dropped afterwards; nothing above this layer sees a syntax node.

mod comments;
mod fold;
mod lower;
mod lower_expr;
mod lower_match;
mod skeleton;
mod tree;
mod visit;

pub use comments::Comment;
pub use fold::{Constant, HOME, fold};
pub(crate) use lower::IN_PLACE;
pub use lower::{Detail, SETTER, lower};
pub use tree::*;
pub use visit::{blocks_of, calls_by_name, calls_to, each_call, each_expression, each_statement, names_in};
pub(crate) use visit::{expressions_of, parts_of};
