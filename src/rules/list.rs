//! The list of all rules, in the order in which they are listed to users.

use super::{Rule, filesystem, parity};

/// All rules.
pub static RULES: &[&Rule] = &[
    &parity::UNGATED_TEST_HOOK,
    &parity::LATE_ENV_READ,
    &parity::PER_RANK_TEST_FLAG,
    &filesystem::WRITE_OUTSIDE_WORKDIR,
    &filesystem::STDLIB_TEMPFILE,
    &filesystem::SHELL_TEMP,
    &filesystem::INHERITED_TEMP,
];
