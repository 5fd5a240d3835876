//! Attributes that an object has on one rank alone: bound under a question for the rank in one method, used by all ranks in
//! another.

use rustc_hash::FxHashSet;

use super::seen::{Binding, Seen};
use super::{Asked, Body, HeldByOne, communicates};
use crate::base::{ClassId, FileId, Site, Symbol};
use crate::graph::blocks::is_self;
use crate::graph::conduct::bodies;
use crate::graph::program::Program;
use crate::graph::races::{Common, lets_in_first};
use crate::model::{
    CompareOp, Expr, ExprId, File, FunctionKind, LocalClass, LocalFunction, Stmt, UnaryOp, each_expression,
    each_statement,
};

/// What binds attributes in a way that is not followed.
const ODD: [&str; 4] = ["__setattr__", "__dict__", "__getattr__", "__getattribute__"];

/// Bases from elsewhere that bring no attributes that a program would bind again.
const PLAIN_BASES: [&str; 6] =
    ["torch.nn.Module", "abc.ABC", "object", "typing.Generic", "typing.Protocol", "torch.utils.data.Dataset"];

/// A method of a class or of one of its bases, with what it binds and reads of the object.
struct Method<'p> {
    body: Body<'p>,
    seen: Seen,
}

/// The attributes that one rank alone has in the classes of the files.
pub(in crate::graph) fn held_by_objects(common: &mut Common<'_>, files: &[FileId]) -> Vec<HeldByOne> {
    let program = common.program;
    let mut out = Vec::new();
    for &file in files {
        let model = &program.file(file).model;
        let asks = |method: LocalFunction| {
            let method = model.function(method);
            !method.skeleton && method.mentions.iter().any(|&name| program.catalog.convention(name).is_some())
        };
        if program.file(file).is_test()
            || !program.in_focus(file)
            || !(0..model.functions.len() as u32).any(|index| asks(LocalFunction(index)))
            || !communicates(common, file)
        {
            continue;
        }
        for index in 0..model.classes.len() as u32 {
            let class = program.class_id(file, LocalClass(index));
            of_class(common, class, &mut out);
        }
    }
    out
}

fn of_class(common: &mut Common<'_>, class: ClassId, out: &mut Vec<HeldByOne>) {
    let program = common.program;
    let Some(methods) = methods_of(common, class) else { return };
    let (home, _) = program.locate_class(class);
    let brings_more = program.external_bases(class).iter().any(|base| !PLAIN_BASES.contains(&base.as_str()));
    let mut done: FxHashSet<(Symbol, Site)> = FxHashSet::default();
    for reader in methods.iter().filter(|method| method.body.file == home && is_own(program, class, method)) {
        for (order, conditions, read) in &reader.seen.reads {
            let Some((of_one, binding)) = bound_alone(common, &methods, read.name) else { continue };
            let is_same = std::ptr::eq(of_one, reader);
            if is_same && binding.order > *order
                || !reader.body.is_of_all(&reader.seen, read.name, conditions)
                || asks_for_another(common, &methods, &reader.body, conditions)
            {
                continue;
            }
            let Some((asked, without)) = missing(common, &methods, read.name, (of_one, binding)) else { continue };
            let fails = if without.is_some() { read.goes_into_it } else { !brings_more };
            let function = program.function_id(home, reader.body.function);
            if !fails
                || is_kept_elsewhere(program, class, read.name)
                || common.entered_by_all(function, read.expr).is_none()
                || !done.insert((read.name, asked))
            {
                continue;
            }
            out.push(HeldByOne {
                function,
                name: Symbol::new(&format!("self.{}", read.name)),
                used: reader.body.site(reader.body.model().span(read.expr)),
                bound: of_one.body.site(binding.span),
                asked,
                answered: false,
                without,
                handed: None,
            });
        }
    }
}

