//! The program: modules, classes, what names mean across files, and what functions issue.

mod accesses;
mod bindings;
mod blame;
mod context;
mod divergence;
mod environment;
pub mod evaluate;
mod gates;
mod helpers;
mod messages;
mod modules;
mod operators;
mod orders;
mod outline;
mod parity;
mod program;
mod reach;
mod resolve;
mod shapes;
mod taint;
mod witness;

pub use context::{Context, each_in_context};
pub use divergence::{Divergence, Prepared, divergence};
pub use environment::{Access, Action, EnvironmentReads, Key};
pub use gates::{ForeignRoot, Gate};
pub use messages::{Fault, FaultKind, Step, StepKind, Undelivered, undelivered};
pub use operators::{ModuleName, OperatorFolders, Part};
pub use orders::{Cause, Unordered, UnorderedLoop};
pub use outline::{function_meant, functions_called, outline};
pub use parity::ParityCheck;
pub use program::{FileEntry, Program};
pub use resolve::{Scope, Target};
pub use shapes::{PermutedLoop, UnagreedShape};
pub use witness::{Decision, Split, SplitEvent, SplitKind};
