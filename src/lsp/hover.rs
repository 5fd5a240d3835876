//! What is said about the place under the cursor: a finding's whole story, a rule's page, what a function issues.

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Range};

use super::answer::page_of;
use super::convert::Lines;
use super::outcome::Outcome;
use crate::base::{FileId, Span};
use crate::finding::Finding;
use crate::meta;
use crate::report::{Places, story};
use crate::rules::{Rule, group_named};

/// A rule or group named in a suppression, with its place.
pub(super) fn named_at(text: &str, offset: u32) -> Option<(Span, &str)> {
    let at = (offset as usize).min(text.len());
    let start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let line = text.get(start..)?.lines().next()?;
    let marker = line.find("ranklint:")?;
    line[..marker].contains('#').then_some(())?;
    let open = marker + line[marker..].find('[')?;
    let close = open + line[open..].find(']')?;
    let within = at - start;
    if within <= open || within > close {
        return None;
    }
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let first = line[..within].rfind(|letter| !is_name(letter)).map_or(0, |before| before + 1);
    let length = line[first..].find(|letter| !is_name(letter)).unwrap_or(line.len() - first);
    let span = Span::new((start + first) as u32, (start + first + length) as u32);
    (length > 0).then(|| (span, &line[first..first + length]))
}

/// What a name in a suppression stands for.
pub(super) fn of_name(name: &str) -> Option<String> {
    if let Some(rule) = meta::rule_named(name) {
        return Some(page(rule));
    }
    let group = group_named(name)?;
    let mut text = format!("**{}**: {}\n", group.name(), group.summary());
    for rule in meta::rules_named(name) {
        text += &format!("\n- `{}`: {}", rule.name, rule.summary);
    }
    Some(text)
}

/// What is to be said about the findings at a place.
pub(super) fn of_findings(findings: &[&Finding], outcome: &Outcome) -> Option<String> {
    let places = Places::new(outcome);
    let mut parts = Vec::new();
    for finding in findings {
        // The story is plain text: nothing in it is meant as Markdown.
        parts.push(format!("**{}**\n\n{}", finding.rule, fenced(&story(finding, &places))));
    }
    let mut rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
    rules.dedup();
    parts.extend(rules.iter().filter_map(|name| meta::rule_named(name)).map(page));
    (!parts.is_empty()).then(|| parts.join("\n\n---\n\n"))
}

/// The findings whose own place holds the offset.
pub(super) fn findings_at(outcome: &Outcome, file: FileId, offset: u32) -> Vec<&Finding> {
    let holds = |span: Span| span.start <= offset && offset <= span.end;
    outcome.findings_in(file).filter(|finding| holds(finding.site.span)).collect()
}

/// What a function issues, as a part of a hover.
pub(super) fn of_trace(text: &str) -> String {
    format!("**What it issues**\n\n{}", fenced(text))
}

pub(super) fn hover(text: String, span: Option<Span>, lines: &Lines<'_>, up: u32) -> Hover {
    let range = span.map(|span| {
        let range = lines.range(span);
        let moved = |mut position: lsp_types::Position| {
            position.line = position.line.saturating_sub(up);
            position
        };
        Range::new(moved(range.start), moved(range.end))
    });
    Hover { contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: text }), range }
}

fn page(rule: &Rule) -> String {
    match page_of(rule.name) {
        Some(uri) => format!("{}\n\n[open the page]({})", rule.page.trim_end(), uri.as_str()),
        None => rule.page.trim_end().to_owned(),
    }
}

fn fenced(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}text\n{}\n{fence}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_suppressions_only() {
        let text = "x = 1  # ranklint: ignore[wrong-root, parity] -- why\ny = [wrong-root]\n";
        let name =
            |needle: &str| named_at(text, text.find(needle).expect("it is there") as u32 + 1).map(|found| found.1);
        assert_eq!(name("wrong-root,"), Some("wrong-root"));
        assert_eq!(name("parity"), Some("parity"));
        assert_eq!(name("why"), None);
        assert_eq!(named_at(text, text.rfind("root").expect("it is there") as u32), None);
        assert!(of_name("wrong-root").is_some_and(|text| text.contains("Contract")));
        assert!(of_name("parity").is_some());
    }
}
