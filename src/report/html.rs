//! The findings as one file for a browser: nothing is loaded, and without scripts only the filters are missing.
//!
//! However many findings there are, the page stays below two megabytes: the later ones become shorter, then a number.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::markup::Page;
use super::{Counts, Places, Report, closing_line, fingerprints, printable, rank_name, severity_name};
use crate::base::Site;
use crate::finding::{Confidence, Evidence, Finding, WitnessRank};
use crate::meta;

pub(super) const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");
/// The script's SHA-256, without which a browser does not run it; a test holds that it is right.
const SCRIPT_HASH: &str = "sha256-06OPZwT57gk3bdu5QwAWWwAPaobogNM1t1xrj5TAvdA=";
/// From here on findings are told in one line.
const SHORT_FROM: usize = 1_400_000;
/// From here on they are counted.
const COUNTED_FROM: usize = 1_700_000;
/// Steps of a chain, and operations of a rank.
const MOST: usize = 24;
/// Lines of source on either side.
const AROUND: u32 = 1;
/// Bytes of one line of source.
const LONGEST: usize = 240;

pub(super) fn render(report: &Report<'_>, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::default();
    let plain = Report { color: false, ..Report { findings: report.findings, ..*report } };
    let headline = closing_line(&plain);
    let policy = format!("default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'");
    begin(&mut page, &format!("ranklint: {headline}"), &policy);
    page.raw("<header>\n").element("h1", "", "What ranklint found").raw("\n<p class=\"soft\">");
    page.prose(&headline).raw("</p>\n</header>\n");
    counts(report, &mut page);
    let names = fingerprints(report.findings, places);
    let mut told = 0;
    for (finding, name) in report.findings.iter().zip(&names) {
        match page.text.len() {
            0..SHORT_FROM => article(finding, name, places, &mut page),
            SHORT_FROM..COUNTED_FROM => short(finding, name, places, &mut page),
            _ => break,
        }
        told += 1;
    }
    if told < report.findings.len() {
        let more = format!("and {} more; the JSON report has them all", report.findings.len() - told);
        page.element("p", "soft", &more).raw("\n");
    }
    pages(report, &mut page);
    end(&mut page);
    page.raw("<script>").raw(SCRIPT).raw("</script>\n</body>\n</html>\n");
    out.write_all(page.text.as_bytes())
}

