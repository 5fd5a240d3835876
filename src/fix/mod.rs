//! Fixes applied to texts: whole or not at all, never over each other, and never so that a file stops being Python.
//!
//! Knows texts and edits. `disk` writes a text where a file was, in the file's own encoding; `diff` shows what would change.

mod diff;
mod disk;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::analyze::FileRecord;
use crate::base::FileId;
use crate::finding::{Edit, Fix};
use crate::source::Kind;
use crate::syntax;

pub use diff::unified;
pub use disk::{put, replace};

/// Which fixes are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Those that keep what the program does for certain.
    Safe,
    /// Those that may change it as well.
    Any,
}

impl Trust {
    /// Whether a fix is wanted.
    pub fn takes(self, fix: &Fix) -> bool {
        fix.safe || self == Trust::Any
    }
}

/// What came of some fixes.
#[derive(Debug, Default)]
pub struct Patched {
    /// The files that are different now, with their new texts.
    pub texts: BTreeMap<FileId, Arc<str>>,
    /// The positions of the fixes that were applied.
    pub applied: Vec<usize>,
    /// How many would have left a file that is not Python any more.
    pub refused: usize,
}

/// Applies the fixes in order. One that overlaps an earlier one is left for the next time; one after which a file no longer
/// parses is refused. `kind` tells the language of a file.
pub fn apply(fixes: &[&Fix], files: &[FileRecord], kind: impl Fn(FileId) -> Kind) -> Patched {
    let mut accepted: BTreeMap<FileId, Vec<&Edit>> = BTreeMap::new();
    let mut parses: BTreeMap<FileId, bool> = BTreeMap::new();
    let mut patched = Patched::default();
    for (index, fix) in fixes.iter().enumerate() {
        if fix.edits.is_empty() || collides(fix, &accepted, files) {
            continue;
        }
        let mut texts = BTreeMap::new();
        let sound = by_file(fix).into_iter().all(|(file, fresh)| {
            let text = &files[file.index()].text;
            let edits: Vec<&Edit> = accepted.get(&file).into_iter().flatten().copied().chain(fresh).collect();
            let new = edited(text, &edits);
            let is_code = kind(file) == Kind::Python;
            let was_sound = !is_code || *parses.entry(file).or_insert_with(|| syntax::parse(text).error.is_none());
            let sound = was_sound && (!is_code || syntax::parse(&new).error.is_none());
            texts.insert(file, new.into());
            sound
        });
        if sound {
            fix.edits.iter().for_each(|edit| accepted.entry(edit.site.file).or_default().push(edit));
            patched.texts.extend(texts);
            patched.applied.push(index);
        } else {
            patched.refused += 1;
        }
    }
    patched
}

fn by_file(fix: &Fix) -> BTreeMap<FileId, Vec<&Edit>> {
    let mut out: BTreeMap<FileId, Vec<&Edit>> = BTreeMap::new();
    fix.edits.iter().for_each(|edit| out.entry(edit.site.file).or_default().push(edit));
    out
}

/// Whether the fix lies outside its files, over itself, or over what is accepted already.
fn collides(fix: &Fix, accepted: &BTreeMap<FileId, Vec<&Edit>>, files: &[FileRecord]) -> bool {
    let outside = |edit: &Edit| {
        let range = edit.site.span.start as usize..edit.site.span.end as usize;
        files.get(edit.site.file.index()).is_none_or(|file| file.text.get(range).is_none())
    };
    fix.edits.iter().enumerate().any(|(index, edit)| {
        let earlier = accepted.get(&edit.site.file).into_iter().flatten().copied();
        outside(edit) || fix.edits[..index].iter().chain(earlier).any(|other| overlap(edit, other))
    })
}

/// Two edits of one place have no order, so insertions at the same offset overlap too.
fn overlap(one: &Edit, other: &Edit) -> bool {
    let (a, b) = (one.site.span, other.site.span);
    one.site.file == other.site.file && (a.start == b.start || a.start < b.end && b.start < a.end)
}

/// The text after the edits, which do not overlap. Lines that are inserted end as the file's own do.
fn edited(text: &str, edits: &[&Edit]) -> String {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| (edit.site.span.start, edit.site.span.end));
    let line_end = line_end(text);
    let mut out = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for edit in edits {
        out.push_str(&text[at..edit.site.span.start as usize]);
        out.push_str(&edit.content.replace("\r\n", "\n").replace('\n', line_end));
        at = edit.site.span.end as usize;
    }
    out.push_str(&text[at..]);
    out
}

/// How the lines of a text end: as its first one does.
fn line_end(text: &str) -> &'static str {
    match text.find(['\n', '\r']) {
        Some(at) if text[at..].starts_with("\r\n") => "\r\n",
        Some(at) if text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Site, Span};

    fn fix(edits: &[(u32, u32, &str)]) -> Fix {
        let edit = |&(start, end, content): &(u32, u32, &str)| Edit {
            site: Site { file: FileId(0), span: Span::new(start, end) },
            content: content.to_owned(),
        };
        Fix { message: String::new(), safe: true, edits: edits.iter().map(edit).collect() }
    }

    fn after(text: &str, fixes: &[Fix]) -> (String, Vec<usize>, usize) {
        let files = [FileRecord { path: "a.py".to_owned(), text: text.into(), comments: Vec::new() }];
        let patched = apply(&fixes.iter().collect::<Vec<_>>(), &files, |_| Kind::Python);
        let text = patched.texts.get(&FileId(0)).map_or_else(|| text.to_owned(), |text| text.to_string());
        (text, patched.applied, patched.refused)
    }

    #[test]
    fn edits_are_applied_whole_or_not_at_all() {
        let both = [fix(&[(4, 4, "sorted("), (5, 5, ")")]), fix(&[(0, 1, "y")])];
        assert_eq!(after("x = a\n", &both), ("y = sorted(a)\n".to_owned(), vec![0, 1], 0));
        let over = [fix(&[(4, 5, "b")]), fix(&[(0, 1, "y"), (4, 4, "not ")])];
        assert_eq!(after("x = a\n", &over), ("x = b\n".to_owned(), vec![0], 0));
        let across = [fix(&[(4, 9, "b")]), fix(&[(8, 13, "c")]), fix(&[(0, 13, "d")]), fix(&[(9, 13, "")])];
        assert_eq!(after("x = a + b + c\n", &across), ("x = b\n".to_owned(), vec![0, 3], 0));
        assert_eq!(after("x = a\n", &[fix(&[(4, 99, "b")])]).1, Vec::<usize>::new());
        assert_eq!(after("é = a\n", &[fix(&[(1, 2, "b")])]).1, Vec::<usize>::new(), "within a character");
    }

    #[test]
    fn what_would_not_parse_is_refused() {
        assert_eq!(after("x = a\n", &[fix(&[(4, 5, "(")]), fix(&[(0, 1, "y")])]), ("y = a\n".to_owned(), vec![1], 1));
        assert_eq!(after("x = (\n", &[fix(&[(0, 1, "y")])]), ("x = (\n".to_owned(), vec![], 1));
    }

    #[test]
    fn lines_end_as_they_do_in_the_file() {
        assert_eq!(after("x = a\r\ny = b\r\n", &[fix(&[(7, 7, "z = c\n")])]).0, "x = a\r\nz = c\r\ny = b\r\n");
    }
}