/// The methods of a class and its bases; none where attributes come to be in other ways.
fn methods_of<'p>(common: &Common<'p>, class: ClassId) -> Option<Vec<Method<'p>>> {
    let program = common.program;
    let mut out = Vec::new();
    let mut asks = false;
    for &class in program.lineage(class) {
        let (file, local) = program.locate_class(class);
        let model = &program.file(file).model;
        for &(name, function) in &model.class(local).methods {
            let definition = model.function(function);
            let mut named = definition.mentions.iter().chain([&name]);
            // Of a skeleton nobody knows what it binds.
            if definition.skeleton || named.any(|name| ODD.contains(&name.as_str())) {
                return None;
            }
            let Some(object) = definition.parameters.first().map(|first| first.name) else { continue };
            let body = Body { program, taint: common.taint, file, function, object: Some(object), is_below: true };
            asks |= body.lets_in_one();
            out.push(body);
        }
    }
    if !asks {
        return None;
    }
    Some(out.into_iter().map(|body| Method { seen: body.seen(), body }).collect())
}

fn is_own(program: &Program, class: ClassId, method: &Method<'_>) -> bool {
    let (file, local) = program.locate_class(class);
    let model = &program.file(file).model;
    let own = &model.class(local).methods;
    let is_it = |&(_, function): &(Symbol, LocalFunction)| function == method.body.function;
    own.iter().any(is_it) && model.function(method.body.function).kind == FunctionKind::Def
}

/// The binding of an attribute that one rank alone runs: under a question of the method, or of all who call it.
fn bound_alone<'m, 'p>(
    common: &mut Common<'_>,
    methods: &'m [Method<'p>],
    name: Symbol,
) -> Option<(&'m Method<'p>, &'m Binding)> {
    let bindings =
        || methods.iter().flat_map(|method| method.seen.bindings.iter().map(move |binding| (method, binding)));
    let mut of_name = bindings().filter(|(_, binding)| binding.name == name && !binding.is_none).peekable();
    of_name.peek()?;
    of_name.find(|(method, binding)| binding.alone.is_some() || guard_of_callers(common, &method.body).is_some())
}

/// Whether a condition on the way asks for another attribute that one rank alone has: who has that one has this one.
fn asks_for_another(common: &mut Common<'_>, methods: &[Method<'_>], reader: &Body<'_>, conditions: &[Asked]) -> bool {
    let model = reader.model();
    let mut asked: Vec<Symbol> = Vec::new();
    for &(condition, answer) in conditions {
        there(model, condition, answer, &mut asked);
    }
    asked.into_iter().any(|name| {
        let alone = bound_alone(common, methods, name);
        alone.is_some_and(|alone| missing(common, methods, name, alone).is_some())
    })
}

/// The attributes of the object that are there where a condition comes out so.
fn there(model: &File, condition: ExprId, answer: bool, out: &mut Vec<Symbol>) {
    match model.expr(condition) {
        Expr::Unary(UnaryOp::Not, inner) => there(model, inner, !answer, out),
        Expr::And(parts) if answer => model.list(parts).iter().for_each(|&part| there(model, part, true, out)),
        Expr::Or(parts) if !answer => model.list(parts).iter().for_each(|&part| there(model, part, false, out)),
        Expr::Compare(CompareOp::Is, asked, none) if model.expr(none) == Expr::None && !answer => {
            there(model, asked, true, out);
        }
        Expr::Compare(CompareOp::IsNot, asked, none) if model.expr(none) == Expr::None && answer => {
            there(model, asked, true, out);
        }
        Expr::Attribute { value, name } if answer && is_self(model, value) => out.push(name),
        Expr::Call(call) if answer => {
            let given = model.list(model.call(call).args);
            let asks = model.last_name(model.call(call).callee).is_some_and(|name| ASKS.contains(&name.as_str()));
            if let (true, [object, name, ..]) = (asks, given)
                && is_self(model, *object)
                && let Expr::Str(name) = model.expr(*name)
            {
                out.push(name);
            }
        }
        _ => {}
    }
}

/// What asks an object for an attribute by its name.
const ASKS: [&str; 2] = ["getattr", "hasattr"];

