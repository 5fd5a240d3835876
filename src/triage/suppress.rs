//! Applies the suppressions of all files to all findings, and says what is wrong with the suppressions.
//!
//! A suppression silences a finding when it covers the first or last line of the finding's own place, or the first
//! line of a place that belongs to its explanation (the condition, a call of the chain). `ignore-file` looks at the
//! finding's own file only.

use rustc_hash::FxHashMap;

use crate::analyze::FileRecord;
use crate::base::{FileId, LineIndex, Site, Span};
use crate::finding::{Edit, Finding, Fix};
use crate::meta;
use crate::rules::{Findings, Rule};

use super::directive::{Directive, Name, Reading, Verb, read};
use super::{Policy, Reasons, is_about_suppressions};

/// A suppression of some rules on some lines.
struct Cover {
    directive: Directive,
    own_line: bool,
    first: u32,
    last: u32,
    /// For each name: the rules it stands for, and whether it has silenced anything.
    names: Vec<(Name, Vec<&'static Rule>, bool)>,
}

/// The suppressions of one file.
struct FileCovers {
    lines: LineIndex,
    covers: Vec<Cover>,
}

/// The findings that remain, and those about the suppressions themselves.
pub(super) fn apply(findings: Vec<Finding>, files: &[FileRecord], policy: &Policy<'_>) -> (Vec<Finding>, Vec<Finding>) {
    let mut own = Vec::new();
    let mut covers: FxHashMap<FileId, FileCovers> = FxHashMap::default();
    for (index, file) in files.iter().enumerate().filter(|(_, file)| !file.comments.is_empty()) {
        let id = FileId(index as u32);
        covers.insert(id, covers_of(id, file, policy, &mut own));
    }
    if covers.is_empty() {
        return (findings, own);
    }
    let mut kept: Vec<Finding> =
        findings.into_iter().filter(|finding| !is_suppressed(finding, files, &mut covers)).collect();
    own.retain(|finding| !is_suppressed(finding, files, &mut covers));
    for (index, file) in files.iter().enumerate() {
        let id = FileId(index as u32);
        if let Some(of_file) = covers.get(&id) {
            let unused = of_file.covers.iter().filter_map(|cover| unused(id, file, of_file, cover, policy));
            own.extend(unused);
        }
    }
    kept.shrink_to_fit();
    (kept, own)
}

fn covers_of(id: FileId, file: &FileRecord, policy: &Policy<'_>, own: &mut Vec<Finding>) -> FileCovers {
    let lines = LineIndex::new(&file.text);
    let mut covers: Vec<Cover> = Vec::new();
    for comment in &file.comments {
        let report = |rule: &Rule, span: Span, message: String| {
            Findings::new_finding(rule, Site { file: id, span }, "", message)
        };
        let directive = match read(comment) {
            Reading::Directive(directive) => directive,
            Reading::Misspelt { span, verb, meant } => {
                let meant = meant.name();
                own.push(
                    report(&meta::BARE_IGNORE, span, format!("`{verb}` is no suppression and silences nothing"))
                        .help(format!("write `# ranklint: {meant}[RULE] -- REASON`")),
                );
                continue;
            }
            Reading::Prose => continue,
        };
        let line = lines.line(comment.span.start);
        if directive.verb == Verb::Enable {
            close(&mut covers, &directive, line);
            continue;
        }
        let verb = directive.verb.name();
        let Some(names) = &directive.names else {
            own.push(
                report(&meta::BARE_IGNORE, directive.span, format!("`{verb}` names no rule and silences nothing"))
                    .help(format!("write `# ranklint: {verb}[RULE] -- REASON`")),
            );
            continue;
        };
        if policy.reasons == Reasons::Required && !directive.has_reason {
            own.push(
                report(&meta::MISSING_REASON, directive.span, format!("this `{verb}` does not say why"))
                    .help("add ` -- ` and the reason"),
            );
        }
        let mut known = Vec::new();
        for name in names {
            if !meta::is_known(&name.text) {
                let message = format!("`{}` is neither a rule nor a group", name.text);
                let help = match meta::suggestion(&name.text) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "`ranklint rules` lists them".to_owned(),
                };
                own.push(report(&meta::UNKNOWN_RULE_IN_IGNORE, name.span, message).help(help));
            } else {
                known.push((name.clone(), meta::rules_named(&name.text), false));
            }
        }
        let (first, last) = match directive.verb {
            Verb::Line if comment.own_line => (line, next_code_line(&file.text, &lines, line)),
            Verb::Line => (line, line),
            Verb::Disable => (line, u32::MAX),
            Verb::File | Verb::Enable => (0, u32::MAX),
        };
        covers.push(Cover { directive, own_line: comment.own_line, first, last, names: known });
    }
    FileCovers { lines, covers }
}

/// `enable` ends the open ranges that share a name with it; without names, all of them.
fn close(covers: &mut [Cover], enable: &Directive, line: u32) {
    let ends = |cover: &Cover| match &enable.names {
        None => true,
        Some(names) => cover.names.iter().any(|(name, _, _)| names.iter().any(|ended| ended.text == name.text)),
    };
    for cover in covers {
        if cover.directive.verb == Verb::Disable && cover.last == u32::MAX && ends(cover) {
            cover.last = line;
        }
    }
}

