//! The operator matrix: rows that break a control plane on purpose, each in several arms, and how every rank must end.
//!
//! `plan` is what the Python half declares, `run` puts one arm under the supervisor, `judge` compares the ends of its ranks
//! with what must happen, `crew` has several processes of ours work at once, since there is one supervisor in a process, and
//! one job at a time under it. `outcome` is what all of it comes to. Reports render it.

pub mod crew;
pub mod judge;
pub mod outcome;
pub mod plan;
pub mod run;
pub mod select;

pub use outcome::{ArmOutcome, ArmReport, MatrixReport, RankEnd, RowReport};
pub use plan::{Arm, ArmKind, Expectation, Expected, Plan, Process, Row};