/// What lets one rank in to the binding, and where the attribute is `None` for the others; nothing where they may have it.
fn missing(
    common: &mut Common<'_>,
    methods: &[Method<'_>],
    name: Symbol,
    (of_one, binding): (&Method<'_>, &Binding),
) -> Option<(Site, Option<Site>)> {
    let mut without = None;
    for method in methods {
        if method.seen.odd.contains(&name) {
            return None;
        }
        for other in method.seen.bindings.iter().filter(|other| other.name == name) {
            if other.alone.is_some() || guard_of_callers(common, &method.body).is_some() {
                continue;
            }
            if !other.is_none {
                return None;
            }
            without = Some(method.body.site(other.span));
        }
    }
    let asked = match binding.alone {
        Some(asked) => of_one.body.site(of_one.body.model().span(asked)),
        None => guard_of_callers(common, &of_one.body)?,
    };
    Some((asked, without))
}

/// The question for the first rank under which a function is called, wherever it is. Where objects are made under one, the
/// others have no object that lacks anything.
pub(super) fn guard_of_callers(common: &mut Common<'_>, body: &Body<'_>) -> Option<Site> {
    let program = common.program;
    if body.model().function(body.function).name.as_str() == "__init__" {
        return None;
    }
    let callers = common.callers(program.function_id(body.file, body.function));
    let mut guards = callers.iter().map(|(caller, made)| {
        let (file, _) = program.locate(*caller);
        let model = &program.file(file).model;
        let mut asked = made.conditions.iter().zip(&made.answers);
        let guard = asked.find(|&(&condition, &answer)| lets_in_first(program, model, condition, answer))?;
        Some(Site { file, span: model.span(*guard.0) })
    });
    let first = guards.next()??;
    guards.all(|guard| guard.is_some()).then_some(first)
}

/// Whether the attribute is something of the class itself, or anybody else binds it: on another object than `self`, in a
/// class that is made of this one, or by its name in a text (`setattr`).
fn is_kept_elsewhere(program: &Program, class: ClassId, name: Symbol) -> bool {
    let lineage = program.lineage(class);
    let of_class = lineage.iter().any(|&class| {
        let (file, local) = program.locate_class(class);
        let model = &program.file(file).model;
        let class = model.class(local);
        let quoted = |mark: char| program.file(file).text.contains(&format!("{mark}{name}{mark}"));
        class.methods.iter().any(|(method, _)| *method == name)
            || binds_name(model, class.body, name)
            || quoted('"')
            || quoted('\'')
    });
    let (home, _) = program.locate_class(class);
    of_class
        || bodies(program).filter(|&(file, _)| program.same_tree(home, file)).any(|(file, function)| {
            let model = &program.file(file).model;
            let owner = program.class_of(program.function_id(file, function));
            let is_own = owner.is_some_and(|owner| lineage.contains(&owner));
            let derives = || owner.is_some_and(|owner| program.lineage(owner).contains(&class));
            !is_own
                && model.function(function).mentions.contains(&name)
                && binds_attribute(model, function, name, derives())
        })
}

/// Whether the body of a class gives a name a value.
fn binds_name(model: &File, body: LocalFunction, name: Symbol) -> bool {
    let mut found = false;
    each_statement(model, model.function(body).body, &mut |_, stmt| match stmt {
        Stmt::Assign { targets, .. } => {
            found |= model.list(*targets).iter().any(|&target| model.expr(target) == Expr::Name(name));
        }
        Stmt::Annotated { target, .. } => found |= model.expr(*target) == Expr::Name(name),
        _ => {}
    });
    found
}

/// Whether a function binds an attribute of that name: of another object than its own, or of its own as well.
fn binds_attribute(model: &File, function: LocalFunction, name: Symbol, or_own: bool) -> bool {
    let own = model.function(function).parameters.first().map(|first| Expr::Name(first.name));
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        let targets: &[ExprId] = match stmt {
            Stmt::Assign { targets, .. } => model.list(*targets),
            Stmt::AugAssign { target, .. } | Stmt::Annotated { target, .. } => std::slice::from_ref(target),
            _ => &[],
        };
        for &target in targets {
            each_expression(model, target, &mut |_, expr| {
                if let Expr::Attribute { value, name: bound } = expr {
                    found |= bound == name && (or_own || own != Some(model.expr(value)));
                }
            });
        }
    });
    found
}
