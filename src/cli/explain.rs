//! `ranklint explain`: the page of a rule, or the operator manual of a group with the pages of its rules.

use std::path::Path;

use crate::meta;
use crate::project::unknown;
use crate::report::site;
use crate::rules::group_named;

use super::args::ExplainArguments;
use super::{Exit, Failure, print};

/// Runs the command.
pub(super) fn run(arguments: &ExplainArguments) -> Result<Exit, Failure> {
    if let Some(folder) = &arguments.site {
        return write_site(folder);
    }
    let name = arguments.name.as_deref().unwrap_or_default().trim();
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

/// Writes the pages of all rules as a site of plain files.
fn write_site(folder: &Path) -> Result<Exit, Failure> {
    write_files(folder).map_err(|error| {
        let help = "it must be a folder, or a name where one can be made".to_owned();
        Failure::usage(format!("cannot write the site to `{}`: {error}", folder.display()), Some(help))
    })?;
    Ok(Exit::Clean)
}

#[expect(clippy::disallowed_methods, reason = "the user named the folder to be written")]
fn write_files(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    site().into_iter().try_for_each(|(name, content)| std::fs::write(folder.join(name), content))
}
