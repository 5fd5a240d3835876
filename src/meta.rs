//! The rules about ranklint's own comments and about files it cannot use. Their findings come from the layers around
//! the analysis; here are their names and pages, and the list of all rules with them in it.

use crate::finding::Severity;
use crate::rules::{Check, Group, RULES, Rule, group_named};

const fn meta(name: &'static str, summary: &'static str, severity: Severity, page: &'static str) -> Rule {
    Rule { name, group: Group::Meta, summary, severity, rows: &[], verify: None, page, check: Check::Elsewhere }
}

/// A file is not Python.
pub static SYNTAX_ERROR: Rule = meta(
    "syntax-error",
    "a file that Python cannot parse",
    Severity::Error,
    "# syntax-error\n\nThe file is not valid Python, or is nested too deeply to be read. What could be recovered of it is still \
     analysed, but findings may be missing: repair the syntax, or exclude the file.\n",
);

/// A file cannot be read or decoded.
pub static UNREADABLE_FILE: Rule = meta(
    "unreadable-file",
    "a file that cannot be read",
    Severity::Warning,
    "# unreadable-file\n\nThe file was found but not analysed: it may not be opened, is a link that leads nowhere, is too large, or is \
     not UTF-8 and declares no encoding (PEP 263). Mend it, or `exclude` it.\n",
);

/// A suppression without a list of rules.
pub static BARE_IGNORE: Rule = meta(
    "bare-ignore",
    "a suppression that names no rule",
    Severity::Warning,
    "# bare-ignore\n\nA suppression must say which rules it silences: `# ranklint: ignore[conditional-collective] -- reason`. \
     Without a list it silences nothing.\n",
);

/// A suppression that names something that is no rule.
pub static UNKNOWN_RULE_IN_IGNORE: Rule = meta(
    "unknown-rule-in-ignore",
    "a suppression of a rule that does not exist",
    Severity::Warning,
    "# unknown-rule-in-ignore\n\nThe name in brackets is neither a rule nor a group (`ranklint rules` lists both), so it silences nothing.\n",
);

/// A suppression that silences nothing.
pub static UNUSED_IGNORE: Rule = meta(
    "unused-ignore",
    "a suppression that silences nothing",
    Severity::Warning,
    "# unused-ignore\n\nNothing is found any more where this suppression stands: remove it, before it hides the next finding. \
     Rules that are not selected in a run are not counted as unused.\n",
);

/// A suppression without a reason, where reasons are required.
pub static MISSING_REASON: Rule = meta(
    "missing-reason",
    "a suppression without a reason",
    Severity::Warning,
    "# missing-reason\n\nWith `require-reason = true` every suppression says why: \
     `# ranklint: ignore[wrong-root] -- the root is rank 0 of every group`.\n",
);

static OWN: [&Rule; 6] =
    [&SYNTAX_ERROR, &UNREADABLE_FILE, &BARE_IGNORE, &UNKNOWN_RULE_IN_IGNORE, &UNUSED_IGNORE, &MISSING_REASON];

/// All rules, in the order in which they are listed to users.
pub fn all_rules() -> impl Iterator<Item = &'static Rule> {
    let own = OWN.iter().filter(|own| RULES.iter().all(|rule| rule.name != own.name));
    RULES.iter().chain(own).copied()
}

/// Whether the rule says that a file was not understood; such findings are made unless they are switched off by name.
pub fn is_always_on(rule: &Rule) -> bool {
    rule.name == SYNTAX_ERROR.name || rule.name == UNREADABLE_FILE.name
}

/// The rule of that name.
pub fn rule_named(name: &str) -> Option<&'static Rule> {
    all_rules().find(|rule| rule.name == name)
}

/// The rules that `name` selects: one rule, a group's rules, or `all`.
pub fn rules_named(name: &str) -> Vec<&'static Rule> {
    all_rules().filter(|rule| name == "all" || rule.name == name || rule.group.name() == name).collect()
}

/// Whether `name` is a rule, a group or `all`.
pub fn is_known(name: &str) -> bool {
    name == "all" || group_named(name).is_some() || rule_named(name).is_some()
}

/// The rule or group that was probably meant by `name`.
pub fn suggestion(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase().replace('_', "-");
    all_rules()
        .map(|rule| rule.name)
        .chain(Group::ALL.into_iter().map(Group::name))
        .map(|known| {
            (strsim::jaro_winkler(known, &name).max(strsim::normalized_damerau_levenshtein(known, &name)), known)
        })
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, known)| known)
}
