//! Ranks that name different roots, and roots that are no members of the group.

use crate::base::Symbol;
use crate::finding::{Confidence, Finding, Fix, Severity};
use crate::graph::{ForeignRoot, Program, SplitKind};
use crate::model::Expr;
use crate::rules::calls::keyword;
use crate::rules::fixes::{Safety, expression_at, fix, replacement, text_at};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Wording, and_so_here, word};

/// The rule.
pub static RULE: Rule = Rule {
    name: "wrong-root",
    group: Group::Collectives,
    summary: "a literal or group-local rank as `src` or `dst` of a subgroup collective, or a root that differs by rank",
    severity: Severity::Error,
    rows: &["OM-08"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/wrong-root.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    word(program, &RULE, SplitKind::WrongRoot, findings, |split| Wording {
        message: format!("ranks name different roots for `{}` on {}", split.event.op, split.group),
        condition: "ranks part here",
        help: "every rank of the group must pass the same `src` or `dst`".to_owned(),
    });
    let divergence = program.divergence();
    // The same mistake, seen as roots that differ, is told already.
    let is_told = |root: &ForeignRoot| {
        divergence.splits.iter().any(|split| split.kind == SplitKind::WrongRoot && split.event.site == root.site)
    };
    let mut mistakes: Vec<Vec<&ForeignRoot>> = Vec::new();
    for root in divergence.foreign_roots.iter().filter(|root| !is_told(root)) {
        let same = |other: &ForeignRoot| other.function == root.function && other.message == root.message;
        match mistakes.iter_mut().find(|mistake| same(mistake[0])) {
            Some(mistake) => mistake.push(root),
            None => mistakes.push(vec![root]),
        }
    }
    for roots in mistakes {
        findings.push(foreign(program, &roots));
    }
}

/// One finding for the calls of a function that all make the same mistake.
fn foreign(program: &Program, roots: &[&ForeignRoot]) -> Finding {
    let root = roots[0];
    let (file, local) = program.locate(root.function);
    let mut finding = Findings::new_finding(&RULE, root.site, program.symbol_of(file, local), root.message.clone())
        .confidence(root.confidence);
    if root.confidence != Confidence::High && program.file(file).is_test() {
        // A test lays out its own job, mostly so that the group holds the root.
        finding.confidence = Confidence::Low;
    }
    finding.help = format!(
        "`{}` counts ranks of the whole job: pass dist.get_global_rank(group, 0), or the group-relative `group_{}`",
        root.parameter, root.parameter
    );
    if root.confidence == Confidence::Medium {
        finding.severity = Severity::Warning;
    }
    and_so_here(&mut finding, &roots[1..].iter().map(|also| also.site).collect::<Vec<_>>());
    finding.fix = roots.iter().filter_map(|root| group_relative(program, root)).reduce(|mut whole, fix| {
        whole.edits.extend(fix.edits);
        whole
    });
    finding
}

/// `src=0` on a subgroup becomes `group_src=0`: the first member of every group, which is what such a zero is meant to be. It
/// is another rank than before, so somebody has to look at it.
fn group_relative(program: &Program, root: &ForeignRoot) -> Option<Fix> {
    let model = &program.file(root.site.file).model;
    let Expr::Call(index) = model.expr(expression_at(model, root.site.span)?) else { return None };
    let call = model.call(index);
    let parameter = root.parameter.as_str();
    if !matches!(parameter, "src" | "dst") || !takes_group_rank(program, root, call.callee) {
        return None;
    }
    let value = keyword(model, call, parameter)?;
    let grouped = format!("group_{parameter}");
    if model.expr(value) != Expr::Int(0) || keyword(model, call, &grouped).is_some() {
        return None;
    }
    // From the name to the value, so that nothing but `src = 0` can be meant.
    let site = crate::base::Site { file: root.site.file, span: model.span(value) };
    let before = program.file(site.file).text.get(..site.span.start as usize)?;
    let start = before.trim_end().strip_suffix('=')?.trim_end().strip_suffix(parameter)?.len() as u32;
    let span = crate::base::Span::new(start, site.span.end);
    let message = format!("name the root by its rank in the group: `{grouped}=0`");
    Some(fix(
        Safety::Unsafe,
        message,
        vec![replacement(site.file, span, format!("{grouped}={}", text_at(program, site)?))],
    ))
}

/// The operations of torch that have a parameter for the rank within the group.
fn takes_group_rank(program: &Program, root: &ForeignRoot, callee: crate::model::ExprId) -> bool {
    let (_, function) = program.locate(root.function);
    let operations = ["broadcast", "reduce", "gather", "scatter", "broadcast_object_list", "gather_object"];
    let name = program.resolve(root.site.file, function, callee);
    name.and_then(|name: Symbol| name.as_str().strip_prefix("torch.distributed.").map(|last| last.to_owned()))
        .is_some_and(|last| operations.contains(&last.rsplit('.').next().unwrap_or_default()))
}
