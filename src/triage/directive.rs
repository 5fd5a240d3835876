//! The grammar of suppressions: `ranklint: VERB[NAME, NAME] -- REASON` in a comment.

use crate::base::Span;
use crate::model::Comment;

/// What a suppression covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    /// `ignore`: its line, or the line below.
    Line,
    /// `ignore-file`.
    File,
    /// `disable`: from here on.
    Disable,
    /// `enable`: up to here.
    Enable,
}

impl Verb {
    pub(super) const ALL: [Verb; 4] = [Verb::Line, Verb::File, Verb::Disable, Verb::Enable];

    pub(super) fn name(self) -> &'static str {
        match self {
            Verb::Line => "ignore",
            Verb::File => "ignore-file",
            Verb::Disable => "disable",
            Verb::Enable => "enable",
        }
    }
}

/// A name in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub text: String,
    pub span: Span,
}

/// One suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directive {
    pub verb: Verb,
    /// From the `#` to the end of the comment.
    pub span: Span,
    /// The names; absent without brackets.
    pub names: Option<Vec<Name>>,
    /// What stands behind the dashes; empty where nothing does.
    pub reason: String,
}

/// What a comment turns out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// A suppression.
    Directive(Directive),
    /// Something that was probably meant as one, with the verb that was meant.
    Misspelt { span: Span, verb: String, meant: Verb },
    /// A remark that mentions ranklint.
    Prose,
}

/// Reads a comment.
pub(super) fn read(comment: &Comment) -> Reading {
    let text = &*comment.text;
    let Some((sign, after)) = marker(text) else { return Reading::Prose };
    let at = |offset: usize| comment.span.start + offset as u32;
    let span = Span::new(at(sign), comment.span.end);
    let rest = &text[after..];
    let verb_length = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-' && letter != '_');
    let verb_text = &rest[..verb_length.unwrap_or(rest.len())];
    // `ignore--reason` without brackets: the dashes belong to the reason.
    let verb_text = verb_text.split("--").next().unwrap_or_default();
    let Some(verb) = Verb::ALL.into_iter().find(|verb| verb.name() == verb_text) else {
        return match nearest(verb_text) {
            Some(meant) => Reading::Misspelt { span, verb: verb_text.to_owned(), meant },
            None => Reading::Prose,
        };
    };
    let after_verb = after + verb_text.len();
    let gap = text[after_verb..].len() - text[after_verb..].trim_start().len();
    let open = after_verb + gap;
    let (names, tail) = match text[open..].strip_prefix('[').and_then(|inside| inside.find(']')) {
        Some(length) => (Some(names(&text[open + 1..open + 1 + length], at(open + 1))), &text[open + length + 2..]),
        None => (None, &text[after_verb..]),
    };
    let names = names.filter(|names| !names.is_empty());
    let reason = tail.trim_start().strip_prefix("--").unwrap_or_default().trim().to_owned();
    Reading::Directive(Directive { verb, span, names, reason })
}

/// Offsets of the `#` before `ranklint:` and of what follows it.
fn marker(text: &str) -> Option<(usize, usize)> {
    text.match_indices("ranklint:").find_map(|(at, word)| {
        let before = text[..at].trim_end();
        let after = at + word.len();
        let gap = text[after..].len() - text[after..].trim_start().len();
        before.ends_with('#').then(|| (before.len() - 1, after + gap))
    })
}

fn names(list: &str, start: u32) -> Vec<Name> {
    let mut offset = 0;
    let mut names = Vec::new();
    for part in list.split(',') {
        let text = part.trim();
        if !text.is_empty() {
            let begin = start + (offset + part.len() - part.trim_start().len()) as u32;
            names.push(Name { text: text.to_owned(), span: Span::new(begin, begin + text.len() as u32) });
        }
        offset += part.len() + 1;
    }
    names
}

fn nearest(word: &str) -> Option<Verb> {
    let word = word.to_ascii_lowercase().replace('_', "-");
    Verb::ALL
        .into_iter()
        .map(|verb| (strsim::normalized_damerau_levenshtein(verb.name(), &word), verb))
        .filter(|(likeness, _)| *likeness > 0.6)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, verb)| verb)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(text: &str) -> Reading {
        read(&Comment { span: Span::new(10, 10 + text.len() as u32), text: text.into(), own_line: false })
    }

    fn directive(text: &str) -> (Verb, Vec<String>, String) {
        match reading(text) {
            Reading::Directive(directive) => {
                let names = directive.names.unwrap_or_default();
                (directive.verb, names.into_iter().map(|name| name.text).collect(), directive.reason)
            }
            other => panic!("{text} reads as {other:?}"),
        }
    }

    #[test]
    fn suppressions_are_read() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(directive("# ranklint: ignore[a, b] -- why"), (Verb::Line, names(&["a", "b"]), "why".to_owned()));
        assert_eq!(directive("#ranklint:ignore-file[a]"), (Verb::File, names(&["a"]), String::new()));
        assert_eq!(directive("# noqa # ranklint: disable [a]--  "), (Verb::Disable, names(&["a"]), String::new()));
        assert_eq!(directive("# ranklint: ignore -- why"), (Verb::Line, names(&[]), "why".to_owned()));
        assert_eq!(directive("# ranklint: ignore--why"), (Verb::Line, names(&[]), "why".to_owned()));
        assert_eq!(directive("# ranklint: ignore[] -- why"), (Verb::Line, names(&[]), "why".to_owned()));
        assert_eq!(directive("# ranklint: ignore[a"), (Verb::Line, names(&[]), String::new()));
        assert_eq!(reading("# we use ranklint: it is good"), Reading::Prose);
        assert_eq!(reading("# ranklint: good"), Reading::Prose);
        assert!(matches!(reading("# ranklint: ingore[a]"), Reading::Misspelt { meant: Verb::Line, .. }));
        assert!(matches!(reading("# ranklint: ignore_file[a]"), Reading::Misspelt { meant: Verb::File, .. }));
    }

    #[test]
    fn spans_count_from_the_start_of_the_file() {
        let Reading::Directive(directive) = reading("# ranklint: ignore[ab,  c]") else { panic!("a suppression") };
        let spans: Vec<_> = directive.names.into_iter().flatten().map(|name| name.span).collect();
        assert_eq!(spans, [Span::new(29, 31), Span::new(34, 35)]);
    }
}
