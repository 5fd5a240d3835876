//! Which rules a run asks. A rule's own name weighs more than its group's, and the command line more than the file.

use crate::config::{Config, Named};
use crate::meta;
use crate::rules::Rule;
use crate::triage::Exemption;

use super::{Refusal, misconfigured};

/// How strongly a rule was chosen or refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Nothing,
    All,
    Group,
    Rule,
}

/// The rules to ask.
pub fn rules(config: &Config, select: &[String], ignore: &[String]) -> Result<Vec<&'static Rule>, Refusal> {
    let everything = ["all".to_owned()];
    let file_ignore = names(&config.ignore)?;
    let file_select = match &config.select {
        Some(select) => names(select)?,
        None => everything.to_vec(),
    };
    for (name, option) in
        select.iter().map(|name| (name, "--select")).chain(ignore.iter().map(|name| (name, "--ignore")))
    {
        if !meta::is_known(name) {
            return Err(unknown(name, &format!("{option}: ")));
        }
    }
    let chosen = if select.is_empty() { &file_select } else { select };
    Ok(meta::all_rules()
        .filter(|rule| {
            let selected = weight(rule, chosen);
            let named_now = weight(rule, select) == Weight::Rule;
            let refused = if named_now { Weight::Nothing } else { weight(rule, &file_ignore) };
            let refused = refused.max(weight(rule, ignore));
            // A file that cannot be understood is never passed over in silence, unless somebody says so by name.
            if meta::is_always_on(rule) { refused != Weight::Rule } else { selected > refused }
        })
        .collect())
}

/// The rules that the configuration silences in some files.
pub fn exemptions(config: &Config) -> Result<Vec<Exemption>, Refusal> {
    config
        .per_file_ignores
        .iter()
        .map(|entry| {
            let rules = names(&entry.rules)?.iter().flat_map(|name| meta::rules_named(name)).collect();
            Ok(Exemption { files: entry.files.clone(), rules })
        })
        .collect()
}

/// What to say of a name that is neither a rule nor a group.
pub fn unknown(name: &str, before: &str) -> Refusal {
    Refusal::new(format!("{before}`{name}` is neither a rule nor a group"), Some(help(name)))
}

fn help(name: &str) -> String {
    match meta::suggestion(name) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`ranklint rules` lists them".to_owned(),
    }
}

fn names(named: &[Named]) -> Result<Vec<String>, Refusal> {
    named
        .iter()
        .map(|named| {
            if !meta::is_known(&named.name) {
                let mut mistake = named.place.clone().help(Some(help(&named.name)));
                mistake.message = format!("`{}` is neither a rule nor a group", named.name);
                return Err(misconfigured(&mistake));
            }
            Ok(named.name.clone())
        })
        .collect()
}

fn weight(rule: &Rule, names: &[String]) -> Weight {
    let of = |name: &String| match name.as_str() {
        name if name == rule.name => Weight::Rule,
        name if name == rule.group.name() => Weight::Group,
        "all" => Weight::All,
        _ => Weight::Nothing,
    };
    names.iter().map(of).max().unwrap_or(Weight::Nothing)
}
