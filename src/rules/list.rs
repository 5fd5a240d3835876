//! The list of all rules, in the order in which they are listed to users.

use super::{Rule, filesystem};

/// All rules.
pub static RULES: &[&Rule] = &[
    &filesystem::WRITE_OUTSIDE_WORKDIR,
    &filesystem::STDLIB_TEMPFILE,
    &filesystem::SHELL_TEMP,
    &filesystem::INHERITED_TEMP,
];
