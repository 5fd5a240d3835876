//! A run of the matrix as one file for a browser: no network, no script. Rows by arms, what was missed, and the O rows.

use std::io::{self, Write};

use serde_json::Value;

use super::codes;
use super::plot::{Plot, draw};
use crate::report::junit::escaped;
use crate::verify::matrix::{ArmKind, ArmOutcome, ArmReport, MatrixReport, RowReport};

const STYLE: &str = include_str!("style.css");
/// Nothing is loaded and nothing runs, even if something of the ranks' texts should slip through.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
/// The least overlap that the gate lets through.
const GATE: f64 = 0.30;

pub(super) fn render(report: &MatrixReport, out: &mut dyn Write) -> io::Result<()> {
    let counts = report.counts();
    let (word, tone) = match (counts.failed + counts.survivors, counts.blocked, counts.passed) {
        (1.., _, _) => ("failed", "bad"),
        (0, 0, 1..) => ("passed", "good"),
        _ => ("not run", "warn"),
    };
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">")?;
    writeln!(out, "<title>{word}: operator matrix</title>\n<style>\n{STYLE}</style>\n</head>\n<body>")?;
    writeln!(
        out,
        "<header>\n<span class=\"badge {tone}\">{word}</span>\n<h1>Operator matrix</h1>\n<dl class=\"facts\">"
    )?;
    let facts = [
        ("as they must be", counts.passed.to_string()),
        ("not", counts.failed.to_string()),
        ("not run", (counts.skipped + counts.blocked).to_string()),
        ("left behind", counts.survivors.to_string()),
        ("took", format!("{:.1} s", report.wall_us as f64 / 1e6)),
        ("runtime", report.runtime.clone()),
        ("started by", report.launcher.clone()),
        ("torch", report.torch.clone()),
    ];
    for (name, value) in facts {
        writeln!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", escaped(&value))?;
    }
    writeln!(out, "</dl>\n<pre class=\"again\">{}</pre>\n</header>", escaped(&report.command.join(" ")))?;
    missed(report, out)?;
    table(report, out)?;
    plots(report, out)?;
    writeln!(out, "</body>\n</html>")
}

fn missed(report: &MatrixReport, out: &mut dyn Write) -> io::Result<()> {
    let mut bad = report.arms().filter(|(_, arm)| is_bad(arm)).peekable();
    if bad.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "<h2>What is not as it must be</h2>")?;
    for (row, arm) in bad {
        let head = escaped(&format!("{} {} {}: {}", row.id, row.harness, arm.name, row.title));
        writeln!(out, "<section class=\"miss\">\n<h3>{head}</h3>\n<ul>")?;
        match &arm.outcome {
            ArmOutcome::Failed { missed } => {
                missed.iter().try_for_each(|miss| writeln!(out, "<li>{}</li>", escaped(&miss.text())))?;
            }
            outcome => writeln!(out, "<li>{}</li>", escaped(&outcome.why()))?,
        }
        let ends = escaped(&format!("exit codes {}; output in {}", codes(arm), arm.folder));
        writeln!(out, "</ul>\n<p class=\"soft\">{ends}</p>\n</section>")?;
    }
    Ok(())
}

