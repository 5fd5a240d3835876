//! A project's own model tables, cut out of the configuration for the layer that knows their shape.

use super::Mistake;

/// A project's own model tables, unread.
#[derive(Clone, Debug)]
pub struct Models {
    /// The file they stand in, as it is shown.
    pub path: String,
    /// The tables as TOML text of their own.
    pub text: String,
    /// The whole file where lines and columns of `text` are those of the file; absent where they are not.
    source: Option<String>,
    /// Where the tables begin.
    place: Mistake,
}

impl Models {
    /// Cuts `table` out of `source`, in which it stands under the dotted name `key`.
    pub(super) fn cut(path: &str, source: &str, key: &str, table: &toml::Spanned<toml::Table>) -> Models {
        let aligned = aligned(source, key);
        let same = toml::from_str::<toml::Table>(&aligned).is_ok_and(|cut| cut == *table.get_ref());
        let text = if same { aligned } else { toml::to_string(table.get_ref()).unwrap_or_default() };
        let place = Mistake::at(path, source, table.span(), "");
        Models { path: path.to_owned(), text, source: same.then(|| source.to_owned()), place }
    }

    /// A mistake that was found in the tables, at a line and column of [`Models::text`].
    pub fn mistake(&self, line: u32, column: u32, message: &str, help: Option<String>) -> Mistake {
        let mut mistake = match &self.source {
            Some(source) => {
                let excerpt = source.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default().to_owned();
                Mistake { line, column: column.max(1), excerpt, width: 1, ..self.place.clone() }
            }
            None => self.place.clone(),
        };
        mistake.message = message.to_owned();
        mistake.help(help)
    }
}

/// The source with everything blanked but the tables under `key`, whose headers lose `key`, so that all lines and
/// columns stay. Right for tables with headers; whoever wrote them inline gets a text that does not compare equal.
fn aligned(source: &str, key: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut inside = false;
    for line in source.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let brackets = trimmed.len() - trimmed.trim_start_matches('[').len();
        let mut kept = None;
        if brackets == 1 || brackets == 2 {
            let header = &trimmed[brackets..];
            let rest = header.trim_start().strip_prefix(key).filter(|rest| rest.starts_with(['.', ']']));
            inside = rest.is_some();
            kept = rest.and_then(|rest| rest.strip_prefix('.')).map(|rest| {
                let blank = line.len() - rest.len() - brackets;
                format!("{}{}{rest}", " ".repeat(blank), "[".repeat(brackets))
            });
        } else if inside {
            kept = Some(line.to_owned());
        }
        match kept {
            Some(kept) => out.push_str(&kept),
            None if line.ends_with('\n') => out.push('\n'),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_keep_their_lines_and_columns() {
        let source = "select = [\"all\"]\n[[tool.ranklint.models.operation]]\nname = 'x'\n[tool.other]\ny = 1\n";
        let cut = aligned(source, "tool.ranklint.models");
        assert_eq!(cut, format!("\n{}[[operation]]\nname = 'x'\n\n\n", " ".repeat(21)));
        assert_eq!(cut.find("operation"), source.find("operation").map(|at| at - 16));
    }
}
