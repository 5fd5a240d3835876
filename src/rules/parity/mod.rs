//! Flags agree on every rank, or nothing starts.

use crate::base::{FileId, Site};
use crate::finding::Finding;
use crate::graph::Program;

mod late_env_read;
mod per_rank_test_flag;
mod rank;
mod ungated_collective_flag;
mod ungated_test_hook;

pub use late_env_read::RULE as LATE_ENV_READ;
pub use per_rank_test_flag::RULE as PER_RANK_TEST_FLAG;
pub use ungated_collective_flag::RULE as UNGATED_COLLECTIVE_FLAG;
pub use ungated_test_hook::RULE as UNGATED_TEST_HOOK;

/// Adds the place where keys are compared across ranks: the one nearest to `file`.
fn beside_the_check(program: &Program, file: FileId, finding: Finding, message: &str) -> Finding {
    match nearest_check(program, file) {
        Some(site) => finding.because(site, message),
        None => finding,
    }
}

/// The comparison in the same file, else in the same tree, else anywhere.
fn nearest_check(program: &Program, file: FileId) -> Option<Site> {
    let checks = program.environment().checks();
    let of_tree = || checks.iter().find(|check| program.same_tree(check.site.file, file));
    checks.iter().find(|check| check.site.file == file).or_else(of_tree).or(checks.first()).map(|check| check.site)
}
