//! Scripts of one process: what they call may communicate where there are peers, and they never join any.

use rustc_hash::FxHashSet;

use super::common::Common;
use crate::base::FunctionId;
use crate::graph::versions::JOINS;
use crate::model::FunctionKind;

/// What trains on several processes, and joins the job by itself.
const FRAMEWORKS: [&str; 7] =
    ["Trainer", "TrainingArguments", "Fabric", "Accelerator", "DistributedDataParallel", "hvd", "spawn"];

/// Functions looked at on the way up to those who call, and down to what they call.
const MAX_FUNCTIONS: usize = 200;

/// Calls down to what joins the job.
const MAX_DEPTH: usize = 4;

impl Common<'_> {
    /// Whether the function is run by scripts, as far as it is known who calls it, none of which joins a job of several
    /// processes on its way there or in what it calls.
    pub fn is_of_scripts_alone(&mut self, function: FunctionId) -> bool {
        let mut pending = vec![function];
        let mut seen = FxHashSet::from_iter([function]);
        let mut scripts = 0;
        while let Some(here) = pending.pop() {
            if seen.len() > MAX_FUNCTIONS || self.joins(here, MAX_DEPTH, &mut FxHashSet::default()) {
                return false;
            }
            let callers: Vec<FunctionId> = self.callers(here).into_iter().map(|(caller, _)| caller).collect();
            if callers.is_empty() {
                // Whoever nobody calls is called by somebody who is not seen, unless it is a script.
                let (file, local) = self.program.locate(here);
                if self.program.file(file).model.function(local).kind != FunctionKind::Module {
                    return false;
                }
                scripts += 1;
            }
            pending.extend(callers.into_iter().filter(|&caller| seen.insert(caller)));
        }
        scripts > 0
    }

    /// Whether a function joins the job, or calls what does: `init_distributed_mode`, not `is_dist_initialized`.
    fn joins(&mut self, function: FunctionId, depth: usize, seen: &mut FxHashSet<FunctionId>) -> bool {
        if seen.len() > MAX_FUNCTIONS || !seen.insert(function) {
            return false;
        }
        let by_name = |name: &str| name.contains("init") && name.contains("dist") && !name.contains("initialized");
        let says_so = self.program.function(function).mentions.iter().any(|name| {
            let name = name.as_str();
            JOINS.contains(&name) || FRAMEWORKS.contains(&name) || by_name(name)
        });
        says_so
            || depth > 0 && {
                let called = self.called(function);
                called.iter().any(|&(_, called)| self.joins(called, depth - 1, seen))
            }
    }
}
