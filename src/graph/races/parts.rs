//! Files of which every rank writes one, with its number in the name, and which one rank reads together.

use super::names::{assigned, made_of, names_in_path, names_of};
use super::places::{Place, plain};
use super::single::read_or_called;
use super::touches::Touch;
use crate::base::{FileId, Span, Symbol};
use crate::catalog::ValueKind;
use crate::graph::program::Program;
use crate::model::{
    BinaryOp, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement, expressions_of,
};

/// Stands for the number in a name.
const NUMBER: char = '#';

/// Names that a path is followed back through.
const ROUNDS: usize = 2;

/// How a path tells the files of the ranks apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The one of this rank: `f"part-{rank}.pt"`. The last step of the path, as the function writes it.
    Own(String),
    /// One after the other, by a loop over numbers: `f"part-{i}.pt"`.
    Each(String),
    /// All that fit a pattern: `"part-*.pt"`.
    All(String),
}

impl Part {
    /// How the path of a call does that, if it does: what is written may be this rank's, what is read may be anybody's.
    pub fn of(
        program: &Program,
        (file, local): (FileId, LocalFunction),
        path: ExprId,
        (touch, call): (Touch, Symbol),
    ) -> Option<Part> {
        let model = &program.file(file).model;
        let path = followed(model, local, path);
        match touch {
            Touch::Writes => {
                let ranks = spans(model, path, |expr| is_rank(program, model, expr));
                named(program, file, path, &ranks).map(Part::Own)
            }
            _ if touch.reads() && call.as_str().ends_with("glob") => {
                let name = name_of(program, file, path, &[]);
                name.contains('*').then_some(Part::All(name))
            }
            _ if touch.reads() => {
                let counted = numbers(model, local);
                let is_counted = |expr: ExprId| matches!(model.expr(expr), Expr::Name(name) if counted.contains(&name));
                named(program, file, path, &spans(model, path, is_counted)).map(Part::Each)
            }
            _ => None,
        }
    }

    /// Whether this is what one rank reads of what another says each writes.
    pub fn reads(&self, written: &Part) -> bool {
        match (self, written) {
            (Part::Each(read), Part::Own(own)) => read == own,
            (Part::All(pattern), Part::Own(own)) => fits(pattern, &filled(own)),
            _ => false,
        }
    }
}

/// Whether something of what two paths are made of is the same, besides the numbers in them; or neither is made of anything.
pub(super) fn lie_together(
    program: &Program,
    (file, local): (FileId, LocalFunction),
    one: &Place,
    other: &Place,
) -> bool {
    let model = &program.file(file).model;
    let (Place::At(one) | Place::Within(one, _), Place::At(other) | Place::Within(other, _)) = (one, other) else {
        return matches!((one, other), (Place::Own(one), Place::Own(other)) if one == other);
    };
    let counted = numbers(model, local);
    let is_number = |name: &Symbol| {
        counted.contains(name)
            || program.catalog.is_rank_by_name(*name)
            || matches!(name.as_str(), "os" | "path" | "join")
    };
    let names = |path: ExprId| -> Vec<Symbol> {
        let names = made_of(model, local, names_of(model, path), names_in_path);
        names.into_iter().filter(|name| !is_number(name)).collect()
    };
    let (one, other) = (names(*one), names(*other));
    one.is_empty() && other.is_empty() || one.iter().any(|name| other.contains(name))
}

/// A path that a name stands for: what it was given last, going by the lines.
fn followed(model: &File, local: LocalFunction, path: ExprId) -> ExprId {
    let mut path = plain(model, path);
    for _ in 0..ROUNDS {
        let Expr::Name(name) = model.expr(path) else { break };
        let before = |value: &ExprId| model.span(*value).end <= model.span(path).start;
        let Some(value) = assigned(model, local, name).into_iter().rfind(before) else { break };
        path = plain(model, value);
    }
    path
}

/// The largest parts of an expression that are wanted.
fn spans(model: &File, root: ExprId, wanted: impl Fn(ExprId) -> bool) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    each_expression(model, root, &mut |expr, _| {
        let span = model.span(expr);
        if !out.iter().any(|known| known.holds(span)) && wanted(expr) {
            out.push(span);
        }
    });
    out
}

