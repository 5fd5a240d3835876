//! The program: modules, classes, what names mean across files, and what functions issue.

mod bindings;
mod modules;
mod program;
mod resolve;

pub use program::{FileEntry, Program};
pub use resolve::{Scope, Target};
