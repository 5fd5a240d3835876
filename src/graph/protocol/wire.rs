//! What crosses ranks, and through which functions of the program: sends, receives, broadcasts, and whoever wraps them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{ClassId, FileId, FunctionId, Site, Symbol};
use crate::model::{Call, Expr, ExprId, LocalFunction, calls_by_name, each_expression};

use super::super::program::Program;
use super::super::resolve::{Scope, Target};
use super::types::Types;
use super::{is_id, mentioned, words};

/// How many wrappers lie between a call and the library.
const DEPTH: usize = 6;

/// Which way something goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    /// To other ranks.
    pub out: bool,
    /// From other ranks.
    pub into: bool,
}

impl Ways {
    const OUT: Ways = Ways { out: true, into: false };
    const INTO: Ways = Ways { out: false, into: true };
    const BOTH: Ways = Ways { out: true, into: true };

    fn or(self, other: Ways) -> Ways {
        Ways { out: self.out || other.out, into: self.into || other.into }
    }

    /// What all implementations of an interface do; where they have nothing in common, what any does.
    fn common(self, other: Ways) -> Ways {
        let both = Ways { out: self.out && other.out, into: self.into && other.into };
        if both == Ways::default() { self.or(other) } else { both }
    }
}

/// A call that moves something, itself or through the functions it calls.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// The file.
    pub file: FileId,
    /// The function in whose body it stands.
    pub function: LocalFunction,
    /// The call.
    pub expr: ExprId,
    /// Its parts.
    pub call: Call,
    /// What is moved.
    pub payload: ExprId,
    /// Which way.
    pub ways: Ways,
    /// Whether it is the library's own call.
    pub direct: bool,
    /// Whether it is moved as it is, and not something made from it.
    pub exact: bool,
}

/// The calls of torch.distributed that move one tensor or object.
const CALLS: [(&str, &str, Ways); 8] = [
    ("send", "tensor", Ways::OUT),
    ("isend", "tensor", Ways::OUT),
    ("send_object_list", "object_list", Ways::OUT),
    ("recv", "tensor", Ways::INTO),
    ("irecv", "tensor", Ways::INTO),
    ("recv_object_list", "object_list", Ways::INTO),
    ("broadcast", "tensor", Ways::BOTH),
    ("broadcast_object_list", "object_list", Ways::BOTH),
];

/// A parameter that a function moves.
#[derive(Clone, Copy)]
struct Moved {
    name: Symbol,
    ways: Ways,
    exact: bool,
}

/// The name that an expression stands for: itself, or a method's view of it.
fn stands_for(program: &Program, file: FileId, function: LocalFunction, expr: ExprId, fuel: u32) -> Option<Symbol> {
    let fuel = fuel.checked_sub(1)?;
    let model = &program.file(file).model;
    match model.expr(expr) {
        Expr::Name(name) => match program.single_assignment(file, function, name) {
            Some(value) => stands_for(program, file, function, value, fuel),
            None => Some(name),
        },
        Expr::Call(index) => match model.expr(model.call(index).callee) {
            Expr::Attribute { value, .. } => stands_for(program, file, function, value, fuel),
            _ => None,
        },
        _ => None,
    }
}

