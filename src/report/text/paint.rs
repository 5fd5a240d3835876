//! Colours, or none.

use crate::finding::Severity;

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Style {
    /// The sentence that matters most.
    Strong,
    /// Frames, line numbers, names of rules.
    Faint,
    /// The primary place, coloured by severity.
    Primary(Severity),
    /// Every other place.
    Secondary,
    /// The word before a remedy.
    Remedy,
}

/// Paints text where colours are wanted.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Paint {
    color: bool,
}

impl Paint {
    /// Paints exactly when `color` is set.
    pub fn new(color: bool) -> Self {
        Self { color }
    }

    /// `text` in the colour of `style`.
    pub fn paint(self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Strong => "1",
            Style::Faint => "2",
            Style::Primary(Severity::Error) => "1;31",
            Style::Primary(Severity::Warning) => "1;33",
            Style::Primary(Severity::Note) => "1;34",
            Style::Secondary => "36",
            Style::Remedy => "32",
        };
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// `text` in the colour of `severity`.
    pub fn severity(self, severity: Severity, text: &str) -> String {
        self.paint(Style::Primary(severity), text)
    }
}
