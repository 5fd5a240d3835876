//! A mistake in a configuration: where, what, and what was probably meant.

use std::fmt;
use std::ops::Range;

use crate::base::LineIndex;

/// A mistake in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file, as it is shown.
    pub path: String,
    /// Line, from 1; 0 where the file as a whole is meant.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The offending line.
    pub excerpt: String,
    /// How many characters of it are meant.
    pub width: usize,
    /// What is wrong, lower case, no full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Mistake {
    /// A mistake at a byte range of `text`.
    pub fn at(path: &str, text: &str, range: Range<usize>, message: impl Into<String>) -> Mistake {
        let index = LineIndex::new(text);
        let position = index.position(text, range.start as u32);
        let start = index.line_start(position.line) as usize;
        let excerpt = text[start..].lines().next().unwrap_or_default().to_owned();
        let marked = text.get(range).and_then(|marked| marked.lines().next()).unwrap_or_default();
        let width = marked.trim_end().chars().count().max(1);
        let (line, column) = (position.line, position.column);
        Mistake { path: path.to_owned(), line, column, excerpt, width, message: message.into(), help: None }
    }

    /// A mistake of the file as a whole.
    pub fn whole(path: &str, message: impl Into<String>) -> Mistake {
        let excerpt = String::new();
        Mistake { path: path.to_owned(), line: 0, column: 0, excerpt, width: 0, message: message.into(), help: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: Option<String>) -> Mistake {
        self.help = help;
        self
    }

    /// What the TOML reader says, in our words where we have some.
    pub(super) fn of_toml(path: &str, text: &str, error: &toml::de::Error) -> Mistake {
        let raw = error.message().trim();
        let range = error.span().unwrap_or(0..0);
        let (message, help) = match raw.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`')) {
            Some((key, rest)) => {
                let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
                let help = match nearest(key, &known) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("known here: {}", known.join(", ")),
                };
                (format!("unknown key `{key}`"), Some(help))
            }
            None => match raw.strip_prefix("unknown variant `").and_then(|rest| rest.split_once('`')) {
                Some((value, rest)) => {
                    let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
                    let help = match nearest(value, &known) {
                        Some(meant) => format!("did you mean `{meant}`?"),
                        None => format!("one of: {}", known.join(", ")),
                    };
                    (format!("unknown value `{value}`"), Some(help))
                }
                None => (raw.replace('\n', ", "), None),
            },
        };
        Mistake::at(path, text, range, message).help(help)
    }
}

/// The known word that was probably meant.
pub(super) fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word = word.to_lowercase().replace('_', "-");
    known
        .iter()
        .map(|known| (strsim::jaro_winkler(known, &word), *known))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, known)| known)
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}: {}", self.path, self.message)?;
        } else {
            write!(f, "{}:{}:{}: {}", self.path, self.line, self.column, self.message)?;
            let number = self.line.to_string();
            let gutter = " ".repeat(number.len());
            let excerpt = self.excerpt.replace('\t', " ");
            let indent = " ".repeat(self.column as usize - 1);
            write!(f, "\n{gutter} |\n{number} | {excerpt}\n{gutter} | {indent}{}", "^".repeat(self.width))?;
        }
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}