/// Everything that moves in the files, in order; `movers` are the functions that it happens in.
pub(super) fn moves(
    program: &Program,
    types: &Types<'_>,
    files: &[FileId],
    movers: &mut FxHashMap<FunctionId, Ways>,
) -> Vec<Move> {
    let mut out = Vec::new();
    let mut parameters: FxHashMap<FunctionId, Vec<Moved>> = FxHashMap::default();
    let names: FxHashSet<Symbol> = CALLS.iter().map(|(name, ..)| Symbol::new(name)).collect();
    for &file in files {
        let model = &program.file(file).model;
        for (function, expr, call) in calls_by_name(model, &names) {
            let Some(Target::External(dotted)) = program.target(file, function, call.callee) else { continue };
            if !dotted.as_str().starts_with("torch.distributed.") {
                continue;
            }
            let Some(&(_, keyword, ways)) = CALLS.iter().find(|(name, ..)| *name == dotted.last_part().as_str()) else {
                continue;
            };
            let named = model.keywords(call).iter().find(|one| one.name.is_some_and(|name| name.as_str() == keyword));
            let Some(payload) = named.map(|one| one.value).or_else(|| model.list(call.args).first().copied()) else {
                continue;
            };
            let ways = told(program, file, function, payload, ways);
            out.push(Move { file, function, expr, call, payload, ways, direct: true, exact: true });
        }
    }
    let mut fresh: Vec<Move> = out.clone();
    for _ in 0..DEPTH {
        let mut changed: FxHashSet<FunctionId> = FxHashSet::default();
        for one in &fresh {
            let caller = program.function_id(one.file, one.function);
            let known = movers.entry(caller).or_default();
            if known.or(one.ways) != *known || !parameters.contains_key(&caller) {
                *known = known.or(one.ways);
                changed.insert(caller);
            }
            let entry = parameters.entry(caller).or_default();
            let definition = program.function(caller);
            for name in mentioned(program, one.file, one.function, one.payload, 2) {
                let is_parameter = definition.parameters.iter().any(|parameter| parameter.name == name);
                if is_parameter
                    && !matches!(name.as_str(), "self" | "cls")
                    && !entry.iter().any(|known| known.name == name)
                {
                    let exact = one.exact && stands_for(program, one.file, one.function, one.payload, 4) == Some(name);
                    entry.push(Moved { name, ways: one.ways, exact });
                    changed.insert(caller);
                }
            }
        }
        if changed.is_empty() {
            break;
        }
        fresh = through(program, types, files, &parameters, &changed, &out);
        out.extend(fresh.iter().copied());
    }
    out.sort_by_key(|one| (one.file, one.function, program.file(one.file).model.span(one.expr).start));
    out.dedup_by_key(|one| (one.file, one.function, one.expr));
    out
}

/// Calls of functions that move a parameter.
fn through(
    program: &Program,
    types: &Types<'_>,
    files: &[FileId],
    parameters: &FxHashMap<FunctionId, Vec<Moved>>,
    changed: &FxHashSet<FunctionId>,
    known: &[Move],
) -> Vec<Move> {
    let names: FxHashSet<Symbol> = changed.iter().map(|&id| program.function(id).name).collect();
    let mut out = Vec::new();
    for &file in files {
        let model = &program.file(file).model;
        for (function, expr, call) in calls_by_name(model, &names) {
            if known.iter().any(|one| one.file == file && one.expr == expr) {
                continue;
            }
            let mut found: Option<(ExprId, Ways, bool)> = None;
            for callee in types.callees(file, function, call) {
                for &Moved { name, ways, exact } in parameters.get(&callee).map_or(&[][..], Vec::as_slice) {
                    let Some(payload) = types.passed(model, callee, call, name) else { continue };
                    found = Some(match found {
                        Some((first, before, known)) => (first, before.common(ways), known && exact),
                        None => (payload, ways, exact),
                    });
                }
            }
            if let Some((payload, ways, exact)) = found {
                let ways = told(program, file, function, payload, ways);
                out.push(Move { file, function, expr, call, payload, ways, direct: false, exact });
            }
        }
    }
    out
}

/// A broadcast goes in where it fills a buffer that was made for it.
fn told(program: &Program, file: FileId, function: LocalFunction, payload: ExprId, ways: Ways) -> Ways {
    let model = &program.file(file).model;
    let Expr::Name(name) = model.expr(payload) else { return ways };
    let Scope::Local(owner) = program.scope_of(file, function, name) else { return ways };
    let Some(value) = program.single_assignment(file, owner, name) else { return ways };
    let Expr::Call(index) = model.expr(value) else { return ways };
    let made = model.last_name(model.call(index).callee).map_or("", Symbol::as_str);
    let empty = matches!(made, "zeros" | "empty" | "zeros_like" | "empty_like" | "full" | "empty_strided");
    if empty && ways.into { Ways::INTO } else { ways }
}

