//! Two ranks side by side: what each issues, on which group, where.

use super::cells::width;
use super::frame::push_line;
use super::paint::{Paint, Style};
use crate::base::FileId;
use crate::finding::{WitnessEvent, WitnessRank};
use crate::report::{Places, counted, printable, rank_name};

/// Events shown of one rank.
const MOST: usize = 4;

struct Row {
    rank: String,
    op: String,
    group: String,
    place: String,
    remark: &'static str,
}

/// Appends the rows of a witness; nothing where there is none.
pub(super) fn draw(ranks: &[WitnessRank], home: FileId, places: &Places<'_>, paint: Paint, out: &mut String) {
    if ranks.is_empty() {
        return;
    }
    let skipped = agreed(ranks);
    if skipped > 0 {
        push_line(out, &format!("   after {} in step", counted(skipped, "collective")));
    }
    let rows: Vec<Row> = ranks.iter().flat_map(|rank| rank_rows(rank, ranks, skipped, home, places)).collect();
    let widest = |cell: fn(&Row) -> &str| rows.iter().map(|row| width(cell(row))).max().unwrap_or(0);
    let (rank, op) = (widest(|row| &row.rank), widest(|row| &row.op));
    let (group, place) = (widest(|row| &row.group), widest(|row| &row.place));
    for row in &rows {
        let mut line = format!("   {}", padded(&row.rank, rank + 6));
        line += &paint.paint(Style::Strong, &padded(&row.op, op + 2));
        line += &padded(&row.group, if group == 0 { 1 } else { group + 3 });
        line += &paint.paint(Style::Faint, &padded(&row.place, place + 5));
        line += row.remark;
        push_line(out, &line);
    }
}

fn rank_rows(rank: &WitnessRank, ranks: &[WitnessRank], skipped: usize, home: FileId, places: &Places<'_>) -> Vec<Row> {
    let trace = &rank.trace[skipped..];
    let mut rows: Vec<Row> = (trace.iter().take(MOST))
        .map(|event| Row {
            rank: String::new(),
            op: printable(&event.op),
            group: printable(&event.group),
            place: place(event, home, places),
            remark: "",
        })
        .collect();
    let plain = |op: String| Row { rank: String::new(), op, group: String::new(), place: String::new(), remark: "" };
    if trace.is_empty() {
        let more = if skipped > 0 { " more" } else { "" };
        rows.push(plain(format!("issues nothing{more}")));
    }
    if trace.len() > MOST {
        rows.push(plain(format!("… and {} more", trace.len() - MOST)));
    }
    if leaves(rank) && ranks.iter().any(|other| !leaves(other)) {
        rows.last_mut().expect("every rank has a row").remark = "and the others wait";
    }
    rows[0].rank = rank_name(&rank.rank);
    rows
}

/// How many events at the start are the same on every rank; none where nothing differs.
fn agreed(ranks: &[WitnessRank]) -> usize {
    let [first, rest @ ..] = ranks else { return 0 };
    let same = |index: usize, event: &WitnessEvent| {
        rest.iter().all(|rank| rank.trace.get(index).is_some_and(|e| (&e.op, &e.group) == (&event.op, &event.group)))
    };
    let agreed = first.trace.iter().enumerate().take_while(|(index, event)| same(*index, event)).count();
    if ranks.iter().all(|rank| rank.trace.len() == agreed) { 0 } else { agreed }
}

/// Whether a rank ends on something that is no collective: it returns, raises, or issues nothing.
fn leaves(rank: &WitnessRank) -> bool {
    rank.trace.last().is_none_or(|event| event.group.is_empty())
}

/// The place of an event; the file's name alone where it is the finding's own file.
fn place(event: &WitnessEvent, home: FileId, places: &Places<'_>) -> String {
    let path = places.path(event.site.file);
    let name = if event.site.file == home { path.rsplit('/').next().unwrap_or(path) } else { path };
    format!("{}:{}", printable(name), places.line(event.site))
}

fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}
