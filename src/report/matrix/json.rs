//! One versioned object: the contract for tools.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::verify::matrix::outcome::Miss;
use crate::verify::matrix::{ArmOutcome, ArmReport, MatrixReport, RankEnd, RowReport};

/// Version of the object. It changes when a field goes or changes its meaning.
pub const VERSION: u32 = 1;

pub(super) fn render(report: &MatrixReport, out: &mut dyn Write) -> io::Result<()> {
    let counts = report.counts();
    let object = json!({
        "version": VERSION,
        "command": report.command,
        "runtime": report.runtime,
        "launcher": report.launcher,
        "interpreter": report.interpreter,
        "torch": report.torch,
        "wall_us": report.wall_us,
        "counts": {
            "passed": counts.passed,
            "failed": counts.failed,
            "skipped": counts.skipped,
            "blocked": counts.blocked,
            "survivors": counts.survivors,
        },
        "rows": report.rows.iter().map(row).collect::<Vec<_>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &object)?;
    writeln!(out)
}

fn row(row: &RowReport) -> Value {
    json!({
        "id": row.id,
        "title": row.title,
        "surface": row.surface,
        "tranche": row.tranche,
        "harness": row.harness,
        "rules": row.rules,
        "arms": row.arms.iter().map(arm).collect::<Vec<_>>(),
    })
}

fn arm(arm: &ArmReport) -> Value {
    let missed = match &arm.outcome {
        ArmOutcome::Passed { told_by: missed } | ArmOutcome::Failed { missed } => missed.as_slice(),
        ArmOutcome::Skipped { .. } | ArmOutcome::Blocked { .. } => &[],
    };
    let why = match &arm.outcome {
        ArmOutcome::Passed { .. } | ArmOutcome::Failed { .. } => String::new(),
        outcome => outcome.why(),
    };
    let miss = |miss: &Miss| json!({ "rank": miss.rank, "what": miss.what });
    let end = |end: &RankEnd| json!({ "code": end.code, "seconds": end.seconds });
    json!({
        "name": arm.name,
        "kind": arm.kind.name(),
        "mutant": arm.mutant,
        "outcome": arm.outcome.name(),
        "look": arm.look.name(),
        "missed": missed.iter().map(miss).collect::<Vec<_>>(),
        "why": why,
        "ends": arm.ends.iter().map(end).collect::<Vec<_>>(),
        "wall_us": arm.wall_us,
        "survivors": arm.survivors,
        "measurements": arm.measurements,
        "folder": arm.folder,
        "notes": arm.notes,
    })
}
