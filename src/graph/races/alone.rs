//! Scripts of one process: what they call may communicate where there are peers, and they never join any.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::common::Common;
use super::conditions::may_ask_for_rank;
use crate::base::{FileId, FunctionId, Symbol};
use crate::graph::blocks::span_of;
use crate::graph::program::Program;
use crate::graph::taint::Taint;
use crate::graph::versions::JOINS;
use crate::model::{Block, Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_expression, each_statement};

/// What trains on several processes, and joins the job by itself.
const FRAMEWORKS: [&str; 9] = [
    "Trainer",
    "TrainingArguments",
    "Fabric",
    "Accelerator",
    "PartialState",
    "hvd",
    "jax",
    "launch_from_torch",
    "spawn",
];

/// Functions looked at on the way up to those who call, and down to what they call.
const MAX_FUNCTIONS: usize = 200;

/// Calls down to what joins the job.
const MAX_DEPTH: usize = 4;

/// What is known of the trees of a program in which that was asked.
#[derive(Default)]
pub(in crate::graph) struct Scripts<'p>(RefCell<FxHashMap<Symbol, Common<'p>>>);

impl<'p> Scripts<'p> {
    /// Whether only scripts run a function that never join a job.
    pub(in crate::graph) fn run_alone(&self, program: &'p Program, taint: &'p Taint, function: FunctionId) -> bool {
        let (file, _) = program.locate(function);
        let mut known = self.0.borrow_mut();
        let common = known.entry(program.tree_of(file)).or_insert_with(|| Common::of_tree(program, taint, file));
        common.is_of_scripts_alone(function)
    }
}

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
        let of_a_job =
            |name: &str| ["dist", "ddp", "megatron", "parallel", "mesh"].iter().any(|word| name.contains(word));
        let begins = |name: &str| ["init", "setup", "set_up", "launch"].iter().any(|word| name.contains(word));
        let by_name = |name: &str| begins(name) && of_a_job(name) && !name.contains("initialized");
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

/// Parts of names in questions whether there are several processes.
const OF_SEVERAL: [&str; 14] = [
    "distrib",
    "world",
    "rank",
    "gpu",
    "ddp",
    "fsdp",
    "deepspeed",
    "parallel",
    "multi",
    "accelerat",
    "hvd",
    "tpu",
    "standalone",
    "single",
];

/// Beginnings of such names: `dist_train` is one, `min_dist` a distance.
const OF_DIST: [&str; 3] = ["dist_", "is_dist", "use_dist"];

/// Whether a call stands in one arm of a question for several processes, and who comes to the other arm asks for the rank:
/// ranks are told apart there, and here there is one process.
pub(super) fn is_where_nobody_is_told_apart(
    common: &Common<'_>,
    file: FileId,
    function: LocalFunction,
    call: ExprId,
) -> bool {
    let (program, model) = (common.program, &common.program.file(file).model);
    let at = model.span(call);
    let holds = |block: Block| span_of(model, block).is_some_and(|span| span.holds(at));
    let asks = |block: Block| {
        let mut asks = false;
        each_statement(model, block, &mut |_, stmt| {
            if let Stmt::If { test, .. } = stmt {
                asks |= may_ask_for_rank(program, common.taint, (file, function), *test);
            }
        });
        asks
    };
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Stmt::If { test, body, orelse } = stmt
            && asks_for_several(model, *test)
        {
            found |= holds(*orelse) && asks(*body) && !asks(*orelse) || holds(*body) && asks(*orelse) && !asks(*body);
        }
    });
    found
}

fn asks_for_several(model: &File, test: ExprId) -> bool {
    let mut asks = false;
    each_expression(model, test, &mut |_, expr| {
        if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
            let name = name.as_str().to_ascii_lowercase();
            asks |= name == "dist"
                || OF_DIST.iter().any(|begin| name.starts_with(begin))
                || OF_SEVERAL.iter().any(|part| name.contains(part));
        }
    });
    asks
}