/// Whether an expression is the number of this process: `rank`, `args.local_rank`, `dist.get_rank()`.
fn is_rank(program: &Program, model: &File, expr: ExprId) -> bool {
    let known = read_or_called(model, expr).and_then(|name| program.catalog.convention(name));
    known.is_some_and(|known| known.value.kind == ValueKind::Rank)
}

/// The variables of a function that go through numbers: `for i in range(world_size)`.
fn numbers(model: &File, local: LocalFunction) -> Vec<Symbol> {
    let counts = |iter: ExprId| match model.expr(iter) {
        Expr::Call(call) => model.last_name(model.call(call).callee).is_some_and(|name| name.as_str() == "range"),
        _ => false,
    };
    let mut out = Vec::new();
    let mut goes_through = |target: ExprId, iter: ExprId| match model.expr(target) {
        Expr::Name(name) if counts(iter) => out.push(name),
        _ => {}
    };
    each_statement(model, model.function(local).body, &mut |_, stmt| {
        if let Stmt::For { target, iter, .. } = stmt {
            goes_through(*target, *iter);
        }
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, part| {
                if let Expr::Comprehension(at) = part {
                    model.comprehension(at).clauses.iter().for_each(|clause| goes_through(clause.target, clause.iter));
                }
            });
        }
    });
    out
}

/// The last step of a path, if there is a number in it.
fn named(program: &Program, file: FileId, path: ExprId, numbers: &[Span]) -> Option<String> {
    let name = if numbers.is_empty() { String::new() } else { name_of(program, file, path, numbers) };
    name.contains(NUMBER).then_some(name)
}

/// The last step of a path as it is written, with a sign for each number, and without spaces and quotes.
fn name_of(program: &Program, file: FileId, path: ExprId, numbers: &[Span]) -> String {
    let model = &program.file(file).model;
    let mut step = path;
    loop {
        step = match model.expr(step) {
            Expr::Binary(BinaryOp::Div, _, name) => name,
            Expr::Call(call) if joins(model, call) => match model.list(model.call(call).args).last() {
                Some(&name) => name,
                None => break,
            },
            _ => break,
        };
    }
    let span = model.span(step);
    let mut text = program.text(file, span).to_owned();
    let mut inside: Vec<Span> = numbers.iter().copied().filter(|&number| span.holds(number)).collect();
    inside.sort_by_key(|number| std::cmp::Reverse(number.start));
    for number in inside {
        text.replace_range((number.start - span.start) as usize..(number.end - span.start) as usize, "#");
    }
    let formatted = matches!(model.expr(step), Expr::Format(_));
    let text = text.strip_prefix(['f', 'F']).filter(|_| formatted).unwrap_or(&text);
    let name = text.rsplit('/').next().unwrap_or(text);
    name.chars().filter(|sign| !sign.is_whitespace() && !matches!(sign, '"' | '\'')).collect()
}

fn joins(model: &File, call: u32) -> bool {
    let name = model.last_name(model.call(call).callee);
    name.is_some_and(|name| matches!(name.as_str(), "join" | "joinpath"))
}

/// A name with a number in the place of the sign for it: `part-0.pt` of `part-{#}.pt`.
fn filled(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some(at) = rest.find(NUMBER) {
        let opens = rest[..at].ends_with('{');
        out.push_str(&rest[..at - usize::from(opens)]);
        out.push('0');
        rest = &rest[at + 1..];
        if opens {
            rest = rest.split_once('}').map_or("", |(_, behind)| behind);
        }
    }
    out + rest
}

/// Whether a text is one that a pattern with `*` describes.
fn fits(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last = None;
    for piece in pieces {
        if let Some(before) = last.replace(piece) {
            let Some(at) = rest.find(before) else { return false };
            rest = &rest[at + before.len()..];
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::{filled, fits};

    #[test]
    fn a_number_stands_where_the_sign_was() {
        assert_eq!(filled("part-{#}.pt"), "part-0.pt");
        assert_eq!(filled("part-{#:03d}-{name}.pt"), "part-0-{name}.pt");
        assert_eq!(filled("part-+str(#)"), "part-+str(0)");
    }

    #[test]
    fn stars_stand_for_anything() {
        assert!(fits("part-*.pt", "part-0.pt"));
        assert!(fits("*", "part-0.pt"));
        assert!(fits("*-*.pt", "part-0.pt"));
        assert!(!fits("other-*.pt", "part-0.pt"));
        assert!(!fits("part-*.json", "part-0.pt"));
        assert!(!fits("part", "part-0.pt"));
    }
}
