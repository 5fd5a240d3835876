//! Preflight, commit, terminal action: what one process tells the others goes through one envelope.

mod ad_hoc_broadcast;
mod common;
mod envelope;
mod incomplete_envelope;
mod leader_unvalidated_broadcast;
mod missing_drift_tripwire;
mod missing_override_fallback;
mod missing_terminal_action;
mod nondeterministic_meta;
mod preflight_after_commit;
mod stale_override;
mod unbounded_queue;
mod unchecked_epoch;
mod unchecked_group;
mod unchecked_plan;
mod unwatched_worker_loop;

pub use ad_hoc_broadcast::RULE as AD_HOC_BROADCAST;
pub use incomplete_envelope::RULE as INCOMPLETE_ENVELOPE;
pub use leader_unvalidated_broadcast::RULE as LEADER_UNVALIDATED_BROADCAST;
pub use missing_drift_tripwire::RULE as MISSING_DRIFT_TRIPWIRE;
pub use missing_override_fallback::RULE as MISSING_OVERRIDE_FALLBACK;
pub use missing_terminal_action::RULE as MISSING_TERMINAL_ACTION;
pub use nondeterministic_meta::RULE as NONDETERMINISTIC_META;
pub use preflight_after_commit::RULE as PREFLIGHT_AFTER_COMMIT;
pub use stale_override::RULE as STALE_OVERRIDE;
pub use unbounded_queue::RULE as UNBOUNDED_QUEUE;
pub use unchecked_epoch::RULE as UNCHECKED_EPOCH;
pub use unchecked_group::RULE as UNCHECKED_GROUP;
pub use unchecked_plan::RULE as UNCHECKED_PLAN;
pub use unwatched_worker_loop::RULE as UNWATCHED_WORKER_LOOP;
