//! A project's own model tables, on their way to the layer that knows their shape.

use super::Mistake;

/// A project's own model tables, unread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Models {
    /// The file they stand in, as it is shown.
    pub path: String,
    /// Its whole text.
    pub text: String,
    /// The keys that lead to the tables.
    pub keys: &'static [&'static str],
}

impl Models {
    /// A mistake that was found in the tables, at a line and column of the file.
    pub fn mistake(&self, line: u32, column: u32, message: &str, help: Option<String>) -> Mistake {
        let excerpt = self.text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default().to_owned();
        let message = message.to_owned();
        Mistake { path: self.path.clone(), line, column: column.max(1), excerpt, width: 1, message, help }
    }
}
