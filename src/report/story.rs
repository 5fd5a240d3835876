//! A finding as plain text without a frame: the hover of an editor, the message of a pull request.

use super::{Places, printable, rank_name};
use crate::finding::Finding;

/// Message, reasons, what each rank does, and what to do, one a line. No control characters except line ends.
pub fn story(finding: &Finding, places: &Places<'_>) -> String {
    let mut lines = vec![finding.message.clone()];
    for related in &finding.related {
        let (path, line) = (places.path(related.site.file), places.line(related.site));
        lines.push(format!("{path}:{line}: {}", related.message));
    }
    for rank in &finding.witness {
        let events: Vec<String> = (rank.trace.iter())
            .map(|event| {
                let group = if event.group.is_empty() { String::new() } else { format!(" on {}", event.group) };
                format!("{}{group} ({}:{})", event.op, places.path(event.site.file), places.line(event.site))
            })
            .collect();
        let events = if events.is_empty() { "issues nothing".to_owned() } else { events.join(", then ") };
        lines.push(format!("{}: {events}", rank_name(&rank.rank)));
    }
    if !finding.help.is_empty() {
        lines.extend(format!("help: {}", finding.help).lines().map(str::to_owned));
    }
    lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n")
}
