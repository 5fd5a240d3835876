//! `ranklint rules`: all rules, by group.

use std::fmt::Write as _;

use crate::meta;
use crate::rules::Group;

use super::args::{ListFormat, RulesArguments};
use super::{Exit, Failure, print};

/// Runs the command.
pub(super) fn run(arguments: &RulesArguments) -> Result<Exit, Failure> {
    print(&match arguments.output_format {
        ListFormat::Text => text(),
        ListFormat::Json => json(),
    })
}

fn text() -> String {
    let width = meta::all_rules().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for group in Group::ALL {
        let mut rules = meta::all_rules().filter(|rule| rule.group == group).peekable();
        if rules.peek().is_none() {
            continue;
        }
        let _ = writeln!(out, "{}: {}", group.name(), group.summary());
        for rule in rules {
            let _ = writeln!(out, "  {:width$}  {}", rule.name, rule.summary);
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn json() -> String {
    let rules: Vec<_> = meta::all_rules()
        .map(|rule| {
            serde_json::json!({
                "name": rule.name,
                "group": rule.group.name(),
                "summary": rule.summary,
                "severity": rule.severity,
                "rows": rule.rows,
                "verify": rule.verify.map(|probe| probe.name()),
            })
        })
        .collect();
    let mut text =
        serde_json::to_string_pretty(&serde_json::json!({ "version": 1, "rules": rules })).unwrap_or_default();
    text.push('\n');
    text
}
