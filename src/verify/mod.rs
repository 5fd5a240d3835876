//! The runtime half: runs a program at N ranks under the probe and tells where the ranks part ways.
//!
//! `event` is what the probe writes, `matcher` compares the logs of the ranks while they grow, `supervise` starts and ends the
//! processes, `outcome` is what all of it comes to. Reports render it.

pub mod doctor;
pub mod event;
#[cfg(unix)]
pub mod folder;
#[cfg(unix)]
pub mod interpreter;
pub mod judge;
#[cfg(unix)]
pub mod launch;
pub mod ledger;
pub mod matcher;
#[cfg(unix)]
pub mod matrix;
pub mod observe;
#[cfg(unix)]
pub mod os;
pub mod outcome;
#[cfg(unix)]
pub mod output;
#[cfg(unix)]
pub mod package;
pub mod replay;
#[cfg(unix)]
pub mod supervise;
#[cfg(unix)]
pub mod tail;
pub mod watch;
