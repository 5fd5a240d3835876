//! SARIF 2.1.0: the place where ranks part as a result with a stack a side, and what the linter had said with the verdicts.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::junit::story;
use super::{View, words};
use crate::finding::Evidence;
use crate::report::sarif::{SCHEMA, descriptor, uri};
use crate::report::severity_name;
use crate::rules::RULES;
use crate::verify::event::Frame;
use crate::verify::outcome::{Outcome, Prediction};

pub(super) fn render(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let outcome = &view.report.outcome;
    let blocked = matches!(outcome, Outcome::Skipped { .. } | Outcome::Blocked { .. } | Outcome::Interrupted { .. });
    let passed = *outcome == Outcome::Passed;
    let mut rules: Vec<Value> = Vec::new();
    let mut results: Vec<Value> = Vec::new();
    if !passed && !blocked {
        rules.push(json!({
            "id": format!("verify/{}", outcome.name()),
            "shortDescription": { "text": meaning(outcome) },
            "defaultConfiguration": { "level": "error" },
            "properties": { "tags": ["verify"] },
        }));
        results.push(result(view));
    }
    for prediction in &view.report.predictions {
        let known = RULES.iter().find(|rule| rule.name == prediction.rule);
        if let Some(rule) = known
            && !rules.iter().any(|known| known["id"] == rule.name)
        {
            rules.push(descriptor(rule));
        }
        let index = rules.iter().position(|rule| rule["id"] == prediction.rule.as_str());
        results.push(predicted(prediction, known.map(|rule| severity_name(rule.severity)), index));
    }
    let mut invocation = json!({
        "executionSuccessful": !blocked,
        "commandLine": words::again(view.report),
        "properties": { "outcome": outcome.name(), "world": view.report.world, "launcher": view.report.launcher },
    });
    if blocked {
        let mut lines = vec![words::verdict(view.report).1];
        if let Outcome::Blocked { tried, remedy } = outcome {
            lines.extend(tried.iter().cloned());
            lines.push(format!("help: {remedy}"));
        }
        invocation["toolExecutionNotifications"] =
            json!([{ "level": "warning", "message": { "text": lines.join("\n") } }]);
    }
    let run = json!({
        "tool": { "driver": {
            "name": "ranklint",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        }},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
    });
    let log = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

/// What a rule `verify/…` stands for.
fn meaning(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Diverged(_) => "ranks issue different operations at the same place of a group's sequence",
        Outcome::Mismatched(_) => "ranks issue the same operation with parameters that do not fit each other",
        Outcome::Stranded(_) => "ranks wait for others that have ended or wait elsewhere",
        Outcome::Stalled { .. } => "nothing happens any more, and nothing in the logs says why",
        Outcome::TimedOut { .. } => "the run took longer than it may",
        Outcome::Leaked { .. } => "the program leaves processes behind",
        Outcome::Signalled { .. } => "a rank was ended by a signal",
        _ => "a rank ended with an exit code other than 0",
    }
}

fn result(view: &View<'_>) -> Value {
    let report = view.report;
    let message = format!("{}\n{}", words::verdict(report).1, story(view));
    let mut result = json!({
        "ruleId": format!("verify/{}", report.outcome.name()),
        "ruleIndex": 0,
        "level": "error",
        "message": { "text": message },
        "locations": [],
        "rank": 100.0,
        "properties": {
            "evidence": Evidence::Confirmed,
            "unpredicted": report.unpredicted,
            "world": report.world,
            "notes": report.notes,
        },
    });
    let Some(divergence) = report.outcome.divergence() else { return result };
    let mut related = Vec::new();
    let mut stacks = Vec::new();
    for side in &divergence.sides {
        let text = format!("{} {}", words::ranks(&side.ranks), words::doing(side, &divergence.group));
        let frames = words::frames(&side.doing);
        if let Some(frame) = frames.first() {
            related.push(location(view, frame, Some(&text)));
        }
        if !frames.is_empty() {
            let frames: Vec<Value> = frames.iter().map(|frame| stack_frame(view, frame)).collect();
            stacks.push(json!({ "message": { "text": text }, "frames": frames }));
        }
    }
    // The side to blame comes last.
    let blamed = divergence.sides.iter().rev().find_map(|side| words::frames(&side.doing).first());
    result["locations"] = json!(blamed.map(|frame| location(view, frame, None)).into_iter().collect::<Vec<_>>());
    result["relatedLocations"] = json!(related);
    result["stacks"] = json!(stacks);
    result["properties"]["differs"] = json!(divergence.differs);
    result["properties"]["group"] = json!(words::group(&divergence.group));
    result["properties"]["place"] = json!(words::place(divergence));
    result["properties"]["position"] = json!(divergence.position);
    result
}

fn predicted(prediction: &Prediction, level: Option<&str>, index: Option<usize>) -> Value {
    let level = match prediction.evidence {
        Evidence::Refuted => "note",
        _ => level.unwrap_or("warning"),
    };
    let why = if prediction.why.is_empty() { String::new() } else { format!("\nrun: {}", prediction.why) };
    let place = json!({
        "artifactLocation": { "uri": uri(&prediction.path) },
        "region": { "startLine": prediction.line.max(1) },
    });
    let mut result = json!({
        "ruleId": prediction.rule,
        "level": level,
        "message": { "text": format!("{}{why}", prediction.message) },
        "locations": [{ "physicalLocation": place }],
        "partialFingerprints": { "ranklint/v1": prediction.fingerprint },
        "properties": { "evidence": prediction.evidence, "why": prediction.why },
    });
    if let Some(index) = index {
        result["ruleIndex"] = json!(index);
    }
    result
}

fn location(view: &View<'_>, frame: &Frame, message: Option<&str>) -> Value {
    let path = view.path(&frame.path);
    // An absolute path is no relative reference.
    let uri = if path.starts_with('/') { format!("file://{}", uri(&path)) } else { uri(&path) };
    let place = json!({ "artifactLocation": { "uri": uri }, "region": { "startLine": frame.line.max(1) } });
    match message {
        Some(text) => json!({ "physicalLocation": place, "message": { "text": text } }),
        None => json!({ "physicalLocation": place }),
    }
}

fn stack_frame(view: &View<'_>, frame: &Frame) -> Value {
    let mut location = location(view, frame, None);
    if !frame.function.is_empty() {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": frame.function, "kind": "function" }]);
    }
    json!({ "location": location })
}
