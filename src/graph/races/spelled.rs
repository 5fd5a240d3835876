//! Paths part by part, however they are put together.

use std::fmt;

use super::places::{plain, text_of};
use crate::base::FileId;
use crate::graph::program::Program;
use crate::model::{BinaryOp, Expr, ExprId, File};

/// A path: where it begins, and what is put behind that. `os.path.join(folder, "a/b")`, `folder / "a" / "b"` and
/// `f"{folder}/a/b"` are the same.
pub(super) struct Spelled {
    /// What is no path put together of others.
    pub root: ExprId,
    begins: String,
    /// What follows, with nothing known of what is no text.
    pub parts: Vec<Part>,
}

/// A step into a folder.
pub(super) enum Part {
    /// A name that is written out.
    Text(String),
    /// Anything else, as the function says it.
    Said(String),
}

impl Spelled {
    /// How a path is spelled in a file.
    pub fn of(program: &Program, file: FileId, path: ExprId) -> Spelled {
        let model = &program.file(file).model;
        let mut parts = Vec::new();
        let mut root = plain(model, path);
        while let Some((inner, behind)) = taken_apart(program, file, root) {
            // Collected from behind.
            parts.extend(behind.into_iter().rev());
            root = plain(model, inner);
        }
        parts.reverse();
        Spelled { root, begins: text_of(program, file, root).into_owned(), parts }
    }

    /// How another path is spelled that begins with what this one is; unknown where that goes on with what only its function
    /// knows.
    pub fn with(&self, other: &Spelled) -> Option<String> {
        let is_text = |part: &Part| matches!(part, Part::Text(_));
        let behind: String = other.parts.iter().map(|part| format!("/{part}")).collect();
        other.parts.iter().all(is_text).then(|| format!("{self}{behind}"))
    }
}

impl fmt::Display for Spelled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.begins)?;
        self.parts.iter().try_for_each(|part| write!(out, "/{part}"))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Text(text) => out.write_str(text),
            Part::Said(said) => write!(out, "{{{said}}}"),
        }
    }
}

/// A folder, and those that it is said to lie in: `os.path.join(folder, name)`, `folder / name`.
pub(super) fn folders_of(program: &Program, file: FileId, folder: ExprId) -> impl Iterator<Item = ExprId> + '_ {
    let model = &program.file(file).model;
    let around = move |&inner: &ExprId| taken_apart(program, file, plain(model, inner)).map(|(folder, _)| folder);
    std::iter::successors(Some(folder), around)
}

/// The folder that an expression begins with, and what it puts behind that.
fn taken_apart(program: &Program, file: FileId, path: ExprId) -> Option<(ExprId, Vec<Part>)> {
    let model = &program.file(file).model;
    let steps = |expr: ExprId| match model.expr(expr) {
        Expr::Str(text) => steps_of(text.as_str()),
        _ => vec![Part::Said(program.text(file, model.span(expr)).to_owned())],
    };
    match model.expr(path) {
        Expr::Binary(BinaryOp::Div, folder, name) => Some((folder, steps(name))),
        Expr::Binary(BinaryOp::Add, folder, name) => Some((folder, steps_of(behind_slash(model, name)?))),
        Expr::Call(call) => {
            let call = model.call(call);
            let joins = model.last_name(call.callee).is_some_and(|name| matches!(name.as_str(), "join" | "joinpath"));
            let (&first, rest) = model.list(call.args).split_first()?;
            let is_plain = |&given: &ExprId| !matches!(model.expr(given), Expr::Starred(_));
            if !joins || !model.list(call.args).iter().all(is_plain) {
                return None;
            }
            match model.expr(call.callee) {
                Expr::Attribute { value, name } if name.as_str() == "joinpath" => {
                    Some((value, model.list(call.args).iter().flat_map(|&name| steps(name)).collect()))
                }
                // `separator.join(names)` is none.
                _ if rest.is_empty() => None,
                _ => Some((first, rest.iter().flat_map(|&name| steps(name)).collect())),
            }
        }
        Expr::Format(parts) => match *model.list(parts) {
            [folder, rest] if !matches!(model.expr(folder), Expr::Str(_)) => {
                Some((folder, steps_of(behind_slash(model, rest)?)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A text that goes on in the folder before it.
fn behind_slash(model: &File, text: ExprId) -> Option<&'static str> {
    match model.expr(text) {
        Expr::Str(text) if text.as_str().starts_with('/') => Some(text.as_str()),
        _ => None,
    }
}

fn steps_of(text: &str) -> Vec<Part> {
    let steps = text.split('/').filter(|step| !step.is_empty() && *step != ".");
    steps.map(|step| Part::Text(step.to_owned())).collect()
}
