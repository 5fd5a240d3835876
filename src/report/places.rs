//! Byte spans as lines and columns, with one line index a file.

use std::cell::RefCell;
use std::ops;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Files;
use crate::base::{FileId, LineIndex, Position, Site};

/// A range that people and tools read: lines and columns from 1, columns in characters, the end exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first character.
    pub start: Position,
    /// The character after the last one.
    pub end: Position,
}

/// Answers where a site is. Sites outside their text are taken to lie at its end.
pub struct Places<'a> {
    files: &'a dyn Files,
    indexes: RefCell<FxHashMap<FileId, Rc<LineIndex>>>,
}

impl<'a> Places<'a> {
    /// No line is indexed before the first question about its file.
    pub fn new(files: &'a dyn Files) -> Self {
        Self { files, indexes: RefCell::default() }
    }

    /// Path of a file.
    pub fn path(&self, file: FileId) -> &'a str {
        self.files.path(file)
    }

    /// Where `site` begins and ends.
    pub fn range(&self, site: Site) -> Range {
        let text = self.files.text(site.file);
        let index = self.index(site.file);
        let start = index.position(text, site.span.start);
        let end = index.position(text, site.span.end.max(site.span.start));
        Range { start, end }
    }

    /// Line on which `site` begins, from 1.
    pub fn line(&self, site: Site) -> u32 {
        let text = self.files.text(site.file);
        self.index(site.file).line((site.span.start as usize).min(text.len()) as u32)
    }

    /// The bytes of `site` within the line on which it begins; to the end of the line where it goes on below.
    pub fn within_line(&self, site: Site) -> ops::Range<usize> {
        let text = self.files.text(site.file);
        let index = self.index(site.file);
        let offset = (site.span.start as usize).min(text.len());
        let line = index.line(offset as u32);
        let shown = self.line_text(site.file, line);
        let begin = index.line_start(line) as usize;
        let start = (offset - begin).min(shown.len());
        let end = (site.span.end as usize).saturating_sub(begin);
        start..if end > shown.len() { shown.trim_end().len() } else { end }.max(start)
    }

    /// Text of a line (from 1), without its end; empty where there is no such line.
    pub fn line_text(&self, file: FileId, line: u32) -> &'a str {
        let text = self.files.text(file);
        let index = self.index(file);
        if line == 0 || line > index.line_count() {
            return "";
        }
        let start = index.line_start(line) as usize;
        let end = if line == index.line_count() { text.len() } else { index.line_start(line + 1) as usize };
        text[start..end].trim_end_matches(['\n', '\r'])
    }

    fn index(&self, file: FileId) -> Rc<LineIndex> {
        let mut indexes = self.indexes.borrow_mut();
        Rc::clone(indexes.entry(file).or_insert_with(|| Rc::new(LineIndex::new(self.files.text(file)))))
    }
}
