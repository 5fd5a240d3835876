//! Functions that start the processes of the job: what stands in one of them is run once, before there are ranks.

use crate::model::{File, LocalFunction};

use super::confidence::Evidence;

/// What starts other processes, of whatever kind.
const STARTS: [&str; 5] = ["spawn", "Process", "start_processes", "Popen", "launch"];

/// What starts one process for each rank, with a function to run.
const STARTS_RANKS: [&str; 2] = ["spawn", "start_processes"];

/// Whether a function starts the processes of the job itself: before that there is one.
pub(super) fn launches(model: &File, function: LocalFunction) -> bool {
    mentions_one_of(model, function, &STARTS)
}

fn mentions_one_of(model: &File, function: LocalFunction, names: &[&str]) -> bool {
    model.function(function).mentions.iter().any(|name| names.contains(&name.as_str()))
}

impl Evidence<'_, '_> {
    /// Whether the question is asked where the ranks are started, and what they run is called there as well, for a job of
    /// one: who asks has no peers yet, or none at all.
    pub(super) fn is_asked_before_the_job(&self) -> bool {
        let Some(decision) = self.decision else { return false };
        let file = decision.site.file;
        let model = &self.engine.program.file(file).model;
        let around = self.engine.function_at(decision.site);
        let asks_there = around.is_some_and(|around| mentions_one_of(model, around, &STARTS_RANKS));
        let issued = self.engine.effects.event(self.main).site;
        asks_there && !self.engine.same_function(decision.site, issued)
    }
}
