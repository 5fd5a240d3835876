//! Which operation on a group a call issues, itself or through the functions it calls.
//!
//! A light answer from names and types alone, for questions that need no ranks: the engine is not asked, and no function
//! is evaluated.

mod kinds;
mod search;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::base::{ClassId, FileId, FunctionId, Site, Symbol};
use crate::catalog::{Entry, GroupOf, Operation, OperationKind};
use crate::finding::Confidence;
use crate::model::{Block, Call, Expr, ExprId, File, LocalFunction};
use crate::model::{each_expression, each_statement, expressions_of};

use super::helpers::called;
use super::program::Program;
use super::resolve::Target;

/// Calls between a call and the operation it is said to issue.
const MAX_DEPTH: usize = 6;

/// Functions looked at for one answer.
const MAX_FUNCTIONS: usize = 160;

/// Calls that are followed without a hint that a collective is near: a teardown is none.
const MAX_BLIND: usize = 2;

/// Methods that so many things have that a single definition of that name proves nothing.
const COMMON: [&str; 26] = [
    "get", "put", "set", "add", "pop", "run", "close", "open", "read", "write", "update", "append", "start", "stop",
    "join", "wait", "items", "keys", "values", "format", "copy", "load", "save", "send", "train", "eval",
];

/// Which operations are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// What every member of a group takes part in.
    Collective,
    /// That, and group creations.
    Common,
    /// That, and the end of the process group.
    Any,
}

impl Wanted {
    /// Whether an operation of this sort is asked for.
    pub fn takes(self, kind: OperationKind) -> bool {
        match kind {
            OperationKind::Collective => true,
            OperationKind::GroupCreation => self != Wanted::Collective,
            OperationKind::Teardown => self == Wanted::Any,
            OperationKind::PointToPoint => false,
        }
    }
}

/// An operation that a call issues.
#[derive(Clone, Debug)]
pub struct Issue {
    /// Its name.
    pub op: Symbol,
    /// What sort of operation.
    pub kind: OperationKind,
    /// Whether it hides behind a call that does not look like it.
    pub implicit: bool,
    /// Whether it runs on the default group.
    pub on_world: bool,
    /// Where it is issued.
    pub site: Site,
    /// The calls that lead there, the first one first: where, and what is called.
    pub calls: Vec<(Site, Symbol)>,
    /// How sure that is.
    pub confidence: Confidence,
}

impl Issue {
    /// Where the first of the calls stands, or the operation itself.
    pub fn start(&self) -> Site {
        self.calls.first().map_or(self.site, |(site, _)| *site)
    }

    /// The operation as a reader meets it at the first call.
    pub fn shown(&self) -> String {
        match self.calls.first() {
            Some((_, called)) => format!("`{}` (through `{called}`)", self.op),
            None => format!("`{}`", self.op),
        }
    }
}

/// A step of a function towards an operation.
#[derive(Clone, Debug)]
struct Step {
    what: Towards,
    /// The parameters it stands under, with the truth it needs.
    guards: Truths,
    /// The parameters at which the function was left before it, with the truth it needs.
    left: Truths,
}

#[derive(Clone, Debug)]
enum Towards {
    Issues(Issue),
    Calls(ExprId, FunctionId, Confidence),
}

/// Parameters whose truth is known, or asked for.
type Truths = SmallVec<[(Symbol, bool); 2]>;

/// A function that a search has come to.
struct Reached {
    function: FunctionId,
    calls: Vec<(Site, Symbol)>,
    truths: Truths,
    confidence: Confidence,
}

/// Answers about one program; what was found out is kept.
pub struct Communication<'p> {
    program: &'p Program,
    reaching: &'p FxHashSet<FunctionId>,
    steps: FxHashMap<FunctionId, Rc<[Step]>>,
    known: FxHashMap<(FunctionId, Wanted, Truths), Option<Rc<Issue>>>,
    attributes: FxHashMap<(ClassId, Symbol), Option<Kind>>,
    locals: FxHashMap<(FileId, LocalFunction, Symbol), Option<Kind>>,
}

/// What is known of an object's type.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Own(ClassId),
    Library(Symbol),
    /// Of a library the catalogue says nothing of.
    Foreign,
}

impl<'p> Communication<'p> {
    /// Answers about the program, of which it must be known which functions reach a collective.
    pub fn new(program: &'p Program) -> Self {
        let reaching = program.reaching();
        let (steps, known, attributes, locals) = Default::default();
        Communication { program, reaching, steps, known, attributes, locals }
    }

    /// The program that is asked about.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Whether a collective may be reached from the function; a generous answer.
    pub fn may_reach(&self, file: FileId, function: LocalFunction) -> bool {
        self.reaching.contains(&self.program.function_id(file, function))
    }

