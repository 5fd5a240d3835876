//! Applies the suppressions of all files to all findings, and says what is wrong with the suppressions.
//!
//! A suppression silences a finding when it covers the first or last line of the finding's own place, or the first
//! line of a place that belongs to its explanation (the condition, a call of the chain). `ignore-file` looks at the
//! finding's own file only.

use rustc_hash::FxHashMap;

use crate::analyze::FileRecord;
use crate::base::{FileId, LineIndex, Site, Span};
use crate::finding::{Edit, Finding, Fix, Suppressed, Suppression};
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

/// What the suppressions make of the findings.
pub(super) struct Sorted {
    /// Those that remain, and those about the suppressions themselves.
    pub kept: Vec<Finding>,
    /// Those that a comment silences.
    pub silenced: Vec<Suppressed>,
    /// How many a comment silences of those that the rules found.
    pub by_comments: usize,
}

/// Sorts out the findings, and adds those about the suppressions themselves.
pub(super) fn apply(findings: Vec<Finding>, files: &[FileRecord], policy: &Policy<'_>) -> Sorted {
    let mut own = Vec::new();
    let mut covers: FxHashMap<FileId, FileCovers> = FxHashMap::default();
    for (index, file) in files.iter().enumerate().filter(|(_, file)| !file.comments.is_empty()) {
        let id = FileId(index as u32);
        covers.insert(id, covers_of(id, file, policy, &mut own));
    }
    if covers.is_empty() {
        return Sorted { kept: findings, silenced: Vec::new(), by_comments: 0 };
    }
    let mut silenced = Vec::new();
    let mut loud = |findings: Vec<Finding>, covers: &mut FxHashMap<FileId, FileCovers>| {
        let mut kept = Vec::with_capacity(findings.len());
        for finding in findings {
            match suppressing(&finding, files, covers) {
                None => kept.push(finding),
                Some(reason) => silenced.push(Suppressed { finding, by: Suppression::Comment(reason) }),
            }
        }
        kept
    };
    let found = findings.len();
    let mut kept = loud(findings, &mut covers);
    let by_comments = found - kept.len();
    kept.extend(loud(own, &mut covers));
    for (index, file) in files.iter().enumerate() {
        let id = FileId(index as u32);
        if let Some(of_file) = covers.get(&id) {
            let unused = of_file.covers.iter().filter_map(|cover| unused(id, file, of_file, cover, policy));
            kept.extend(unused);
        }
    }
    kept.shrink_to_fit();
    Sorted { kept, silenced, by_comments }
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
        if policy.reasons == Reasons::Required && directive.reason.is_empty() {
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

/// The reason of the comment that silences the finding, empty where it gives none; absent where nothing silences it.
fn suppressing(finding: &Finding, files: &[FileRecord], covers: &mut FxHashMap<FileId, FileCovers>) -> Option<String> {
    let mut reasons: Vec<String> = Vec::new();
    if let Some(of_file) = covers.get_mut(&finding.site.file) {
        let first = of_file.lines.line(finding.site.span.start);
        let last = last_line(&of_file.lines, &files[finding.site.file.index()].text, finding.site.span);
        reasons.extend(mark(of_file, finding.rule, |cover| {
            cover.directive.verb == Verb::File || cover.holds(first) || cover.holds(last)
        }));
    }
    for related in &finding.related {
        if let Some(of_file) = covers.get_mut(&related.site.file) {
            let line = of_file.lines.line(related.site.span.start);
            let holds = |cover: &Cover| cover.directive.verb != Verb::File && cover.holds(line);
            reasons.extend(mark(of_file, finding.rule, holds));
        }
    }
    let said = reasons.iter().find(|reason| !reason.is_empty());
    said.or(reasons.first()).cloned()
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

/// Marks the names that silence `rule`; the reason of the first comment that has one, empty where none has.
fn mark(of_file: &mut FileCovers, rule: &str, reaches: impl Fn(&Cover) -> bool) -> Option<String> {
    let mut reason: Option<&str> = None;
    for cover in &mut of_file.covers {
        if !reaches(cover) {
            continue;
        }
        for (_, rules, used) in &mut cover.names {
            if rules.iter().any(|covered| covered.name == rule) {
                *used = true;
                reason = reason.filter(|reason| !reason.is_empty()).or(Some(&cover.directive.reason));
            }
        }
    }
    reason.map(str::to_owned)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Confidence, Severity};
    use crate::model::Comment;
    use crate::rules::RULES;

    /// Files of lines, each with at most one comment.
    fn records(texts: &[&str]) -> Vec<FileRecord> {
        let record = |(index, text): (usize, &&str)| {
            let mut at = 0;
            let comments = text.split_inclusive('\n').filter_map(|line| {
                let start = at + line.find('#').unwrap_or(0);
                let own_line = line[..start - at].trim().is_empty();
                at += line.len();
                let comment = &text[start..at].trim_end();
                let span = Span::new(start as u32, (start + comment.len()) as u32);
                line.contains('#').then(|| Comment { span, text: (*comment).into(), own_line })
            });
            FileRecord { path: format!("{index}.py"), text: (*text).into(), comments: comments.collect() }
        };
        texts.iter().enumerate().map(record).collect()
    }

    /// What becomes of findings, given as the files and lines of each: its own place first, then those of its explanation.
    /// The rules that are told, with their lines, and how many findings are silenced by comments.
    fn sorted(texts: &[&str], findings: &[&[(u32, u32)]]) -> (Vec<(&'static str, u32)>, usize) {
        let files = records(texts);
        let site = |&(file, line): &(u32, u32)| {
            let start = LineIndex::new(texts[file as usize]).line_start(line);
            Site { file: FileId(file), span: Span::new(start, start + 1) }
        };
        let findings = findings.iter().map(|places| {
            let finding = Findings::new_finding(RULES[0], site(&places[0]), "", "it may differ");
            places[1..].iter().fold(finding, |finding, place| finding.because(site(place), "here"))
        });
        let rules: Vec<&'static Rule> = meta::all_rules().collect();
        let policy = Policy {
            cwd: std::path::Path::new("/"),
            rules: &rules,
            exemptions: &[],
            reasons: Reasons::Optional,
            min_confidence: Confidence::Low,
            min_severity: Severity::Note,
        };
        let sorted = apply(findings.collect(), &files, &policy);
        let line = |finding: &Finding| LineIndex::new(texts[finding.site.file.index()]).line(finding.site.span.start);
        (sorted.kept.iter().map(|finding| (finding.rule, line(finding))).collect(), sorted.by_comments)
    }

    #[test]
    fn a_suppression_that_silences_nothing_is_told() {
        let rule = RULES[0].name;
        let text = format!("f()  # ranklint: ignore[{rule}] -- why\ng()  # ranklint: ignore[{rule}] -- why\n");
        assert_eq!(sorted(&[&text], &[&[(0, 1)]]), (vec![("unused-ignore", 2)], 1));
        assert_eq!(sorted(&[&text], &[&[(0, 1)], &[(0, 2)]]), (vec![], 2));
    }

    #[test]
    fn only_what_rules_have_found_is_counted() {
        let text = "f()  # ranklint: ignore\ng()\n# ranklint: ignore-file[bare-ignore] -- why\n";
        assert_eq!(sorted(&[text], &[&[(0, 2)]]), (vec![(RULES[0].name, 2)], 0));
    }

    #[test]
    fn explanations_are_silenced_by_their_lines_and_not_by_their_files() {
        let rule = RULES[0].name;
        let line = format!("f()  # ranklint: ignore[{rule}] -- why\n");
        assert_eq!(sorted(&["g()\n", &line], &[&[(0, 1), (1, 1)]]), (vec![], 1));
        let file = format!("f()\n# ranklint: ignore-file[{rule}] -- why\n");
        assert_eq!(
            sorted(&["g()\n", &file], &[&[(0, 1), (1, 1)]]),
            (vec![(rule, 1), ("unused-ignore", 2)], 0),
            "the file of the finding itself counts"
        );
    }
}
