//! What stands below the lanes: ends, predictions, environment, writes, output. Everything is bounded.

use std::collections::BTreeMap;

use crate::finding::Evidence;
use crate::report::markup::Page;
use crate::report::run::{View, words};
use crate::verify::event::Frame;
use crate::verify::outcome::{Lane, Outcome};

/// Rows of one table.
const MOST_ROWS: usize = 100;
/// Ranks whose output is shown.
const MOST_OUTPUTS: usize = 64;
/// Bytes of the output or the stacks of one rank.
const LONGEST: usize = 12_000;
/// Bytes of all output and stacks together.
const MOST_OUTPUT: usize = 700_000;
/// Bytes of one cell.
const LONGEST_CELL: usize = 2_000;

pub(super) fn draw(view: &View<'_>, page: &mut Page) {
    blocked(view, page);
    ends(view, page);
    predictions(view, page);
    environment(view, page);
    writes(view, page);
    unawaited(view, page);
    notes(view, page);
    output(view, page);
}

/// A table whose rows are bounded.
fn table(page: &mut Page, columns: &[&str], rows: impl ExactSizeIterator<Item = Vec<String>>) {
    page.raw("<div class=\"scroll\">\n<table>\n<thead><tr>");
    for column in columns {
        page.element("th", "", column);
    }
    page.raw("</tr></thead>\n<tbody>\n");
    let more = rows.len().saturating_sub(MOST_ROWS);
    for row in rows.take(MOST_ROWS) {
        page.raw("<tr>");
        for cell in row {
            page.raw("<td class=\"wide\">").prose(head(&cell, LONGEST_CELL)).raw("</td>");
        }
        page.raw("</tr>\n");
    }
    page.raw("</tbody>\n</table>\n</div>\n");
    if more > 0 {
        page.element("p", "legend", &format!("and {more} more; the JSON report has them all"));
    }
}

fn place(view: &View<'_>, frames: &[Frame]) -> String {
    frames.first().map(|frame| format!("`{}:{}`", view.path(&frame.path), frame.line)).unwrap_or_default()
}

fn blocked(view: &View<'_>, page: &mut Page) {
    let (title, lines, remedy) = match &view.report.outcome {
        Outcome::Blocked { tried, remedy } => ("What was tried", tried, remedy.as_str()),
        Outcome::Leaked { processes } => ("Processes left behind, and ended by ranklint", processes, ""),
        _ => return,
    };
    page.raw("<section id=\"tried\">\n").heading(title, "").raw("<ul class=\"plain\">\n");
    for line in lines.iter().take(MOST_ROWS) {
        page.raw("<li>").text(head(line, LONGEST_CELL)).raw("</li>\n");
    }
    page.raw("</ul>\n");
    if !remedy.is_empty() {
        page.raw("<p><b>What to do:</b> ").prose(remedy).raw("</p>\n");
    }
    page.raw("</section>\n");
}

/// What each rank was waiting for, and how it ended. Ranks that are alike share a row.
fn ends(view: &View<'_>, page: &mut Page) {
    let mut known: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    let mut rows: Vec<(Vec<u32>, [String; 3])> = Vec::new();
    for lane in &view.report.lanes {
        let call = words::waiting(lane).and_then(|call| view.report.calls.get(call.call));
        let waited = call.map(|call| words::quoted(call, None)).unwrap_or_default();
        let at = call.map(|call| place(view, &call.frames)).unwrap_or_default();
        let end = words::process_end(lane).unwrap_or_else(|| "no end in its log".to_owned());
        let index = *known.entry((waited.clone(), at.clone(), end.clone())).or_insert(rows.len());
        match rows.get_mut(index) {
            Some((ranks, _)) => ranks.push(lane.rank),
            None => rows.push((vec![lane.rank], [waited, at, end])),
        }
    }
    if rows.is_empty() {
        return;
    }
    page.raw("<section id=\"ends\">\n").heading("What each rank was waiting for", "");
    let rows = rows.into_iter().map(|(ranks, [waited, at, end])| {
        let waited = if waited.is_empty() { "nothing".to_owned() } else { waited };
        vec![words::runs(&ranks), waited, at, end]
    });
    table(page, &["ranks", "waited in", "at", "ended"], rows);
    page.raw("</section>\n");
}

fn predictions(view: &View<'_>, page: &mut Page) {
    let report = view.report;
    if report.predictions.is_empty() && !report.unpredicted {
        return;
    }
    let beside = (report.coverage.filter(|coverage| coverage.sites > 0))
        .map(|coverage| format!("the run reached {} of {} call sites", coverage.reached, coverage.sites));
    page.raw("<section id=\"predictions\">\n").heading("What the linter had said", &beside.unwrap_or_default());
    if report.unpredicted {
        page.raw("<p>No rule had said that the ranks part here. Please report it.</p>\n");
    }
    if !report.predictions.is_empty() {
        page.raw(
            "<div class=\"scroll\">\n<table>\n<thead><tr><th>verdict</th><th>finding</th><th>at</th><th>rule</th>",
        );
        page.raw("</tr></thead>\n<tbody>\n");
        for prediction in words::predictions(report).into_iter().take(MOST_ROWS) {
            let (class, word) = match prediction.evidence {
                Evidence::Confirmed => ("verdict-confirmed", "confirmed"),
                Evidence::Refuted => ("verdict-refuted", "refuted"),
                Evidence::Inconclusive => ("verdict-inconclusive", "inconclusive"),
                Evidence::Static => ("verdict-static", "not run"),
            };
            page.raw("<tr>").element("td", class, word).raw("<td class=\"wide\">");
            page.prose(head(&prediction.message, LONGEST_CELL));
            if !prediction.why.is_empty() {
                page.raw("<br><span class=\"soft\">").prose(head(&prediction.why, LONGEST_CELL)).raw("</span>");
            }
            page.raw("</td>").element("td", "mono", &format!("{}:{}", prediction.path, prediction.line));
            page.element("td", "mono", &prediction.rule).raw("</tr>\n");
        }
        page.raw("</tbody>\n</table>\n</div>\n");
    }
    page.raw("</section>\n");
}

