//! The language server: `ranklint server`.
//!
//! One thread speaks with the client and never computes for long; one thread ([`analyst`]) holds the projects and answers
//! quickly; whole analyses run beside both and are given up when a newer edit makes them worthless. Findings,
//! suppressions, exemptions and thresholds are those of the command line: the same functions are called.
//! Knows the protocol; must not know how findings come about.

mod actions;
mod analyst;
mod answer;
mod capabilities;
mod convert;
mod documents;
mod hover;
mod outcome;
mod session;
mod tasks;
mod transport;
mod uri;
mod workspace;

use std::path::Path;

pub use session::End;

/// Serves a client on standard input and output until it leaves.
pub fn serve(cwd: &Path) -> Result<End, String> {
    let wires = transport::standard();
    let end = session::serve(&wires.sender, &wires.receiver, cwd)?;
    wires.close();
    Ok(end)
}
