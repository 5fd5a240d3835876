//! The list of all rules, in the order in which they are listed to users.

use super::Rule;

/// All rules.
pub static RULES: &[&Rule] = &[];
