//! JUnit XML: a suite a row, a case an arm. A skip is a skip, and what could not be run is an error.

use std::io::{self, Write};

use super::codes;
use crate::report::junit::escaped;
use crate::verify::matrix::{ArmOutcome, ArmReport, MatrixReport};

pub(super) fn render(report: &MatrixReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    let all = counts(report.arms().map(|(_, arm)| arm));
    writeln!(out, r#"<testsuites name="ranklint verify matrix" {all} time="{}">"#, seconds(report.wall_us))?;
    for row in &report.rows {
        let (id, harness) = (escaped(&row.id), escaped(&row.harness));
        writeln!(out, r#"  <testsuite name="{id} {harness}" {}>"#, counts(row.arms.iter()))?;
        for arm in &row.arms {
            case(&harness, arm, out)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn counts<'a>(arms: impl Iterator<Item = &'a ArmReport>) -> String {
    let [mut tests, mut failures, mut errors, mut skipped] = [0; 4];
    for arm in arms {
        tests += 1;
        match arm.outcome {
            ArmOutcome::Passed { .. } => {}
            ArmOutcome::Failed { .. } => failures += 1,
            ArmOutcome::Skipped { .. } => skipped += 1,
            ArmOutcome::Blocked { .. } => errors += 1,
        }
    }
    format!(r#"tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}""#)
}

fn case(harness: &str, arm: &ArmReport, out: &mut dyn Write) -> io::Result<()> {
    let (name, time) = (escaped(&arm.name), seconds(arm.wall_us));
    write!(out, r#"    <testcase name="{name}" classname="ranklint.matrix.{harness}" time="{time}""#)?;
    let why = escaped(&arm.outcome.why());
    match &arm.outcome {
        ArmOutcome::Passed { .. } => return writeln!(out, "/>"),
        ArmOutcome::Skipped { .. } => writeln!(out, ">\n      <skipped message=\"{why}\"/>")?,
        ArmOutcome::Failed { .. } => {
            let text = escaped(&format!("exit codes {}; output in {}", codes(arm), arm.folder));
            writeln!(out, ">\n      <failure type=\"failed\" message=\"{why}\">{text}</failure>")?;
        }
        ArmOutcome::Blocked { .. } => writeln!(out, ">\n      <error type=\"blocked\" message=\"{why}\"/>")?,
    }
    writeln!(out, "    </testcase>")
}

fn seconds(micros: u64) -> String {
    format!("{:.3}", micros as f64 / 1e6)
}
