//! `oversized-time-out`: a group's time-out is so long that a hang outlives whoever watches.

use crate::base::FileId;
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::model::{Constant, Expr, ExprId, LocalFunction};
use crate::rules::calls::{argument, calls_named, keyword, symbols};
use crate::rules::{Check, Findings, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "oversized-time-out",
    group: Group::Harness,
    summary: "a process group's time-out of hours",
    severity: Severity::Note,
    rows: &[],
    verify: None,
    page: include_str!("../../../rules/harness/oversized-time-out.md"),
    check: Check::File(check),
};

/// Seconds from which a time-out is worth a word.
const LONG: i64 = 2 * 3600;

/// Units of `timedelta`, in the order of its parameters, in seconds.
const UNITS: [(&str, i64, usize); 5] =
    [("days", 86_400, 0), ("seconds", 1, 1), ("minutes", 60, 4), ("hours", 3600, 5), ("weeks", 604_800, 6)];

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let model = &program.file(file).model;
    for call in calls_named(program, file, &symbols(["init_process_group", "new_group"])) {
        let Some(name) = call.callee(program) else { continue };
        let position = match name.as_str() {
            "torch.distributed.init_process_group" => 2,
            "torch.distributed.new_group" => 1,
            _ => continue,
        };
        let Some(given) = argument(model, call.call, Some(position), "timeout") else { continue };
        let Some(seconds) = seconds(program, file, call.function, given, 4).filter(|&seconds| seconds >= LONG) else {
            continue;
        };
        findings.push(
            Findings::new_finding(
                &RULE,
                call.site_of(model, given),
                program.symbol_of(file, call.function),
                format!("a hang is found after {} hours at the earliest", seconds / 3600),
            )
            .confidence(if program.protocol().covers(file) { Confidence::Medium } else { Confidence::Low })
            .help("give the one slow step a group of its own with a long time-out, and keep the others short"),
        );
    }
}

/// The seconds that a `timedelta` comes to, where the source says so.
fn seconds(program: &Program, file: FileId, function: LocalFunction, expr: ExprId, fuel: u32) -> Option<i64> {
    let fuel = fuel.checked_sub(1)?;
    let model = &program.file(file).model;
    match model.expr(expr) {
        Expr::Name(name) => {
            let value = program.single_assignment(file, function, name)?;
            seconds(program, file, function, value, fuel)
        }
        Expr::Call(index) => {
            let call = model.call(index);
            let named = program.resolve(file, function, call.callee)?;
            if named.last_part().as_str() != "timedelta" {
                return None;
            }
            let mut sum: i64 = 0;
            for (unit, factor, position) in UNITS {
                let given = keyword(model, call, unit).or_else(|| model.list(call.args).get(position).copied());
                let Some(given) = given else { continue };
                sum = sum.saturating_add(number(program, file, function, given)?.saturating_mul(factor));
            }
            Some(sum)
        }
        _ => None,
    }
}

fn number(program: &Program, file: FileId, function: LocalFunction, expr: ExprId) -> Option<i64> {
    let model = &program.file(file).model;
    if let Expr::Binary(crate::model::BinaryOp::Mul, left, right) = model.expr(expr) {
        return number(program, file, function, left)?.checked_mul(number(program, file, function, right)?);
    }
    match program.constant(file, function, expr)? {
        Constant::Int(value) => Some(value),
        _ => None,
    }
}
