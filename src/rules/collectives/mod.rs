//! Every rank of the group issues the same collectives in the same order.
//!
//! The analysis has found where ranks part ways ([`Program::divergence`]); each rule words one sort of split.

use crate::base::{FunctionId, Site, Span};
use crate::finding::{Confidence, Finding, Related, Severity};
use crate::graph::{Issue, Program, Signalled, Skip, Split, SplitEvent, SplitKind};

use super::{Findings, Rule};

mod bound_on_one_rank;
mod collective_in_assert;
mod collective_in_handler;
mod collective_off_thread;
mod collective_order;
mod conditional_collective;
mod conditional_group_creation;
mod divergent_early_exit;
mod divergent_loop;
mod file_race;
mod rank_local_identity;
mod swallowed_failure;
mod unagreed_path;
mod unagreed_shape;
mod unawaited_collective;
mod unawaited_file;
mod unordered_iteration;
mod unpaired_p2p;
mod write_race;
mod wrong_group;
mod wrong_root;

pub use bound_on_one_rank::RULE as BOUND_ON_ONE_RANK;
pub use collective_in_assert::RULE as COLLECTIVE_IN_ASSERT;
pub use collective_in_handler::RULE as COLLECTIVE_IN_HANDLER;
pub use collective_off_thread::RULE as COLLECTIVE_OFF_THREAD;
pub use collective_order::RULE as COLLECTIVE_ORDER;
pub use conditional_collective::RULE as CONDITIONAL_COLLECTIVE;
pub use conditional_group_creation::RULE as CONDITIONAL_GROUP_CREATION;
pub use divergent_early_exit::RULE as DIVERGENT_EARLY_EXIT;
pub use divergent_loop::RULE as DIVERGENT_LOOP;
pub use file_race::RULE as FILE_RACE;
pub use rank_local_identity::RULE as RANK_LOCAL_IDENTITY;
pub use swallowed_failure::RULE as SWALLOWED_FAILURE;
pub use unagreed_path::RULE as UNAGREED_PATH;
pub use unagreed_shape::RULE as UNAGREED_SHAPE;
pub use unawaited_collective::RULE as UNAWAITED_COLLECTIVE;
pub use unawaited_file::RULE as UNAWAITED_FILE;
pub use unordered_iteration::RULE as UNORDERED_ITERATION;
pub use unpaired_p2p::RULE as UNPAIRED_P2P;
pub use write_race::RULE as WRITE_RACE;
pub use wrong_group::RULE as WRONG_GROUP;
pub use wrong_root::RULE as WRONG_ROOT;

/// How one sort of split is worded.
struct Wording {
    /// What is wrong, in one sentence.
    message: String,
    /// What stands at the condition where ranks part.
    condition: &'static str,
    /// What to do.
    help: String,
}

/// Places with the same mistake that are shown beside the first.
const MAX_SHOWN: usize = 2;

/// Shows further places of a function with the same mistake.
fn and_so_here(finding: &mut Finding, sites: &[Site]) {
    let more = sites.len().saturating_sub(MAX_SHOWN);
    for (place, &site) in sites.iter().enumerate().take(MAX_SHOWN) {
        let message = match more {
            1 if place + 1 == MAX_SHOWN => "and so here, and once more in this function".to_owned(),
            more if more > 1 && place + 1 == MAX_SHOWN => {
                format!("and so here, and at {more} other places of this function")
            }
            _ => "and so here".to_owned(),
        };
        finding.related.push(Related { site, message });
    }
}

/// Lines from a condition to an exit that is seen beside it.
const EXIT_IN_SIGHT: usize = 2;

/// Words every split of one kind.
fn word(program: &Program, rule: &Rule, kind: SplitKind, findings: &mut Findings, wording: fn(&Split) -> Wording) {
    let splits = &program.divergence().splits;
    for split in splits.iter().filter(|split| split.kind == kind) {
        let is_told = splits.iter().any(|first| follows(program, split, first) || inherits(program, split, first));
        if is_told || is_swallowed(program, split) {
            continue;
        }
        let mut finding = finding(program, rule, split, wording(split));
        let further =
            splits.iter().filter(|further| further.function == split.function && follows(program, further, split));
        let further = further.map(primary_site);
        let is_shown = |site: &Site| finding.site == *site || finding.related.iter().any(|shown| shown.site == *site);
        let mut further: Vec<Site> = further.filter(|site| !is_shown(site)).collect();
        further.sort_unstable_by_key(|site| (site.file, site.span.start));
        further.dedup();
        and_so_here(&mut finding, &further);
        findings.push(finding);
    }
}

/// Whether ranks part for the second time by what they have made of the first: who leaves a loop alone has counted fewer
/// turns behind it. Whoever calls the function inherits both.
fn follows(program: &Program, split: &Split, first: &Split) -> bool {
    let apart = split.set_apart.as_ref().map(|apart| apart.0);
    let born = |split: &Split| split.origin.as_ref().map(|origin| origin.0);
    apart.is_some()
        && first.decision.map(|decision| decision.site) == apart
        && (first.function == split.function || is_decided_in(program, split, first.function))
        && born(first) == born(split)
        && first.confidence >= split.confidence
}