    /// What a call issues first, itself or through calls.
    pub fn issued(
        &mut self,
        file: FileId,
        function: LocalFunction,
        expr: ExprId,
        call: Call,
        wanted: Wanted,
    ) -> Option<Issue> {
        if let Some(issue) = self.itself(file, function, expr, call) {
            return wanted.takes(issue.kind).then_some(issue);
        }
        let (called, confidence) = self.callee(file, function, call)?;
        let truths = self.truths(file, call, called);
        let mut issue = self.issue_under(called, wanted, truths)?;
        let site = Site { file, span: self.program.file(file).model.span(expr) };
        issue.calls.insert(0, (site, self.program.function(called).name));
        issue.confidence = issue.confidence.min(confidence);
        Some(issue)
    }

    /// What the calls of a block issue, in source order; blocks within it are included, nested functions are not.
    pub fn issued_in(&mut self, file: FileId, function: LocalFunction, block: Block, wanted: Wanted) -> Vec<Issue> {
        let model = &self.program.file(file).model;
        let calls = calls_in(model, block);
        calls.into_iter().filter_map(|(expr, call)| self.issued(file, function, expr, call, wanted)).collect()
    }

    /// The first operation that a function issues, itself or through calls: the nearest one.
    pub fn issue_of(&mut self, function: FunctionId, wanted: Wanted) -> Option<Issue> {
        self.issue_under(function, wanted, Truths::new())
    }

    fn issue_under(&mut self, function: FunctionId, wanted: Wanted, truths: Truths) -> Option<Issue> {
        let key = (function, wanted, truths);
        if let Some(known) = self.known.get(&key) {
            return known.as_deref().cloned();
        }
        let found = self.search(function, wanted, key.2.clone());
        self.known.insert(key, found.clone().map(Rc::new));
        found
    }

    /// The function of the program that a call runs.
    pub fn callee(&mut self, file: FileId, function: LocalFunction, call: Call) -> Option<(FunctionId, Confidence)> {
        let program = self.program;
        if let Some(found) = called(program, file, function, call.callee) {
            return Some((found, Confidence::High));
        }
        let model = &program.file(file).model;
        match program.target(file, function, call.callee) {
            Some(Target::Class(class)) => {
                return program.method(class, Symbol::new("__init__")).map(|found| (found, Confidence::High));
            }
            Some(Target::External(_) | Target::Module(_)) => return None,
            _ => {}
        }
        let Expr::Attribute { value, name } = model.expr(call.callee) else { return None };
        match self.kind_of(file, function, value) {
            Some(Kind::Own(class)) => return program.method(class, name).map(|found| (found, Confidence::High)),
            Some(Kind::Library(_) | Kind::Foreign) => return None,
            None => {}
        }
        if is_super(model, value) {
            let class = class_around(program, file, function)?;
            let mut bases = program.lineage(class).iter().skip(1);
            return bases.find_map(|&base| program.method(base, name)).map(|found| (found, Confidence::High));
        }
        if COMMON.contains(&name.as_str()) || name.as_str().starts_with("__") {
            return None;
        }
        let mut near =
            program.methods_named(name).iter().filter(|&&one| program.same_tree(program.locate(one).0, file));
        let (first, second) = (near.next()?, near.next());
        second.is_none().then_some((*first, Confidence::Low))
    }

    /// The operation that a call is.
    pub fn itself(&mut self, file: FileId, function: LocalFunction, expr: ExprId, call: Call) -> Option<Issue> {
        let (operation, confidence) = self.operation(file, function, call)?;
        let model = &self.program.file(file).model;
        // Whose parameters they are is not asked here.
        if operation.of_sharded.is_some() {
            return None;
        }
        if let Some(when) = operation.when {
            let given = argument(model, call, when.position.map(usize::from), when.parameter)?;
            if model.expr(given) == Expr::Bool(false) {
                return None;
            }
        }
        if let Some(unless) = operation.unless
            && let Some(given) = argument(model, call, unless.position.map(usize::from), unless.parameter)
            && model.expr(given) == Expr::Bool(true)
        {
            return None;
        }
        let on_world = match operation.group {
            GroupOf::World => true,
            GroupOf::Axis(axis) => axis.as_str() == "world",
            GroupOf::Operand(operand) if operand.is_receiver() => false,
            GroupOf::Operand(operand) => {
                let unseen = model.keywords(call).iter().any(|keyword| keyword.name.is_none());
                match argument(model, call, operand.position.map(usize::from), operand.parameter) {
                    Some(given) => {
                        let world = self.program.resolve(file, function, given);
                        model.expr(given) == Expr::None
                            || world.is_some_and(|name| name.as_str().ends_with("group.WORLD"))
                    }
                    None => !unseen,
                }
            }
        };
        let confidence = if self.program.is_before(operation, file) { Confidence::Low } else { confidence };
        let site = Site { file, span: model.span(expr) };
        Some(Issue {
            op: operation.op,
            kind: operation.kind,
            implicit: operation.implicit,
            on_world,
            site,
            calls: Vec::new(),
            confidence,
        })
    }

