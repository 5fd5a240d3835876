//! Preflight, commit, terminal action: what one process tells the others goes through one envelope.

mod ad_hoc_broadcast;
mod envelope;

pub use ad_hoc_broadcast::RULE as AD_HOC_BROADCAST;
