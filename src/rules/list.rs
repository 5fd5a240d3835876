//! The list of all rules, in the order in which they are listed to users.

use super::{Rule, collectives, control_plane, filesystem, golden, parity};

/// All rules.
pub static RULES: &[&Rule] = &[
    &parity::UNGATED_TEST_HOOK,
    &parity::LATE_ENV_READ,
    &parity::PER_RANK_TEST_FLAG,
    &parity::UNGATED_COLLECTIVE_FLAG,
    &collectives::CONDITIONAL_COLLECTIVE,
    &collectives::DIVERGENT_EARLY_EXIT,
    &collectives::DIVERGENT_LOOP,
    &collectives::COLLECTIVE_ORDER,
    &collectives::WRONG_GROUP,
    &collectives::WRONG_ROOT,
    &collectives::CONDITIONAL_GROUP_CREATION,
    &collectives::UNORDERED_ITERATION,
    &collectives::UNPAIRED_P2P,
    &collectives::UNAGREED_SHAPE,
    &collectives::RANK_LOCAL_IDENTITY,
    &collectives::COLLECTIVE_IN_HANDLER,
    &collectives::SWALLOWED_FAILURE,
    &collectives::COLLECTIVE_OFF_THREAD,
    &collectives::UNAWAITED_COLLECTIVE,
    &collectives::COLLECTIVE_IN_ASSERT,
    &control_plane::AD_HOC_BROADCAST,
    &golden::CROSS_PHASE_GOLDEN_IMPORT,
    &golden::GOLDEN_MODULE_TABLE,
    &golden::HYBRID_COMPOSITION,
    &filesystem::WRITE_OUTSIDE_WORKDIR,
    &filesystem::STDLIB_TEMPFILE,
    &filesystem::SHELL_TEMP,
    &filesystem::INHERITED_TEMP,
];