/// Whether ranks part in a function that the split's own one calls, where that is told already.
fn inherits(program: &Program, split: &Split, first: &Split) -> bool {
    let decided = |split: &Split| split.decision.map(|decision| decision.site);
    first.function != split.function
        && decided(first) == decided(split)
        && is_decided_in(program, split, first.function)
        && first.confidence >= split.confidence.min(Confidence::Medium)
}

/// Whether ranks part where memory runs out in a pass that they are in together: the handler is told of that already.
fn is_swallowed(program: &Program, split: &Split) -> bool {
    let Some(decision) = split.decision else { return false };
    program.conduct().swallowed.iter().any(|known| {
        known.skip == Skip::Midway && known.hazard.site == decision.site && known.confidence >= split.confidence
    })
}

/// Whether the condition where ranks part stands in the function.
fn is_decided_in(program: &Program, split: &Split, function: FunctionId) -> bool {
    let (file, local) = program.locate(function);
    let around = program.file(file).model.function(local).span;
    split.decision.is_some_and(|decision| {
        let Site { file: at, span } = decision.site;
        at == file && around.start <= span.start && span.end <= around.end
    })
}

/// Where a split is shown: at the event, or at the outermost call that leads to it.
fn primary_site(split: &Split) -> Site {
    split.calls.first().map_or(split.event.site, |(site, _)| *site)
}

/// Decisions on a signal's flag, but for conditions that are reported already: they need no second word.
fn signalled(program: &Program) -> impl Iterator<Item = &Signalled> {
    program.conduct().signalled.iter().filter(|found| {
        !program.divergence().splits.iter().any(|split| {
            let there = split.decision.as_ref().is_some_and(|decision| decision.site == found.test);
            there && split.confidence >= Confidence::Medium
        })
    })
}

/// Whether there are other lines between a condition and the exit under it.
fn is_out_of_sight(program: &Program, condition: Site, exit: Site) -> bool {
    let lines = |from: u32, until: u32| {
        let between = program.text(condition.file, Span::new(from, until));
        between.bytes().filter(|&byte| byte == b'\n').count()
    };
    condition.file == exit.file
        && condition.span.end <= exit.span.start
        && lines(condition.span.end, exit.span.start) > EXIT_IN_SIGHT
}

/// The finding for a split: primary at the event, or at the outermost call that leads to it, then the origin of the
/// difference, what it goes through, the condition, and the calls down to the event.
fn finding(program: &Program, rule: &Rule, split: &Split, wording: Wording) -> Finding {
    let (file, local) = program.locate(split.function);
    let primary = primary_site(split);
    let mut finding = Findings::new_finding(rule, primary, program.symbol_of(file, local), wording.message)
        .help(wording.help)
        .confidence(split.confidence);
    for (site, reason) in split.origin.iter().chain(&split.set_apart) {
        finding = finding.because(*site, reason.clone());
    }
    if let Some(decision) = split.decision {
        finding = finding.because(decision.site, wording.condition);
        if let Some(exit) = split.leaves.filter(|&exit| is_out_of_sight(program, decision.site, exit)) {
            finding = finding.because(exit, "and this is where it leaves");
        }
    }
    for (index, (_, called)) in split.calls.iter().enumerate() {
        let last = index + 1 == split.calls.len();
        let target = if last { split.event.site } else { split.calls[index + 1].0 };
        let message = match last {
            true => format!("`{called}` issues `{}` on {} here", split.event.op, split.group),
            false => format!("`{called}` calls on here"),
        };
        finding = finding.because(target, message);
    }
    if let Some(instead) = split.instead
        && instead.site != primary
    {
        finding = finding.because(instead.site, format!("the others issue `{}` here", instead.op));
    }
    finding.witness = split.witness.clone();
    if program.file(file).is_test() {
        // A test knows how many ranks it runs on, and which.
        finding.confidence = finding.confidence.min(Confidence::Medium);
    }
    if split.decision.is_some_and(|decision| decision.is_assertion) {
        // An assertion that fails ends the job unless somebody catches it.
        finding.severity = Severity::Warning;
    }
    finding
}

/// The operation in words: `all_reduce`, or what hides it.
fn operation(split: &Split) -> String {
    match split.event {
        SplitEvent { sharded: true, .. } => {
            format!("`{}` communicates on {} where the model is sharded, and", split.event.op, split.group)
        }
        SplitEvent { implicit: true, .. } => format!("`{}` communicates on {} and", split.event.op, split.group),
        _ => format!("`{}` on {}", split.event.op, split.group),
    }
}

/// The calls that lead from a finding's primary place to the operation.
fn through(mut finding: Finding, issue: &Issue) -> Finding {
    for (index, (_, called)) in issue.calls.iter().enumerate() {
        let next = issue.calls.get(index + 1).map_or(issue.site, |(site, _)| *site);
        let message = match index + 1 == issue.calls.len() {
            true => format!("`{called}` issues `{}` here", issue.op),
            false => format!("`{called}` calls on here"),
        };
        finding = finding.because(next, message);
    }
    finding
}
