//! One lane a rank, aligned on the sequence, with the place where the ranks part marked across all of them.

use super::tone;
use crate::report::markup::Page;
use crate::report::run::aligned::{Aligned, Row, aligned};
use crate::report::run::{View, words};
use crate::verify::outcome::{Lane, LaneCall};

/// Operations shown before the place where ranks part, and after it: as many as a screen takes, so that the place is seen
/// without scrolling.
const AROUND: (usize, usize) = (6, 2);
/// Characters of what a cell says about a call beside its name.
const LONGEST: usize = 40;

pub(super) fn draw(view: &View<'_>, page: &mut Page) {
    let lanes: Vec<&Lane> = view.report.lanes.iter().collect();
    if lanes.iter().all(|lane| lane.calls.is_empty()) {
        return;
    }
    let aligned = aligned(view.report, &lanes, AROUND);
    let drawn: usize = aligned.rows.iter().map(|row| row.ranks.len()).sum();
    let beside = if drawn > aligned.rows.len() { "ranks that do the same share a lane" } else { "" };
    page.raw("<section id=\"lanes\">\n").heading("What each rank issued", beside);
    page.raw("<div class=\"scroll\">\n<table class=\"lanes\">\n<thead><tr><th scope=\"col\">rank</th>");
    let before = aligned.rows.iter().any(|row| row.before > 0);
    let after = aligned.rows.iter().any(|row| row.after > 0);
    if before {
        page.raw("<th scope=\"col\">before</th>");
    }
    for (index, column) in aligned.columns.iter().enumerate() {
        let name = match column.group {
            Some(group) => format!("{} {}", short(&words::short_group(group)), column.position),
            None => "message".to_owned(),
        };
        let here = aligned.here == Some(index);
        page.raw(if here { "<th scope=\"col\" class=\"here\">" } else { "<th scope=\"col\">" });
        page.text(&name).raw("</th>");
    }
    if after {
        page.raw("<th scope=\"col\">after</th>");
    }
    page.raw("<th scope=\"col\">end</th></tr></thead>\n<tbody>\n");
    for row in &aligned.rows {
        lane(view, &aligned, row, (before, after), page);
    }
    page.raw("</tbody>\n</table>\n</div>\n");
    let mut legend =
        "Lanes are aligned on the sequence of operations, not on clocks. … marks a call that never came back."
            .to_owned();
    if aligned.here.is_some() {
        legend += " The ranks part at the marked column.";
    }
    if !aligned.undrawn.is_empty() {
        legend += &format!(" Not drawn: {}.", words::ranks(&aligned.undrawn));
    }
    page.element("p", "legend", &legend).raw("\n</section>\n");
}

fn lane(view: &View<'_>, aligned: &Aligned<'_>, row: &Row<'_>, (before, after): (bool, bool), page: &mut Page) {
    let divergence = view.report.outcome.divergence();
    let side = divergence.and_then(|found| {
        found.sides.iter().position(|side| side.ranks.contains(&row.lane.rank)).map(|at| tone(found, at))
    });
    page.raw(&format!("<tr class=\"lane {}\"><th scope=\"row\">", side.unwrap_or("")));
    page.text(&words::runs(&row.ranks)).raw("</th>");
    let more = |count: u64, page: &mut Page| {
        let text = if count == 0 { String::new() } else { format!("{count} calls") };
        page.element("td", "none", &text);
    };
    if before {
        more(row.before, page);
    }
    for (index, cell) in row.cells.iter().enumerate() {
        self::cell(view, *cell, aligned.here == Some(index), page);
    }
    if after {
        more(row.after, page);
    }
    page.raw("<td class=\"end\">").prose(&words::end(row.lane, view.report)).raw("</td></tr>\n");
}

fn cell(view: &View<'_>, cell: Option<&LaneCall>, here: bool, page: &mut Page) {
    let known = cell.and_then(|cell| Some((cell, view.report.calls.get(cell.call)?)));
    let Some((cell, known)) = known else {
        page.raw(if here { "<td class=\"none here\">–</td>" } else { "<td class=\"none\">–</td>" });
        return;
    };
    let waits = cell.left_us.is_none() && !cell.raised;
    let class = match (here, waits) {
        (true, true) => " class=\"here waits\"",
        (true, false) => " class=\"here\"",
        (false, true) => " class=\"waits\"",
        (false, false) => "",
    };
    page.raw(&format!("<td{class}>")).element("b", "mono", &short(&known.op));
    if cell.raised {
        page.raw(" <span class=\"verdict-confirmed\">raised</span>");
    }
    let details = short(&words::details(known));
    if !details.is_empty() {
        page.element("small", "", &details);
    }
    if let Some(frame) = known.frames.first() {
        let path = view.path(&frame.path);
        let name = path.rsplit('/').next().unwrap_or(&path);
        page.element("small", "mono", &format!("{}:{}", short(name), frame.line));
    }
    page.raw("</td>");
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