/// The head of a page of ours.
pub(super) fn begin(page: &mut Page, title: &str, policy: &str) {
    page.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.raw(&format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<title>"));
    page.text(title).raw("</title>\n<style>\n").raw(STYLE).raw("</style>\n</head>\n<body>\n");
}

/// The line at the bottom.
pub(super) fn end(page: &mut Page) {
    page.element("footer", "", &format!("ranklint {}", env!("CARGO_PKG_VERSION"))).raw("\n");
}

/// How often each rule was found, and the filters, which a script shows.
fn counts(report: &Report<'_>, page: &mut Page) {
    if report.findings.is_empty() {
        return;
    }
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    report.findings.iter().for_each(|finding| *rules.entry(finding.rule).or_default() += 1);
    let mut by_count: Vec<(&str, usize)> = rules.iter().map(|(&rule, &count)| (rule, count)).collect();
    by_count.sort_by_key(|&(rule, count)| (std::cmp::Reverse(count), rule));
    page.raw("<ul class=\"counts\">\n");
    for (rule, count) in by_count {
        page.raw("<li>")
            .element("b", "", &count.to_string())
            .raw(&format!(" <a href=\"#rule-{rule}\">{rule}</a></li>\n"));
    }
    page.raw("</ul>\n<form id=\"filter\" hidden>\n<label>rule <select name=\"rule\"><option value=\"\">all</option>");
    rules.keys().for_each(|rule| _ = page.element("option", "", rule));
    page.raw("</select></label>\n<label>severity <select name=\"severity\"><option value=\"\">all</option>");
    let counts = Counts::of(report.findings);
    for (count, name) in [(counts.errors, "error"), (counts.warnings, "warning"), (counts.notes, "note")] {
        if count > 0 {
            page.element("option", "", name);
        }
    }
    page.raw("</select></label>\n<label>path contains <input name=\"path\" type=\"search\"></label>\n");
    page.raw("<output name=\"shown\"></output>\n</form>\n");
}

fn open(finding: &Finding, name: &str, places: &Places<'_>, page: &mut Page) {
    let severity = severity_name(finding.severity);
    page.raw(&format!("<article class=\"{severity}\" id=\"f-{name}\" data-rule=\"{}\" data-paths=\"", finding.rule));
    let mut paths: Vec<&str> = vec![places.path(finding.site.file)];
    for related in &finding.related {
        let path = places.path(related.site.file);
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    page.text(&paths.join(" ")).raw("\">\n");
    page.element("span", "badge", severity);
    page.raw(&format!(" <a class=\"mono\" href=\"#rule-{0}\">{0}</a>\n<h3>", finding.rule));
    page.prose(&finding.message).raw("</h3>\n<p class=\"where\">");
    let range = places.range(finding.site);
    page.text(&format!("{}:{}:{}", places.path(finding.site.file), range.start.line, range.start.column));
    if !finding.symbol.is_empty() {
        page.text(&format!(" in {}", finding.symbol));
    }
    let sure = match finding.confidence {
        Confidence::High => "",
        Confidence::Medium => "; confidence: medium",
        Confidence::Low => "; confidence: low",
    };
    let seen = match finding.evidence {
        Evidence::Static => "",
        Evidence::Confirmed => "; confirmed by a run",
        Evidence::Refuted => "; a run stayed in step both ways",
        Evidence::Inconclusive => "; a run did not decide it",
    };
    page.text(&format!("{sure}{seen}")).raw("</p>\n");
}

fn short(finding: &Finding, name: &str, places: &Places<'_>, page: &mut Page) {
    open(finding, name, places, page);
    page.raw("</article>\n");
}

fn article(finding: &Finding, name: &str, places: &Places<'_>, page: &mut Page) {
    open(finding, name, places, page);
    page.raw("<ol class=\"chain\">\n");
    step(finding.site, None, true, places, page);
    for related in finding.related.iter().take(MOST) {
        step(related.site, Some((&related.message, finding.site)), false, places, page);
    }
    page.raw("</ol>\n");
    witness(&finding.witness, places, page);
    if !finding.help.is_empty() {
        page.raw("<p class=\"remedy\"><b>help:</b> ").prose(&finding.help).raw("</p>\n");
    }
    if let Some(fix) = &finding.fix {
        let doubt = if fix.safe { "" } else { " (may change what the program does)" };
        page.raw("<p class=\"remedy\"><b>fix:</b> ").prose(&format!("{}{doubt}", fix.message)).raw("</p>\n");
    }
    page.raw("</article>\n");
}

/// A place of the story, with its line and those around it.
fn step(site: Site, why: Option<(&str, Site)>, primary: bool, places: &Places<'_>, page: &mut Page) {
    let line = places.line(site);
    page.raw("<li>");
    if let Some((message, home)) = why {
        let path = places.path(site.file);
        let path = if site.file == home.file { path.rsplit('/').next().unwrap_or(path) } else { path };
        page.raw("<p>").element("span", "soft", &format!("{path}:{line}")).raw(" ").prose(message).raw("</p>");
    }
    page.raw("<pre>");
    let around = if primary { AROUND + 1 } else { AROUND };
    let numbers = line.saturating_sub(around).max(1)..=line + around;
    let lines: Vec<(u32, &str)> = numbers.map(|number| (number, places.line_text(site.file, number))).collect();
    let filled = |&&(number, text): &&(u32, &str)| number == line || !text.trim().is_empty();
    let indent =
        lines.iter().filter(|(_, text)| !text.trim().is_empty()).map(|(_, text)| text.len() - text.trim_start().len());
    let indent = indent.min().unwrap_or(0);
    for (number, text) in lines.iter().filter(filled) {
        let text = text.get(indent..).unwrap_or_default();
        let shown = &text[..text.floor_char_boundary(LONGEST)];
        let class = if *number == line { "source hit" } else { "source" };
        page.raw(&format!("<span class=\"{class}\"><i>{number}</i>")).text(shown);
        page.raw(if shown.len() < text.len() { "…</span>" } else { "</span>" });
    }
    page.raw("</pre></li>\n");
}

/// What the ranks do, side by side; where they part is marked.
fn witness(ranks: &[WitnessRank], places: &Places<'_>, page: &mut Page) {
    if ranks.is_empty() {
        return;
    }
    let same = |index: usize| {
        let event = |rank: &WitnessRank| rank.trace.get(index).map(|event| (event.op.clone(), event.group.clone()));
        ranks.iter().all(|rank| event(rank).is_some() && event(rank) == event(&ranks[0]))
    };
    let longest = ranks.iter().map(|rank| rank.trace.len()).max().unwrap_or(0);
    let agreed = (0..longest).take_while(|&index| same(index)).count();
    // What leads up to the place matters less than the place.
    let skipped = agreed.saturating_sub(MOST / 4);
    page.raw("<div class=\"sides\">\n");
    for rank in ranks {
        page.raw("<div class=\"side\"><h4>").prose(&rank_name(&rank.rank)).raw("</h4>");
        if skipped > 0 {
            page.element("p", "soft", &format!("after {skipped} in step"));
        }
        let rest = rank.trace.get(skipped..).unwrap_or_default();
        if rest.is_empty() {
            page.element("p", "", "issues nothing");
        }
        page.raw(&format!("<ol start=\"{}\">\n", skipped + 1));
        for (index, event) in rest.iter().enumerate().take(MOST) {
            page.raw(if index + skipped == agreed { "<li class=\"parts\">" } else { "<li>" });
            page.element("b", "", &printable(&event.op));
            if !event.group.is_empty() {
                page.text(&format!(" on {}", event.group));
            }
            let place = format!(" {}:{}", places.path(event.site.file), places.line(event.site));
            page.element("span", "soft", &place).raw("</li>\n");
        }
        page.raw("</ol>");
        if rest.len() > MOST {
            page.element("p", "soft", &format!("and {} more", rest.len() - MOST));
        }
        page.raw("</div>\n");
    }
    page.raw("</div>\n");
}

/// The pages of the rules that were met.
fn pages(report: &Report<'_>, page: &mut Page) {
    let mut met: Vec<&str> = report.findings.iter().map(|finding| finding.rule).collect();
    met.sort_unstable();
    met.dedup();
    if met.is_empty() {
        return;
    }
    page.raw("<section>\n").heading("The rules", "what they hold, and what to do");
    for rule in met.into_iter().filter_map(meta::rule_named) {
        page.raw(&format!("<details id=\"rule-{}\">\n<summary>", rule.name));
        page.element("code", "", rule.name).text(": ").prose(rule.summary).raw("</summary>\n");
        page.markdown(rule.page, 2).raw("</details>\n");
    }
    page.raw("</section>\n");
}