    /// What the catalogue says of the operation that a call is.
    pub fn operation(
        &mut self,
        file: FileId,
        function: LocalFunction,
        call: Call,
    ) -> Option<(&'p Operation, Confidence)> {
        let program = self.program;
        let of = |entry: Option<&'p Entry>| match entry {
            Some(Entry::Operation(operation)) => Some(operation),
            _ => None,
        };
        match program.target(file, function, call.callee) {
            Some(Target::External(dotted)) => {
                return of(program.catalog.entry(dotted)).map(|operation| (operation, Confidence::High));
            }
            Some(Target::Function(found)) => {
                return of(program.catalogued(found)).map(|operation| (operation, Confidence::High));
            }
            Some(Target::Class(_) | Target::Module(_)) => return None,
            _ => {}
        }
        let model = &program.file(file).model;
        // An object that is called: a model that ranks train together.
        if let Some(Kind::Library(kind)) = self.kind_of(file, function, call.callee)
            && let Some(operation) = of(program.catalog.entry(Symbol::new(&format!("{kind}.__call__"))))
        {
            return Some((operation, Confidence::High));
        }
        let Expr::Attribute { value, name } = model.expr(call.callee) else { return None };
        let method = |kind: Symbol| of(program.catalog.entry(Symbol::new(&format!("{kind}.{name}"))));
        if is_super(model, value) {
            let class = class_around(program, file, function)?;
            let own = program.lineage(class).iter().skip(1).any(|&base| program.method(base, name).is_some());
            let inherited = || program.external_bases(class).into_iter().find_map(method);
            return if own { None } else { inherited().map(|operation| (operation, Confidence::High)) };
        }
        match self.kind_of(file, function, value) {
            Some(Kind::Library(kind)) => return method(kind).map(|operation| (operation, Confidence::High)),
            Some(Kind::Own(class)) => {
                let own = program.method(class, name).is_some();
                let inherited = || program.external_bases(class).into_iter().find_map(method);
                return if own { None } else { inherited().map(|operation| (operation, Confidence::High)) };
            }
            Some(Kind::Foreign) | None => {}
        }
        let keywords = || model.keywords(call).iter().filter_map(|keyword| keyword.name);
        let told = program.catalog.type_of_method(name).or_else(|| program.catalog.type_of_call(name, keywords()));
        if let Some(kind) = told {
            return method(kind).map(|operation| (operation, Confidence::Medium));
        }
        let (Expr::Name(object) | Expr::Attribute { name: object, .. }) = model.expr(value) else { return None };
        let kind = program.catalog.type_of_variable(object)?;
        method(kind).map(|operation| (operation, Confidence::Medium))
    }
}

/// The calls of a block, in source order; blocks within it are included, nested functions are not.
pub fn calls_in(model: &File, block: Block) -> Vec<(ExprId, Call)> {
    let mut out = Vec::new();
    each_statement(model, block, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |id, expr| {
                if let Expr::Call(call) = expr {
                    out.push((id, model.call(call)));
                }
            });
        }
    });
    out
}

/// The argument of that name, or at that position.
pub fn argument(model: &File, call: Call, position: Option<usize>, name: Symbol) -> Option<ExprId> {
    let named = model.keywords(call).iter().find(|keyword| keyword.name == Some(name));
    named.map(|keyword| keyword.value).or_else(|| model.list(call.args).get(position?).copied())
}

/// The class whose method the function is, or stands in.
pub fn class_around(program: &Program, file: FileId, function: LocalFunction) -> Option<ClassId> {
    let model = &program.file(file).model;
    let mut at = Some(function);
    while let Some(id) = at {
        let definition = model.function(id);
        if let Some(class) = definition.class {
            return Some(program.class_id(file, class));
        }
        at = definition.parent;
    }
    None
}

fn is_self(model: &File, function: LocalFunction, value: ExprId) -> bool {
    let Expr::Name(name) = model.expr(value) else { return false };
    let first = model.function(function).parameters.first();
    name.as_str() == "self" || first.is_some_and(|first| first.name == name && name.as_str() == "cls")
}

pub(in crate::graph) fn is_super(model: &File, value: ExprId) -> bool {
    matches!(model.expr(value), Expr::Call(call) if matches!(model.expr(model.call(call).callee), Expr::Name(name) if name.as_str() == "super"))
}
