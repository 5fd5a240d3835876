//! The program: modules, classes, what names mean across files, and what functions issue.

mod bindings;
mod divergence;
pub mod evaluate;
mod modules;
mod program;
mod reach;
mod resolve;
mod witness;

pub use program::{FileEntry, Program};
pub use resolve::{Scope, Target};
pub use witness::{Decision, Split, SplitEvent, SplitKind};
