//! The program: modules, classes, what names mean across files, and what functions issue.

mod program;

pub use program::{FileEntry, Program};
