//! Flags agree on every rank, or nothing starts.

use crate::base::{FileId, Site};
use crate::finding::Finding;
use crate::graph::{ParityCheck, Program};

mod asymmetric_compile_flag;
mod conflicting_env_default;
mod late_env_read;
mod parity_check_too_late;
mod per_rank_test_flag;
mod rank;
mod strandable_hook;
mod ungated_collective_flag;
mod ungated_test_hook;
mod unpinned_backend;

pub use asymmetric_compile_flag::RULE as ASYMMETRIC_COMPILE_FLAG;
pub use conflicting_env_default::RULE as CONFLICTING_ENV_DEFAULT;
pub use late_env_read::RULE as LATE_ENV_READ;
pub use parity_check_too_late::RULE as PARITY_CHECK_TOO_LATE;
pub use per_rank_test_flag::RULE as PER_RANK_TEST_FLAG;
pub use strandable_hook::RULE as STRANDABLE_HOOK;
pub use ungated_collective_flag::RULE as UNGATED_COLLECTIVE_FLAG;
pub use ungated_test_hook::RULE as UNGATED_TEST_HOOK;
pub use unpinned_backend::RULE as UNPINNED_BACKEND;

pub(super) use rank::mention as mentions_rank;

/// Adds the place where keys are compared across ranks: the one nearest to `file`.
fn beside_the_check(program: &Program, file: FileId, finding: Finding, message: &str) -> Finding {
    match nearest_check(program, file) {
        Some(site) => finding.because(site, message),
        None => finding,
    }
}

/// The comparison in the same file, else in the same tree, else anywhere; those of what was read from the environment first.
fn nearest_check(program: &Program, file: FileId) -> Option<Site> {
    let near = |check: &&ParityCheck| (check.site.file != file, !program.same_tree(check.site.file, file));
    let checks = program.environment().checks().iter();
    checks.min_by_key(|check| (!check.of_environment, near(check))).map(|check| check.site)
}
