//! For people at a terminal: rows by arms, then whatever is not as it must be, then the count.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Rendering, codes};
use crate::finding::Severity;
use crate::report::text::{Paint, Style, push_line};
use crate::report::{counted, printable};
use crate::verify::matrix::{ArmKind, ArmOutcome, ArmReport, RowReport};

/// Columns of a cell with several arms.
const CELL: usize = 16;

pub(super) fn render(rendering: &Rendering<'_>, out: &mut dyn Write) -> io::Result<()> {
    let report = rendering.report;
    let paint = Paint::new(rendering.color);
    let mut text = String::new();
    let name = report.rows.iter().map(|row| row.harness.len()).max().unwrap_or(0);
    let head = ArmKind::ALL.map(|kind| format!("{:<CELL$}", kind.name())).concat();
    push_line(&mut text, &paint.paint(Style::Faint, format!("{:<6} {:<name$}  {head}", "row", "harness").trim_end()));
    for row in &report.rows {
        line(row, name, paint, &mut text);
        if rendering.ranks {
            ranks(row, &mut text);
        }
    }
    skips(rendering, paint, &mut text);
    for (row, arm) in report.arms() {
        if matches!(arm.outcome, ArmOutcome::Failed { .. } | ArmOutcome::Blocked { .. }) {
            complaint(row, arm, paint, &mut text);
        }
    }
    push_line(&mut text, "");
    push_line(&mut text, &sum(rendering, paint));
    write!(out, "{text}")
}

/// One row: a cell for each kind of arm.
fn line(row: &RowReport, name: usize, paint: Paint, out: &mut String) {
    let mut line = format!("{:<6} {:<name$}  ", row.id, row.harness);
    for kind in ArmKind::ALL {
        let (plain, painted) = cell(row.arms.iter().filter(|arm| arm.kind == kind), paint);
        line += &painted;
        line += &" ".repeat(CELL.saturating_sub(plain.chars().count()).max(1));
    }
    push_line(out, line.trim_end());
}

/// `ok 3  2.1 s`: how many arms are as they must be, and the time of the longest; anything else is named.
fn cell<'a>(arms: impl Iterator<Item = &'a ArmReport>, paint: Paint) -> (String, String) {
    let [mut passed, mut failed, mut skipped, mut blocked, mut longest] = [0; 5];
    for arm in arms {
        longest = longest.max(arm.wall_us);
        match arm.outcome {
            ArmOutcome::Passed { .. } => passed += 1,
            ArmOutcome::Failed { .. } => failed += 1,
            ArmOutcome::Skipped { .. } => skipped += 1,
            ArmOutcome::Blocked { .. } => blocked += 1,
        }
    }
    let times = |word: &str, count: u64| if count == 1 { word.to_owned() } else { format!("{word}×{count}") };
    let (word, style) = match (failed, blocked, passed, skipped) {
        (1.., _, _, _) => (times("FAILED", failed), Style::Primary(Severity::Error)),
        (_, 1.., _, _) => (times("blocked", blocked), Style::Primary(Severity::Warning)),
        (_, _, 1.., _) => (times("ok", passed), Style::Remedy),
        (_, _, _, 1..) => (times("skipped", skipped), Style::Faint),
        _ => return (String::new(), String::new()),
    };
    let time = if longest == 0 { String::new() } else { format!(" {:.1} s", longest as f64 / 1e6) };
    (format!("{word}{time}"), format!("{}{}", paint.paint(style, &word), paint.paint(Style::Faint, &time)))
}

/// How each rank of each arm has ended.
fn ranks(row: &RowReport, out: &mut String) {
    for arm in &row.arms {
        let last = arm.ends.iter().map(|end| end.seconds).fold(0.0, f64::max);
        let mutant = if arm.mutant.is_empty() { String::new() } else { format!(" ({})", arm.mutant) };
        let name = format!("{}{mutant}", arm.name);
        let ends = format!("{:<8} {:<9} [{}] {last:.1} s", arm.outcome.name(), arm.look.name(), codes(arm));
        let told = match &arm.outcome {
            ArmOutcome::Passed { told_by } if !told_by.is_empty() => format!("  {}", arm.outcome.why()),
            _ => String::new(),
        };
        push_line(out, printable(&format!("       {name:<44} {ends}{told}")).trim_end());
    }
}

/// What was skipped, by reason.
fn skips(rendering: &Rendering<'_>, paint: Paint, out: &mut String) {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for (row, arm) in rendering.report.arms() {
        let ArmOutcome::Skipped { why } = &arm.outcome else { continue };
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, rows)) if rows.last() == Some(&row.harness) => {}
            Some((_, rows)) => rows.push(row.harness.clone()),
            None => reasons.push((why, vec![row.harness.clone()])),
        }
    }
    if !reasons.is_empty() {
        push_line(out, "");
    }
    for (why, rows) in reasons {
        let word = paint.paint(Style::Primary(Severity::Warning), "skipped");
        push_line(out, &format!("{word}: {} ({})", printable(why), rows.join(", ")));
    }
}

/// What was missed, and where to look.
fn complaint(row: &RowReport, arm: &ArmReport, paint: Paint, out: &mut String) {
    push_line(out, "");
    let word = paint.paint(Style::Primary(Severity::Error), arm.outcome.name());
    let mutant = if arm.mutant.is_empty() { String::new() } else { format!(" ({})", arm.mutant) };
    let head = format!("{} {} {}{mutant}: {}", row.id, row.harness, arm.name, row.title);
    push_line(out, &format!("{word}: {}", paint.paint(Style::Strong, &printable(&head))));
    match &arm.outcome {
        ArmOutcome::Failed { missed } => {
            missed.iter().for_each(|miss| push_line(out, &format!("   {}", printable(&miss.text()))));
        }
        outcome => push_line(out, &format!("   {}", printable(&outcome.why()))),
    }
    if !arm.folder.is_empty() {
        push_line(out, &format!("   exit codes [{}]; output in {}", codes(arm), printable(&arm.folder)));
    }
}

fn sum(rendering: &Rendering<'_>, paint: Paint) -> String {
    let report = rendering.report;
    let counts = report.counts();
    let mut line = format!("{} as {} must be", counts.passed, if counts.passed == 1 { "it" } else { "they" });
    for (count, word) in [(counts.failed, "not"), (counts.blocked, "could not be run"), (counts.skipped, "skipped")] {
        if count > 0 {
            let _ = write!(line, ", {count} {word}");
        }
    }
    if counts.survivors > 0 {
        let _ = write!(line, ", {} left", counts.survivors);
    }
    let is_good = counts.failed == 0 && counts.blocked == 0 && counts.passed > 0 && counts.survivors == 0;
    let (word, style) = match is_good {
        true => ("passed", Style::Remedy),
        false if counts.failed > 0 || counts.survivors > 0 => ("failed", Style::Primary(Severity::Error)),
        false => ("not run", Style::Primary(Severity::Warning)),
    };
    let arms = counted(report.arms().count(), "arm");
    let rows = counted(report.rows.len(), "row");
    let beside = format!("{arms} of {rows}, {:.1} s, {}", report.wall_us as f64 / 1e6, report.launcher);
    format!("{}: {line}  {}", paint.paint(style, word), paint.paint(Style::Faint, &beside))
}
