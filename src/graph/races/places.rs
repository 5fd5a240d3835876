//! Paths as a function knows them, and as who calls it does.

use std::borrow::Cow;

use super::common::Common;
use super::made::Made;
use super::names::{assigned, made_of, names_in_path, names_of};
use super::spelled::Spelled;
use crate::base::{FileId, FunctionId, Symbol};
use crate::graph::program::Program;
use crate::model::{Call, Expr, ExprId, File, LocalFunction};

/// A path as a function knows it.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// What this says.
    At(ExprId),
    /// Something in the folder that this says; with how it is spelled, if that is known.
    Within(ExprId, Option<String>),
    /// An attribute of the object, by its text.
    Own(String),
}

impl Place {
    /// Whether two expressions, or what an object holds, are the same path.
    pub fn is(&self, common: &Common<'_>, at: (FileId, LocalFunction), other: &Place) -> bool {
        let ways = ways_to_say(common.program, at, other);
        ways_to_say(common.program, at, self).iter().any(|way| ways.contains(way))
    }

    /// Whether it is spelled as a folder, and something behind that.
    pub fn goes_on_from(&self, common: &Common<'_>, at: (FileId, LocalFunction), folder: &Place) -> bool {
        let ways = match self {
            Place::Within(around, _) => {
                let around = ways_to_say(common.program, at, &Place::At(*around)).into_iter();
                around.map(|way| format!("{way}/")).collect()
            }
            _ => ways_to_say(common.program, at, self),
        };
        ways_to_say(common.program, at, folder).iter().any(|folder| {
            ways.iter().any(|way| way.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/')))
        })
    }

    /// Whether it lies in a folder.
    pub fn lies_in(&self, common: &Common<'_>, (file, local): (FileId, LocalFunction), folder: &Place) -> bool {
        let program = common.program;
        let model = &program.file(file).model;
        let (Place::At(path) | Place::Within(path, _), Place::At(folder)) = (self, folder) else { return false };
        let (inner, outer) = (text_of(program, file, *path), text_of(program, file, *folder));
        if matches!(self, Place::Within(..)) && inner == outer {
            return true;
        }
        if let Some(within) = around(model, *folder) {
            return text_of(program, file, within) == inner;
        }
        match model.expr(plain(model, *folder)) {
            Expr::Name(name) | Expr::Attribute { name, .. } => {
                inner != outer && made_of(model, local, names_of(model, *path), names_in_path).contains(&name)
            }
            // `"logs/" + name + "/config.json"`
            Expr::Binary(..) => inner.len() > outer.len() && inner.starts_with(&*outer),
            _ => false,
        }
    }
}

/// What a path of a function is for who calls it: what that hands over, a folder that it does, or what the object holds.
pub(super) fn handed(
    common: &Common<'_>,
    callee: FunctionId,
    path: ExprId,
    (caller, made): (FunctionId, &Made),
) -> Vec<Place> {
    let program = common.program;
    let (file, local) = program.locate(callee);
    let model = &program.file(file).model;
    let given = |name: Symbol| common.given(callee, caller, made, name);
    match model.expr(plain(model, path)) {
        Expr::Name(name) if assigned(model, local, name).is_empty() && given(name).is_some() => {
            return given(name).map(Place::At).into_iter().collect();
        }
        Expr::Attribute { value, .. } if model.expr(value) == Expr::Name(Symbol::new("self")) => {
            let held = of_object(program, program.locate(caller).0, made.call, &text_of(program, file, path));
            return held.into_iter().collect();
        }
        _ => {}
    }
    let spelled = Spelled::of(program, file, path);
    if let Expr::Name(root) = model.expr(spelled.root)
        && assigned(model, local, root).is_empty()
        && let Some(folder) = given(root)
    {
        let around = Spelled::of(program, program.locate(caller).0, folder);
        return vec![Place::Within(folder, around.with(&spelled))];
    }
    let names = made_of(model, local, names_of(model, path), names_in_path);
    names.into_iter().filter_map(given).map(|folder| Place::Within(folder, None)).collect()
}

/// What an object holds, as whoever calls its method says it: `job.folder` of `self.folder`.
fn of_object(program: &Program, file: FileId, call: Call, text: &str) -> Option<Place> {
    let model = &program.file(file).model;
    let Expr::Attribute { value, .. } = model.expr(call.callee) else { return None };
    let (Expr::Name(_) | Expr::Attribute { .. }) = model.expr(value) else { return None };
    let inside = text.strip_prefix("self.")?;
    Some(Place::Own(format!("{}.{inside}", text_of(program, file, value))))
}

/// What a function calls a path: by itself, or by the one or two paths that it has given another name.
fn ways_to_say(program: &Program, (file, local): (FileId, LocalFunction), place: &Place) -> Vec<String> {
    let path = match place {
        Place::Own(text) => return vec![text.clone()],
        Place::Within(_, spelled) => return spelled.iter().cloned().collect(),
        Place::At(path) => *path,
    };
    let model = &program.file(file).model;
    let named = match model.expr(plain(model, path)) {
        Expr::Name(name) => assigned(model, local, name),
        _ => Vec::new(),
    };
    let of_value = |&value: &ExprId| match model.expr(value) {
        Expr::IfElse(at) => model.if_else(at)[1..].to_vec(),
        Expr::Name(_) | Expr::Attribute { .. } => vec![value],
        _ if !Spelled::of(program, file, value).parts.is_empty() => vec![value],
        _ => Vec::new(),
    };
    let others = if named.len() == 1 { of_value(&named[0]) } else { Vec::new() };
    let says = |path: &ExprId| !matches!(model.expr(*path), Expr::None | Expr::Missing);
    let spelled = |path: ExprId| Spelled::of(program, file, path).to_string();
    std::iter::once(path).chain(others).filter(says).map(spelled).collect()
}

/// A path without what makes a path of it, or the same path in other words: `Path(x)`, `str(x)`, `x.as_posix()`.
pub(super) fn plain(model: &File, path: ExprId) -> ExprId {
    let mut plain = path;
    while let Expr::Call(call) = model.expr(plain)
        && let call = model.call(call)
        && let Some(name) = model.last_name(call.callee).map(Symbol::as_str)
    {
        plain = match (name, model.list(call.args), model.expr(call.callee)) {
            ("Path" | "str" | "fspath", &[inner], _) => inner,
            ("as_posix" | "resolve" | "absolute" | "expanduser", [], Expr::Attribute { value, .. }) => value,
            _ => break,
        };
    }
    plain
}

/// How a path is written, without what makes a path of it: `"./logs/"` is `"logs"`.
pub(super) fn text_of(program: &Program, file: FileId, path: ExprId) -> Cow<'_, str> {
    let model = &program.file(file).model;
    let plain = plain(model, path);
    match model.expr(plain) {
        Expr::Str(text) => {
            let text = text.as_str().trim_start_matches("./");
            Cow::Owned(format!("{:?}", if text == "/" { text } else { text.trim_end_matches('/') }))
        }
        _ => Cow::Borrowed(program.text(file, model.span(plain))),
    }
}

/// The folder of which an expression says that it is the one around a path: `os.path.dirname(path)`, `path.parent`.
fn around(model: &File, folder: ExprId) -> Option<ExprId> {
    match model.expr(plain(model, folder)) {
        Expr::Attribute { value, name } if name.as_str() == "parent" => Some(value),
        Expr::Call(call) => {
            let call = model.call(call);
            let is_dirname = model.last_name(call.callee).is_some_and(|name| name.as_str() == "dirname");
            model.list(call.args).first().copied().filter(|_| is_dirname)
        }
        _ => None,
    }
}
