//! What is open in the editor: texts, and notebooks whose Python cells make one text in their order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{NotebookCell, NotebookCellKind, TextDocumentContentChangeEvent, TextDocumentItem, Uri};

use super::convert::{Encoding, Lines, is_shell};
use super::uri::path_of;
use crate::source::Kind;

/// A text that is open.
pub(super) struct Document {
    pub uri: Uri,
    pub version: i32,
    pub text: String,
    pub language: String,
}

/// A notebook that is open.
struct Notebook {
    path: PathBuf,
    cells: Vec<(Uri, bool)>,
}

/// A file as it is analysed, by what is open.
pub(super) struct Buffer {
    pub path: PathBuf,
    pub kind: Kind,
    pub text: Arc<str>,
}

/// The part of an analysed file that an open document shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub path: PathBuf,
    /// Lines of the file before the document's first.
    pub first: u32,
    /// How many lines the document has; absent where it is the whole file.
    pub lines: Option<u32>,
}

/// Everything that is open.
#[derive(Default)]
pub(super) struct Documents {
    /// By address, as the client writes it.
    texts: BTreeMap<String, Document>,
    notebooks: BTreeMap<String, Notebook>,
}

impl Documents {
    pub(super) fn open(&mut self, item: TextDocumentItem) {
        let TextDocumentItem { uri, language_id, version, text } = item;
        self.texts.insert(uri.to_string(), Document { uri, version, text, language: language_id });
    }

    pub(super) fn close(&mut self, uri: &Uri) {
        self.texts.remove(uri.as_str());
    }

    /// Applies changes in their order. What lies outside the text is taken to lie at its end.
    pub(super) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let Some(document) = self.texts.get_mut(uri.as_str()) else { return };
        document.version = version;
        for change in changes {
            match change.range {
                None => document.text = change.text,
                Some(range) => {
                    let lines = Lines::new(&document.text, encoding);
                    let start = lines.offset(range.start) as usize;
                    let end = (lines.offset(range.end) as usize).max(start);
                    document.text.replace_range(start..end, &change.text);
                }
            }
        }
    }

    pub(super) fn open_notebook(&mut self, uri: &Uri, cells: Vec<NotebookCell>, texts: Vec<TextDocumentItem>) {
        let Some(path) = path_of(uri.as_str()) else { return };
        texts.into_iter().for_each(|text| self.open(text));
        self.notebooks.insert(uri.to_string(), Notebook { path, cells: cells.into_iter().map(cell).collect() });
    }

    /// Replaces some cells of a notebook.
    pub(super) fn splice(&mut self, uri: &Uri, start: usize, removed: usize, cells: Vec<NotebookCell>) {
        let Some(notebook) = self.notebooks.get_mut(uri.as_str()) else { return };
        let start = start.min(notebook.cells.len());
        let end = start.saturating_add(removed).min(notebook.cells.len());
        notebook.cells.splice(start..end, cells.into_iter().map(cell));
    }

    pub(super) fn close_notebook(&mut self, uri: &Uri) -> Option<PathBuf> {
        let notebook = self.notebooks.remove(uri.as_str())?;
        for (cell, _) in &notebook.cells {
            self.texts.remove(cell.as_str());
        }
        Some(notebook.path)
    }

    /// The document at an address.
    pub(super) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.texts.get(uri.as_str())
    }

    /// The document at an address that is given as text.
    pub(super) fn get_by_name(&self, uri: &str) -> Option<&Document> {
        self.texts.get(uri)
    }

    /// The first cell of a notebook.
    pub(super) fn first_cell(&self, uri: &Uri) -> Option<Uri> {
        self.notebooks.get(uri.as_str())?.cells.first().map(|(cell, _)| cell.clone())
    }

    /// Which file, and which part of it, an open document is.
    pub(super) fn part(&self, uri: &Uri) -> Option<Part> {
        for notebook in self.notebooks.values() {
            let mut first = 0;
            for (cell, _) in notebook.cells.iter().filter(|(_, code)| *code) {
                let lines = self.texts.get(cell.as_str()).map_or(0, |document| line_count(&document.text));
                if cell == uri {
                    return Some(Part { path: notebook.path.clone(), first, lines: Some(lines) });
                }
                first += lines;
            }
        }
        Some(Part { path: path_of(uri.as_str())?, first: 0, lines: None })
    }

    /// The open document that shows a line (from 0) of a file, and the line within it.
    pub(super) fn shows(&self, path: &Path, line: u32) -> Option<(Uri, u32)> {
        if let Some(notebook) = self.notebooks.values().find(|notebook| notebook.path == path) {
            let mut first = 0;
            for (cell, _) in notebook.cells.iter().filter(|(_, code)| *code) {
                let lines = self.texts.get(cell.as_str()).map_or(0, |document| line_count(&document.text));
                if line < first + lines {
                    return Some((cell.clone(), line - first));
                }
                first += lines;
            }
            return None;
        }
        let document = self.texts.values().find(|document| path_of(document.uri.as_str()).as_deref() == Some(path))?;
        Some((document.uri.clone(), line))
    }

    /// All open documents that are part of some file, in order.
    pub(super) fn uris(&self) -> Vec<Uri> {
        self.texts.values().map(|document| document.uri.clone()).collect()
    }

    /// The file that an address belongs to, as it is to be analysed; absent where nothing of it is open, or where it is
    /// in no language that is read.
    pub(super) fn buffer(&self, uri: &Uri) -> Option<Buffer> {
        let path = self.part(uri).map(|part| part.path)?;
        if let Some(notebook) = self.notebooks.values().find(|notebook| notebook.path == path) {
            let mut text = String::new();
            for (cell, _) in notebook.cells.iter().filter(|(_, code)| *code) {
                let Some(document) = self.texts.get(cell.as_str()) else { continue };
                text.push_str(&without_magic(&document.text));
                text.push('\n');
            }
            return Some(Buffer { path, kind: Kind::Python, text: text.into() });
        }
        let document = self.texts.get(uri.as_str())?;
        let kind = if is_shell(&document.language, &path) {
            Kind::Shell
        } else if document.language == "python" || Kind::of(&path) == Some(Kind::Python) {
            Kind::Python
        } else {
            return None;
        };
        Some(Buffer { path, kind, text: document.text.as_str().into() })
    }
}

