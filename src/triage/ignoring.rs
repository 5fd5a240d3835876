//! Where a suppression is written for a finding: what `--add-ignore` and the editor share.

use crate::base::{LineIndex, Span};
use crate::meta;
use crate::source::Kind;
use crate::syntax;

/// Whether a comment can silence the rule: not where the file cannot be read, nor what is wrong with a comment.
pub fn can_be_ignored(rule: &str) -> bool {
    let beyond = [&meta::SYNTAX_ERROR, &meta::UNREADABLE_FILE];
    !super::is_about_suppressions(rule) && beyond.iter().all(|own| own.name != rule)
}

/// The text that suppresses `rules` for a finding, and the span in whose place it goes. A list that is there grows; else a line
/// of its own above, or, where a string or a continued line is in the way, the end of the last line. Absent where no comment
/// can stand. Without a reason none is written.
pub fn ignore_here(text: &str, kind: Kind, finding: Span, rules: &[&str], reason: &str) -> Option<(Span, String)> {
    let lines = Lines { text, index: LineIndex::new(text), strings: strings(text, kind) };
    let first = lines.index.line(finding.start);
    let inside = text.get(finding.start as usize..finding.end as usize).unwrap_or_default().trim_end();
    let last = lines.index.line(finding.start + (inside.len() as u32).saturating_sub(1));
    for near in [first, last, first - 1] {
        let line = lines.text(near);
        if near > 0
            && let Some(at) = list_end(line, "ignore[")
            && (near != first - 1 || line.trim_start().starts_with('#'))
        {
            let at = lines.start(near) + at;
            return Some((Span::new(at, at), format!(", {}", rules.join(", "))));
        }
    }
    let why = if reason.is_empty() { String::new() } else { format!(" -- {reason}") };
    let comment = format!("# ranklint: ignore[{}]{why}", rules.join(", "));
    let start = lines.start(first);
    if lines.is_free(start) && !(first > 1 && lines.goes_on(first - 1)) {
        let line = lines.text(first);
        let indent = &line[..line.len() - line.trim_start().len()];
        return Some((Span::new(start, start), format!("{indent}{comment}\n")));
    }
    let end = lines.start(last) + lines.text(last).len() as u32;
    let has_comment = lines.text(last).contains('#');
    let free = lines.is_free(end) && !lines.goes_on(last) && !has_comment;
    free.then(|| (Span::new(end, end), format!("  {comment}")))
}

/// Where the list of names of a suppression on a line ends, in bytes from the line's beginning.
pub fn list_end(line: &str, verb: &str) -> Option<u32> {
    let marker = line.find("ranklint:")?;
    line[..marker].contains('#').then_some(())?;
    let rest = line[marker + "ranklint:".len()..].trim_start();
    rest.starts_with(verb).then_some(())?;
    Some((line.len() - rest.len() + rest.find(']')?) as u32)
}

fn strings(text: &str, kind: Kind) -> Vec<Span> {
    match kind {
        Kind::Python => syntax::long_strings(text),
        Kind::Shell => Vec::new(),
    }
}

struct Lines<'t> {
    text: &'t str,
    index: LineIndex,
    strings: Vec<Span>,
}

impl<'t> Lines<'t> {
    fn start(&self, line: u32) -> u32 {
        self.index.line_start(line)
    }

    fn text(&self, line: u32) -> &'t str {
        if line == 0 {
            return "";
        }
        let end = if line >= self.index.line_count() { self.text.len() } else { self.start(line + 1) as usize };
        self.text[self.start(line) as usize..end].trim_end_matches(['\n', '\r'])
    }

    /// Whether no string goes over the place.
    fn is_free(&self, at: u32) -> bool {
        !self.strings.iter().any(|string| string.start < at && at < string.end)
    }

    /// Whether a backslash joins the line to the next.
    fn goes_on(&self, line: u32) -> bool {
        self.text(line).ends_with('\\')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(text: &str, at: &str, reason: &str) -> Option<String> {
        let start = text.find(at).expect("it is there") as u32;
        let span = Span::new(start, start + at.len() as u32);
        let (span, new) = ignore_here(text, Kind::Python, span, &["new"], reason)?;
        let mut out = text.to_owned();
        out.replace_range(span.start as usize..span.end as usize, &new);
        Some(out)
    }

    #[test]
    fn a_list_of_names_grows() {
        let text = "# ranklint: ignore[a] -- x\nf()\n  g()  # ranklint: ignore[b]\n  h()\n";
        let grown = |at| ignored(text, at, "why").expect("there is room");
        assert!(grown("f()").starts_with("# ranklint: ignore[a, new] -- x\nf()"));
        assert!(grown("g()").contains("g()  # ranklint: ignore[b, new]"));
        assert!(grown("h()").contains("\n  # ranklint: ignore[new] -- why\n  h()"));
    }

    #[test]
    fn strings_and_continued_lines_are_in_the_way() {
        assert_eq!(
            ignored("x = '''\n''' + f()\n", "f()", "").as_deref(),
            Some("x = '''\n''' + f()  # ranklint: ignore[new]\n")
        );
        assert_eq!(ignored("x = 1 + \\\n  f() + '''\n'''\n", "f()", ""), None);
        assert_eq!(ignored("x = f'''\n{f()}\n'''\n", "f()", ""), None);
    }
}
