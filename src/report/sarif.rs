//! SARIF 2.1.0, for code scanning: rules with their pages, findings with the chain that leads to them.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Places, Report, fingerprints, severity_name, story};
use crate::base::Site;
use crate::finding::{Confidence, Finding};
use crate::rules::{RULES, Rule};

pub(super) const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn render(report: &Report<'_>, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    let names = fingerprints(report.findings, places);
    let results: Vec<Value> =
        report.findings.iter().zip(names).map(|(finding, name)| result(finding, &name, places)).collect();
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

fn result(finding: &Finding, fingerprint: &str, places: &Places<'_>) -> Value {
    let mut result = json!({
        "ruleId": finding.rule,
        "level": severity_name(finding.severity),
        "message": { "text": story(finding, places) },
        "locations": [location(finding.site, None, places)],
        "partialFingerprints": { "ranklint/v1": fingerprint },
        "rank": rank(finding.confidence),
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
