//! What most rules need of calls: the few of a file that may matter, and their arguments.

use rustc_hash::FxHashSet;

use crate::base::{FileId, Site, Symbol};
use crate::graph::Program;
use crate::model::{Call, Expr, ExprId, File, FunctionKind, LocalFunction, calls_to};

/// One call of a program.
#[derive(Clone, Copy)]
pub(super) struct CallSite {
    /// The file.
    pub file: FileId,
    /// The function in whose body it stands.
    pub function: LocalFunction,
    /// The call as an expression.
    pub expr: ExprId,
    /// Its parts.
    pub call: Call,
}

impl CallSite {
    /// The dotted name of what is called, `open` or `torch.save`.
    pub fn callee(&self, program: &Program) -> Option<Symbol> {
        program.resolve(self.file, self.function, self.call.callee)
    }

    /// The last name of what is called.
    pub fn last_name(&self, model: &File) -> Option<Symbol> {
        last_name(model, self.call.callee)
    }

    /// Where the call stands.
    pub fn site(&self, model: &File) -> Site {
        Site { file: self.file, span: model.span(self.expr) }
    }

    /// Where an expression of the same file stands.
    pub fn site_of(&self, model: &File, expr: ExprId) -> Site {
        Site { file: self.file, span: model.span(expr) }
    }
}

/// The last name of a name or a chain of attributes.
pub(super) fn last_name(model: &File, expr: ExprId) -> Option<Symbol> {
    match model.expr(expr) {
        Expr::Name(name) | Expr::Attribute { name, .. } => Some(name),
        _ => None,
    }
}

/// The calls of a file whose last name is in `names`, or an alias under which one of these was imported, in source order
/// within each function. A file that mentions none costs a few lookups.
pub(super) fn calls_named(program: &Program, file: FileId, names: &FxHashSet<Symbol>) -> Vec<CallSite> {
    let model = &program.file(file).model;
    if !model.names().may_hold_any(names) {
        return Vec::new();
    }
    let aliases: Vec<Symbol> = model
        .imports
        .iter()
        .filter(|(_, import)| import.from)
        .flat_map(|(_, import)| &import.names)
        .filter(|alias| names.contains(&alias.name))
        .filter_map(|alias| alias.alias)
        .collect();
    if aliases.is_empty() && !model.calls_one_of(names) {
        return Vec::new();
    }
    let wanted =
        |callee: ExprId| last_name(model, callee).is_some_and(|name| names.contains(&name) || aliases.contains(&name));
    calls_to(model, &wanted).into_iter().map(|(function, expr, call)| CallSite { file, function, expr, call }).collect()
}

/// The bodies of a file that [`crate::model::each_call`] and [`crate::model::each_statement`] have to be started on to see every
/// expression once: lambdas are seen where they stand.
pub(super) fn bodies(model: &File) -> impl Iterator<Item = LocalFunction> + '_ {
    model
        .functions
        .iter()
        .enumerate()
        .filter(|(_, function)| function.kind != FunctionKind::Lambda && !function.skeleton)
        .map(|(index, _)| LocalFunction(index as u32))
}

/// The argument at `position` or of that name. Absent when it is not given, or may hide behind `*args`.
pub(super) fn argument(model: &File, call: Call, position: Option<usize>, name: &str) -> Option<ExprId> {
    if let Some(keyword) = keyword(model, call, name) {
        return Some(keyword);
    }
    let args = model.list(call.args);
    let position = position?;
    let given = args.get(..=position)?;
    let starred = given.iter().any(|&arg| matches!(model.expr(arg), Expr::Starred(_)));
    (!starred).then(|| given[position])
}

/// The argument passed by that name.
pub(super) fn keyword(model: &File, call: Call, name: &str) -> Option<ExprId> {
    model
        .keywords(call)
        .iter()
        .find(|keyword| keyword.name.is_some_and(|given| given.as_str() == name))
        .map(|keyword| keyword.value)
}

/// Whether arguments are passed that the call does not spell out: `*args` or `**kwargs`.
pub(super) fn passes_unseen(model: &File, call: Call) -> bool {
    model.list(call.args).iter().any(|&arg| matches!(model.expr(arg), Expr::Starred(_)))
        || model.keywords(call).iter().any(|keyword| keyword.name.is_none())
}

/// A set of symbols from their texts.
pub(super) fn symbols(texts: impl IntoIterator<Item = &'static str>) -> FxHashSet<Symbol> {
    texts.into_iter().map(Symbol::new).collect()
}

/// The place where a module constant or a local name that `expr` stands for is given its value.
pub(super) fn definition(program: &Program, file: FileId, function: LocalFunction, expr: ExprId) -> Option<Site> {
    use crate::graph::{Scope, Target};
    let model = &program.file(file).model;
    if let Expr::Name(name) = model.expr(expr)
        && let Scope::Local(owner) = program.scope_of(file, function, name)
    {
        let value = program.single_assignment(file, owner, name)?;
        return Some(Site { file, span: model.span(value) });
    }
    match program.target(file, function, expr)? {
        Target::Variable(owner, name) => {
            let &value = program.module_values(owner, name).first()?;
            Some(Site { file: owner, span: program.file(owner).model.span(value) })
        }
        _ => None,
    }
}
