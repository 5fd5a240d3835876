//! The program: modules, classes, what names mean across files, and what functions issue.

mod bindings;
mod modules;
mod program;
mod resolve;

pub use program::{ClassId, FileEntry, FunctionId, Program};
pub use resolve::{Scope, Target};
