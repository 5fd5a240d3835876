//! The program: modules, classes, what names mean across files, and what functions issue.

mod bindings;
mod context;
mod environment;
mod modules;
mod operators;
mod parity;
mod program;
mod resolve;

pub use context::{Context, each_in_context};
pub use environment::{Access, Action, EnvironmentReads, Key};
pub use operators::{ModuleName, OperatorFolders, Part};
pub use parity::ParityCheck;
pub use program::{FileEntry, Program};
pub use resolve::{Scope, Target};
