//! `ranklint explain`: the page of a rule, or the operator manual of a group with the pages of its rules.

use crate::meta;
use crate::project::unknown;
use crate::rules::group_named;

use super::args::ExplainArguments;
use super::{Exit, Failure, print};

/// Runs the command.
pub(super) fn run(arguments: &ExplainArguments) -> Result<Exit, Failure> {
    let name = arguments.name.trim();
    let rules = meta::rules_named(name);
    if !meta::is_known(name) {
        return Err(unknown(name, "").into());
    }
    let mut text = String::new();
    if let Some(group) = group_named(name) {
        text.push_str(&format!("{}: {}\n\n{}\n## Rules\n\n", group.name(), group.summary(), group.manual()));
        for rule in &rules {
            let rows = if rule.rows.is_empty() { String::new() } else { format!(" ({})", rule.rows.join(", ")) };
            text.push_str(&format!("- {}: {}{rows}\n", rule.name, rule.summary));
        }
        text.push_str("\n---\n\n");
    }
    let pages: Vec<&str> = rules.iter().map(|rule| rule.page.trim_end()).collect();
    text.push_str(&pages.join("\n\n---\n\n"));
    text.push('\n');
    print(&text)
}
