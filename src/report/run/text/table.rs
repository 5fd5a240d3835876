//! The sequences of two or three ranks side by side, around the place where they part.

use super::cut;
use crate::report::printable;
use crate::report::run::aligned::{Aligned, aligned};
use crate::report::run::{View, words};
use crate::report::text::{Paint, Style, push_line, width};
use crate::verify::outcome::{Divergence, Lane};

/// Operations in common that are shown, and operations after the first different one.
const AROUND: (usize, usize) = (3, 1);
/// Ranks side by side.
const MOST_LANES: usize = 3;
/// Columns of a cell at most.
const WIDEST: usize = 34;

/// Appends the table; nothing where there is only one rank, or no log of its calls.
pub(super) fn draw(view: &View<'_>, divergence: &Divergence, paint: Paint, out: &mut String) {
    let lanes: Vec<&Lane> = (divergence.sides.iter().take(MOST_LANES))
        .filter_map(|side| {
            let known = |rank: &u32| view.report.lanes.iter().find(|lane| lane.rank == *rank);
            side.ranks.iter().find_map(known)
        })
        .collect();
    if lanes.len() < 2 || lanes.iter().all(|lane| lane.calls.is_empty()) {
        return;
    }
    let aligned = aligned(view.report, &lanes, AROUND);
    let mut rows: Vec<Vec<String>> = vec![head(&aligned)];
    rows.extend((0..aligned.columns.len()).map(|column| operation(view, &aligned, column)));
    rows.push(ends(&aligned));
    let widths: Vec<usize> =
        (0..=lanes.len()).map(|cell| rows.iter().map(|row| width(&row[cell])).max().unwrap_or(0)).collect();
    push_line(out, "");
    let last = rows.len() - 1;
    for (index, row) in rows.iter().enumerate() {
        let here = aligned.here.is_some_and(|here| here + 1 == index);
        let style = match (here, index == 0 || index == last) {
            (true, _) => Some(Style::Strong),
            (_, true) => Some(Style::Faint),
            _ => None,
        };
        let mut line = if here { paint.paint(Style::Secondary, " ▸ ") } else { "   ".to_owned() };
        for (cell, columns) in row.iter().zip(&widths) {
            let padded = format!("{cell}{}", " ".repeat(columns - width(cell) + 3));
            line += &style.map_or_else(|| padded.clone(), |style| paint.paint(style, &padded));
        }
        if here {
            line += &paint.paint(Style::Secondary, "◂ ranks part here");
        }
        push_line(out, &line);
    }
}

fn head(aligned: &Aligned<'_>) -> Vec<String> {
    let ranks = aligned.rows.iter().map(|row| format!("rank {}", row.lane.rank));
    std::iter::once(String::new()).chain(ranks).collect()
}

/// One operation: its place, and what each rank makes of it.
fn operation(view: &View<'_>, aligned: &Aligned<'_>, column: usize) -> Vec<String> {
    let place = match aligned.columns[column].group {
        Some(group) => format!("{} {}", words::short_group(group), aligned.columns[column].position),
        None => "·".to_owned(),
    };
    let cells = aligned.rows.iter().map(|row| match row.cells[column] {
        Some(call) => {
            let known = view.report.calls.get(call.call).map(words::call).unwrap_or_default();
            let end = match (call.raised, call.left_us) {
                (true, _) => " ✗",
                (false, None) => " …",
                (false, Some(_)) => "",
            };
            format!("{}{end}", cut(&printable(&known), WIDEST))
        }
        None => "–".to_owned(),
    });
    std::iter::once(cut(&printable(&place), WIDEST / 2)).chain(cells).collect()
}

fn ends(aligned: &Aligned<'_>) -> Vec<String> {
    let cells = aligned.rows.iter().map(|row| {
        let end = words::process_end(row.lane).unwrap_or_default();
        let waits = words::waiting(row.lane).is_some();
        let text = match (row.after, waits, end.is_empty()) {
            (0, true, _) => "waits".to_owned(),
            (0, false, false) => end,
            (0, false, true) => String::new(),
            (more, ..) => format!("and {more} more"),
        };
        cut(&printable(&text), WIDEST)
    });
    std::iter::once("then".to_owned()).chain(cells).collect()
}