/// The first line below that is more than a comment: suppressions on lines of their own can be stacked.
fn next_code_line(text: &str, lines: &LineIndex, line: u32) -> u32 {
    let mut next = line + 1;
    while next < lines.line_count() {
        let (start, end) = (lines.line_start(next) as usize, lines.line_start(next + 1) as usize);
        if !text[start..end].trim_start().starts_with('#') {
            break;
        }
        next += 1;
    }
    next
}

fn is_suppressed(finding: &Finding, files: &[FileRecord], covers: &mut FxHashMap<FileId, FileCovers>) -> bool {
    let mut suppressed = false;
    if let Some(of_file) = covers.get_mut(&finding.site.file) {
        let first = of_file.lines.line(finding.site.span.start);
        let last = last_line(&of_file.lines, &files[finding.site.file.index()].text, finding.site.span);
        suppressed |= mark(of_file, finding.rule, |cover| {
            cover.directive.verb == Verb::File || cover.holds(first) || cover.holds(last)
        });
    }
    for related in &finding.related {
        if let Some(of_file) = covers.get_mut(&related.site.file) {
            let line = of_file.lines.line(related.site.span.start);
            suppressed |= mark(of_file, finding.rule, |cover| cover.directive.verb != Verb::File && cover.holds(line));
        }
    }
    suppressed
}

/// The line of the last character of a span.
fn last_line(lines: &LineIndex, text: &str, span: Span) -> u32 {
    let inside = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    lines.line(span.start + (inside.trim_end().len() as u32).saturating_sub(1))
}

impl Cover {
    fn holds(&self, line: u32) -> bool {
        self.first <= line && line <= self.last
    }
}

/// Marks the names that silence `rule`; whether there are any.
fn mark(of_file: &mut FileCovers, rule: &str, reaches: impl Fn(&Cover) -> bool) -> bool {
    let mut any = false;
    for cover in &mut of_file.covers {
        if reaches(cover) {
            for (_, rules, used) in &mut cover.names {
                if rules.iter().any(|covered| covered.name == rule) {
                    *used = true;
                    any = true;
                }
            }
        }
    }
    any
}

fn unused(id: FileId, file: &FileRecord, of_file: &FileCovers, cover: &Cover, policy: &Policy<'_>) -> Option<Finding> {
    let idle: Vec<&Name> = cover
        .names
        .iter()
        .filter(|(_, rules, used)| {
            let asked = |rule: &&Rule| policy.selects(rule.name) && !is_about_suppressions(rule.name);
            !used && rules.iter().any(asked)
        })
        .map(|(name, _, _)| name)
        .collect();
    if idle.is_empty() {
        return None;
    }
    let listed: Vec<String> = idle.iter().map(|name| format!("`{}`", name.text)).collect();
    let verb = cover.directive.verb.name();
    let message = format!("this `{verb}` of {} silences nothing", listed.join(", "));
    let span = cover.directive.span;
    let whole = cover.directive.names.as_ref().is_some_and(|names| names.len() == idle.len());
    let (edit, help) = if whole {
        (removal(&file.text, of_file, cover), "remove the comment")
    } else {
        (shorter(&file.text, cover, &idle)?, "remove the names that are not needed")
    };
    // The end of a range would stay behind, so its start is not removed for the user.
    let fix = (cover.directive.verb != Verb::Disable).then(|| Fix {
        message: help.to_owned(),
        safe: true,
        edits: vec![Edit { site: Site { file: id, span: edit.0 }, content: edit.1 }],
    });
    let mut finding = Findings::new_finding(&meta::UNUSED_IGNORE, Site { file: id, span }, "", message).help(help);
    finding.fix = fix;
    Some(finding)
}

/// Takes the comment away: with its line where it has one of its own, with the space before it otherwise.
fn removal(text: &str, of_file: &FileCovers, cover: &Cover) -> (Span, String) {
    let span = cover.directive.span;
    let line_start = of_file.lines.line_start(of_file.lines.line(span.start));
    let before = &text[line_start as usize..span.start as usize];
    if cover.own_line && before.trim().is_empty() {
        let tail = &text[span.end as usize..];
        let line_end = if tail.starts_with("\r\n") { 2 } else { u32::from(!tail.is_empty()) };
        (Span::new(line_start, span.end + line_end), String::new())
    } else {
        (Span::new(line_start + before.trim_end().len() as u32, span.end), String::new())
    }
}

/// Writes the list of names without the idle ones.
fn shorter(text: &str, cover: &Cover, idle: &[&Name]) -> Option<(Span, String)> {
    let names = cover.directive.names.as_ref()?;
    let span = Span::new(names.first()?.span.start, names.last()?.span.end);
    let left: Vec<&str> = names.iter().filter(|name| !idle.contains(name)).map(|name| name.text.as_str()).collect();
    text.get(span.start as usize..span.end as usize)?;
    Some((span, left.join(", ")))
}
