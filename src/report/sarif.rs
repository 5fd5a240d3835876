//! SARIF 2.1.0, for code scanning: rules with their pages, findings with the chain that leads to them.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Places, Report, fingerprint, printable, severity_name, story};
use crate::base::Site;
use crate::finding::{Confidence, Finding, Suppression};
use crate::rules::{RULES, Rule};

pub(super) const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn render(report: &Report<'_>, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    let silenced = report.silenced.iter().map(|silenced| &silenced.finding);
    // Counted together, so that two results of one log never have the same fingerprint.
    let names = fingerprint::of(report.findings.iter().chain(silenced), places);
    let (shown, silent) = names.split_at(report.findings.len());
    // The list is there for all results or for none (§3.27.23): an empty one says that nothing suppresses the result.
    let shown = report.findings.iter().zip(shown).map(|(finding, name)| result(finding, name, &[], places));
    let silent = (report.silenced.iter().zip(silent))
        .map(|(silenced, name)| result(&silenced.finding, name, &[suppression(&silenced.by)], places));
    let results: Vec<Value> = shown.chain(silent).collect();
    let rules: Vec<Value> = RULES.iter().map(|rule| descriptor(rule)).collect();
    let run = json!({
        "tool": { "driver": {
            "name": "ranklint",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        }},
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    let log = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

pub(super) fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.name,
        "shortDescription": { "text": rule.summary },
        "help": { "text": rule.page, "markdown": rule.page },
        "defaultConfiguration": { "level": severity_name(rule.severity) },
        "properties": { "tags": [rule.group.name()] },
    })
}

fn result(finding: &Finding, fingerprint: &str, suppressions: &[Value], places: &Places<'_>) -> Value {
    let mut result = json!({
        "ruleId": finding.rule,
        "level": severity_name(finding.severity),
        "message": { "text": story(finding, places) },
        "locations": [location(finding.site, None, places)],
        "partialFingerprints": { "ranklint/v1": fingerprint },
        "rank": rank(finding.confidence),
        "suppressions": suppressions,
        "properties": { "confidence": finding.confidence, "evidence": finding.evidence, "symbol": finding.symbol },
    });
    if let Some(index) = RULES.iter().position(|rule| rule.name == finding.rule) {
        result["ruleIndex"] = json!(index);
    }
    if !finding.related.is_empty() {
        let steps: Vec<Value> =
            (finding.related.iter()).map(|related| location(related.site, Some(&related.message), places)).collect();
        let flow: Vec<Value> = steps.iter().map(|step| json!({ "location": step })).collect();
        result["relatedLocations"] = json!(steps);
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
    }
    if let Some(fix) = &finding.fix {
        let changes: Vec<Value> = (fix.edits.chunk_by(|a, b| a.site.file == b.site.file))
            .map(|edits| {
                let replacements: Vec<Value> = (edits.iter())
                    .map(|edit| {
                        json!({
                            "deletedRegion": region(edit.site, places),
                            "insertedContent": { "text": edit.content },
                        })
                    })
                    .collect();
                json!({ "artifactLocation": artifact(edits[0].site, places), "replacements": replacements })
            })
            .collect();
        result["fixes"] = json!([{ "description": { "text": fix.message }, "artifactChanges": changes }]);
    }
    result
}

fn suppression(by: &Suppression) -> Value {
    let (kind, why) = match by {
        Suppression::Comment(reason) => ("inSource", printable(reason)),
        Suppression::Configuration => ("external", "the configuration exempts the file".to_owned()),
        Suppression::Baseline => ("external", "the baseline knows it".to_owned()),
    };
    let mut suppression = json!({ "kind": kind, "status": "accepted" });
    if !why.is_empty() {
        suppression["justification"] = json!(why);
    }
    suppression
}

fn location(site: Site, message: Option<&str>, places: &Places<'_>) -> Value {
    let place = json!({ "artifactLocation": artifact(site, places), "region": region(site, places) });
    match message {
        Some(text) => json!({ "physicalLocation": place, "message": { "text": text } }),
        None => json!({ "physicalLocation": place }),
    }
}

fn artifact(site: Site, places: &Places<'_>) -> Value {
    json!({ "uri": uri(places.path(site.file)) })
}

fn region(site: Site, places: &Places<'_>) -> Value {
    let range = places.range(site);
    json!({
        "startLine": range.start.line,
        "startColumn": range.start.column,
        "endLine": range.end.line,
        "endColumn": range.end.column,
    })
}

fn rank(confidence: Confidence) -> f64 {
    match confidence {
        Confidence::High => 90.0,
        Confidence::Medium => 60.0,
        Confidence::Low => 20.0,
    }
}

/// A relative path as a URI reference: everything but unreserved characters and slashes is percent-encoded.
pub(super) fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte as char),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