/// The functions that call these, and whoever calls them in turn.
pub(super) fn callers(
    program: &Program,
    types: &Types<'_>,
    files: &[FileId],
    of: &FxHashSet<FunctionId>,
) -> FxHashSet<FunctionId> {
    let mut out = of.clone();
    let mut fresh = of.clone();
    for _ in 0..DEPTH {
        let names: FxHashSet<Symbol> = fresh.iter().map(|&id| program.function(id).name).collect();
        let mut next = FxHashSet::default();
        for &file in files {
            let model = &program.file(file).model;
            for (function, _, call) in calls_by_name(model, &names) {
                let caller = program.function_id(file, function);
                if !out.contains(&caller)
                    && types.callees(file, function, call).iter().any(|callee| fresh.contains(callee))
                {
                    next.insert(caller);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        out.extend(next.iter().copied());
        fresh = next;
    }
    out
}

/// A header that goes out.
pub(super) enum Header {
    /// An instance of a class.
    Class(ClassId),
    /// Spelled where it is made, with the names in it.
    Plain(Site, Vec<Symbol>),
    /// Told by its name only.
    Named,
}

/// Recognises headers.
pub(super) struct Headers<'a> {
    pub program: &'a Program,
    pub types: &'a Types<'a>,
    pub classes: &'a FxHashSet<ClassId>,
}

impl Headers<'_> {
    /// The header that an expression is.
    pub fn read(&self, file: FileId, function: LocalFunction, expr: ExprId) -> Option<Header> {
        self.within(file, function, expr, 6)
    }

    fn within(&self, file: FileId, function: LocalFunction, expr: ExprId, fuel: u32) -> Option<Header> {
        let fuel = fuel.checked_sub(1)?;
        if let Some(class) = self.types.class_of(file, function, expr).filter(|class| self.classes.contains(class)) {
            return Some(Header::Class(class));
        }
        let program = self.program;
        let model = &program.file(file).model;
        match model.expr(expr) {
            Expr::Call(index) => {
                let call = model.call(index);
                if let Expr::Attribute { value, .. } = model.expr(call.callee)
                    && let Some(found) = self.within(file, function, value, fuel)
                {
                    return Some(found);
                }
                let args = model.list(call.args);
                let makes = match program.target(file, function, call.callee) {
                    Some(Target::External(dotted)) => {
                        matches!(dotted.last_part().as_str(), "tensor" | "as_tensor" | "LongTensor" | "array")
                    }
                    _ => false,
                };
                let first = args.first().copied().filter(|_| makes)?;
                self.within(file, function, first, fuel)
            }
            Expr::ListDisplay(parts) | Expr::Tuple(parts) | Expr::Dict(parts) => {
                let mut names = Vec::new();
                for &part in model.list(parts) {
                    each_expression(model, part, &mut |_, one| match one {
                        Expr::Name(name) | Expr::Attribute { name, .. } | Expr::Str(name) => names.push(name),
                        _ => {}
                    });
                }
                let acts = names.iter().any(|name| words::is_action(name.as_str()) || words::is_terminal(*name));
                let identifies = names.iter().any(|name| is_id(name.as_str()));
                let site = Site { file, span: model.span(expr) };
                (acts && identifies).then_some(Header::Plain(site, names))
            }
            Expr::Name(name) => {
                if let Scope::Local(owner) = program.scope_of(file, function, name)
                    && let Some(value) = program.single_assignment(file, owner, name)
                    && let Some(found) = self.within(file, owner, value, fuel)
                {
                    return Some(found);
                }
                words::is_header(name.as_str()).then_some(Header::Named)
            }
            _ => None,
        }
    }
}
