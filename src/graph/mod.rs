//! The program: modules, classes, what names mean across files, and what functions issue.

mod bindings;
pub mod evaluate;
mod modules;
mod program;
mod resolve;

pub use program::{FileEntry, Program};
pub use resolve::{Scope, Target};