fn table(report: &MatrixReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<h2>Rows and arms <small>exit codes of the ranks, – for one that the runner ended</small></h2>")?;
    writeln!(out, "<div class=\"scroll\"><table>\n<thead><tr><th>row</th><th>failure</th><th>tranche</th>")?;
    ArmKind::ALL.iter().try_for_each(|kind| writeln!(out, "<th>{}</th>", kind.name()))?;
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for row in &report.rows {
        let (id, harness, title) = (escaped(&row.id), escaped(&row.harness), escaped(&row.title));
        writeln!(out, "<tr><th>{id}</th><td>{title}<br><code>{harness}</code></td><td>{}</td>", row.tranche)?;
        for kind in ArmKind::ALL {
            writeln!(out, "<td>")?;
            row.arms.iter().filter(|arm| arm.kind == kind).try_for_each(|arm| cell(arm, out))?;
            writeln!(out, "</td>")?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div>")
}

fn cell(arm: &ArmReport, out: &mut dyn Write) -> io::Result<()> {
    let tone = match arm.outcome {
        ArmOutcome::Passed { .. } => "good",
        ArmOutcome::Failed { .. } => "bad",
        ArmOutcome::Skipped { .. } | ArmOutcome::Blocked { .. } => "warn",
    };
    let name = if arm.mutant.is_empty() { arm.name.clone() } else { format!("{}: {}", arm.name, arm.mutant) };
    let ends = codes(arm).replace('-', "–");
    let time = if arm.wall_us == 0 { String::new() } else { format!("{:.1} s", arm.wall_us as f64 / 1e6) };
    let why = escaped(&arm.outcome.why());
    let (name, look) = (escaped(&name), arm.look.name());
    let rest = escaped(&format!("{look} {ends} {time}"));
    let word = arm.outcome.name();
    writeln!(
        out,
        "<div class=\"arm {tone}\" title=\"{why}\"><b>{word}</b> {name} <span class=\"soft\">{rest}</span></div>"
    )
}

fn is_bad(arm: &ArmReport) -> bool {
    matches!(arm.outcome, ArmOutcome::Failed { .. } | ArmOutcome::Blocked { .. })
}

/// Depth against overlap and idle time, and every figure of the rows that measure.
fn plots(report: &MatrixReport, out: &mut dyn Write) -> io::Result<()> {
    let measured: Vec<(&RowReport, &ArmReport, &Value)> =
        report.arms().flat_map(|(row, arm)| arm.measurements.iter().map(move |figures| (row, arm, figures))).collect();
    if measured.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>Overlap of rank 0 with the mesh <small>medians over a steady window</small></h2>")?;
    let sweep = |field: &str| {
        let of_row = measured.iter().filter(|(row, arm, _)| row.harness == "o_pp0_d_sweep" && arm.mutant.is_empty());
        let mut points: Vec<(f64, f64)> =
            of_row.filter_map(|(_, _, figures)| Some((figures["d_in"].as_f64()?, figures[field].as_f64()?))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let (overlap, idle) = (sweep("score"), sweep("t_mesh_idle_ms"));
    if !overlap.is_empty() {
        let across = "depth of both queues";
        let limit = Some((GATE, "gate 0.30"));
        let overlap = Plot { title: "OverlapScore", across, points: &overlap, limit, top: 1.0 };
        let idle = Plot { title: "t_mesh_idle, milliseconds", across, points: &idle, limit: None, top: 10.0 };
        writeln!(out, "<div class=\"plots\">")?;
        for plot in [overlap, idle] {
            writeln!(out, "<figure><figcaption>{}</figcaption>\n{}</figure>", plot.title, draw(&plot))?;
        }
        writeln!(out, "</div>")?;
    }
    let fields = ["d_in", "d_out", "score", "period_ms", "stage0_ms", "stage1_ms", "t_mesh_idle_ms", "latency_ms"];
    writeln!(out, "<div class=\"scroll\"><table>\n<thead><tr><th>row</th><th>arm</th>")?;
    fields.iter().try_for_each(|field| writeln!(out, "<th>{field}</th>"))?;
    writeln!(out, "</tr></thead>\n<tbody>")?;
    for (row, arm, figures) in measured {
        write!(out, "<tr><th>{}</th><td>{}</td>", escaped(&row.id), escaped(&arm.name))?;
        for field in fields {
            let text = match (figures[field].as_u64(), figures[field].as_f64()) {
                (Some(whole), _) => whole.to_string(),
                (None, Some(number)) => format!("{number:.2}"),
                (None, None) => String::new(),
            };
            write!(out, "<td class=\"number\">{text}</td>")?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div>")
}