fn environment(view: &View<'_>, page: &mut Page) {
    if view.report.environment.is_empty() {
        return;
    }
    page.raw("<section id=\"environment\">\n");
    page.heading("Environment that differs", "values are shown as hashes, so that no secret leaves the machine");
    let rows = view.report.environment.iter().map(|difference| {
        let mut values: Vec<(&Option<String>, Vec<u32>)> = Vec::new();
        for (rank, value) in &difference.values {
            match values.iter_mut().find(|(known, _)| *known == value) {
                Some((_, ranks)) => ranks.push(*rank),
                None => values.push((value, vec![*rank])),
            }
        }
        let told: Vec<String> = (values.iter().take(8))
            .map(|(value, ranks)| match value {
                Some(hash) => format!("{}: {}", words::ranks(ranks), head(hash, 12)),
                None => format!("{}: not set", words::ranks(ranks)),
            })
            .collect();
        let more = if values.len() > 8 { format!("; and {} more values", values.len() - 8) } else { String::new() };
        vec![difference.key.clone(), format!("{}{more}", told.join("; ")), place(view, &difference.frames)]
    });
    table(page, &["variable", "values", "read at"], rows);
    page.raw("</section>\n");
}

fn writes(view: &View<'_>, page: &mut Page) {
    if view.report.writes.is_empty() {
        return;
    }
    page.raw("<section id=\"writes\">\n").heading("Written outside the working directory", "");
    let rows = view.report.writes.iter().map(|write| {
        vec![write.path.clone(), write.how.clone(), words::runs(&write.ranks), place(view, &write.frames)]
    });
    table(page, &["path", "how", "ranks", "at"], rows);
    page.raw("</section>\n");
}

fn unawaited(view: &View<'_>, page: &mut Page) {
    if view.report.unawaited.is_empty() {
        return;
    }
    page.raw("<section id=\"unawaited\">\n").heading("Handles that nobody waited for", "");
    let rows = (view.report.unawaited.iter())
        .map(|(call, times)| vec![words::quoted(call, None), times.to_string(), place(view, &call.frames)]);
    table(page, &["call", "times", "at"], rows);
    page.raw("</section>\n");
}

fn notes(view: &View<'_>, page: &mut Page) {
    if view.report.notes.is_empty() {
        return;
    }
    page.raw("<section id=\"notes\">\n").heading("Notes", "").raw("<ul class=\"plain\">\n");
    for note in view.report.notes.iter().take(MOST_ROWS) {
        page.raw("<li>").prose(head(note, LONGEST_CELL)).raw("</li>\n");
    }
    page.raw("</ul>\n</section>\n");
}

/// The end of what ranks printed and their stacks, folded; the ranks that the outcome is about come first.
fn output(view: &View<'_>, page: &mut Page) {
    let about = match view.report.outcome {
        Outcome::Failed { rank, .. } | Outcome::Signalled { rank, .. } => Some(rank),
        _ => None,
    };
    let mut lanes: Vec<&Lane> = (view.report.lanes.iter())
        .filter(|lane| !(lane.output_tail.trim().is_empty() && lane.stacks.trim().is_empty()))
        .collect();
    if lanes.is_empty() {
        return;
    }
    // Then the first ranks of each side, so that none is missing where there are many.
    let is_first_of_a_side = |rank: u32| {
        let sides = view.report.outcome.divergence().map_or(&[][..], |found| &found.sides);
        sides.iter().any(|side| side.ranks.iter().take(4).any(|known| *known == rank))
    };
    lanes.sort_by_cached_key(|lane| (Some(lane.rank) != about, !is_first_of_a_side(lane.rank), lane.rank));
    page.raw("<section id=\"output\">\n").heading("Output and stacks", "");
    let begin = page.text.len();
    let mut shown = 0;
    for lane in &lanes {
        if shown == MOST_OUTPUTS || page.text.len() - begin > MOST_OUTPUT {
            break;
        }
        shown += 1;
        page.raw(if Some(lane.rank) == about { "<details open><summary>" } else { "<details><summary>" });
        page.text(&format!("rank {}", lane.rank)).raw(" <span class=\"soft\">");
        page.prose(&words::end(lane, view.report)).raw("</span></summary>\n");
        if !lane.stacks.trim().is_empty() {
            page.element("h4", "", "where its threads were");
            page.element("pre", "", head(lane.stacks.trim_end(), LONGEST)).raw("\n");
        }
        if !lane.output_tail.trim().is_empty() {
            page.element("h4", "", "the end of its output");
            page.element("pre", "", tail(lane.output_tail.trim_end(), LONGEST)).raw("\n");
        }
        page.raw("</details>\n");
    }
    if shown < lanes.len() {
        let text = format!("The output of {} more ranks lies in the folder of the run.", lanes.len() - shown);
        page.element("p", "legend", &text);
    }
    page.raw("</section>\n");
}

/// The first `most` bytes.
fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The last `most` bytes.
fn tail(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}