fn cell(cell: NotebookCell) -> (Uri, bool) {
    (cell.document, cell.kind == NotebookCellKind::Code)
}

/// Lines of a cell in the notebook's text: each cell ends its last line.
fn line_count(text: &str) -> u32 {
    Lines::new(text, Encoding::Utf8).count()
}

/// A cell's text with the lines that only IPython understands made comments, byte for byte as long.
fn without_magic(text: &str) -> String {
    if text.starts_with("%%") {
        return text.split_inclusive('\n').map(|line| commented(line, 0)).collect();
    }
    text.split_inclusive('\n')
        .map(|line| {
            let indent = line.len() - line.trim_start().len();
            match line[indent..].starts_with(['%', '!']) {
                true => commented(line, indent),
                false => line.to_owned(),
            }
        })
        .collect()
}

fn commented(line: &str, at: usize) -> String {
    match line.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() && !byte.is_ascii_whitespace() => {
            format!("{}#{}", &line[..at], &line[at + 1..])
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr as _;

    fn item(uri: &str, text: &str) -> TextDocumentItem {
        let uri = Uri::from_str(uri).expect("it is an address");
        TextDocumentItem { uri, language_id: "python".to_owned(), version: 1, text: text.to_owned() }
    }

    #[test]
    fn the_cells_of_a_notebook_make_one_text() {
        let mut documents = Documents::default();
        let notebook = Uri::from_str("file:///n.ipynb").expect("it is an address");
        let cell = |uri: &str, kind| NotebookCell {
            kind,
            document: Uri::from_str(uri).expect("it is an address"),
            metadata: None,
            execution_summary: None,
        };
        let cells = vec![
            cell("cell:1", NotebookCellKind::Code),
            cell("cell:2", NotebookCellKind::Markup),
            cell("cell:3", NotebookCellKind::Code),
        ];
        let texts = vec![item("cell:1", "%time\na = 1"), item("cell:2", "# hi"), item("cell:3", "b = 2\n")];
        documents.open_notebook(&notebook, cells, texts);
        let third = Uri::from_str("cell:3").expect("it is an address");
        let buffer = documents.buffer(&third).expect("it is open");
        assert_eq!(&*buffer.text, "#time\na = 1\nb = 2\n\n");
        assert_eq!(documents.part(&third).map(|part| part.first), Some(2));
        assert_eq!(documents.shows(Path::new("/n.ipynb"), 2), Some((third, 0)));
    }
}
