//! Loops whose turns come in an order of this process's own, and that communicate about what the turn is for.

mod source;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::catalog::{Entry, GroupOf, OperationKind};
use crate::finding::Confidence;
use crate::model::{
    Block, Call, Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_call, each_expression, each_statement,
    names_in,
};

use super::program::Program;
use super::resolve::Target;
use source::{Known, Place};

pub use source::{Cause, Unordered};

/// Calls followed with something unordered in hand.
const MAX_DEPTH: u32 = 3;

/// Calls followed down to an operation.
const MAX_FOLLOWED: u32 = 6;

/// An order that decides which collective comes when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnorderedLoop {
    /// The function it stands in.
    pub function: FunctionId,
    /// What is iterated.
    pub site: Site,
    /// What makes it unordered.
    pub source: Unordered,
    /// The call that communicates.
    pub call: Site,
    /// What it is called.
    pub op: Symbol,
    /// Whether it makes groups.
    pub creates: bool,
    /// How sure.
    pub confidence: Confidence,
}

/// Loops in the files' functions from which a collective can be reached.
pub(super) fn unordered_loops(
    program: &Program,
    reaching: &FxHashSet<FunctionId>,
    files: &[FileId],
) -> Vec<UnorderedLoop> {
    let known = Known::default();
    let mut search = Search {
        program,
        known: &known,
        reaching,
        found: Vec::new(),
        seen: FxHashSet::default(),
        issuing: FxHashMap::default(),
    };
    for &file in files {
        let model = &program.file(file).model;
        for index in 0..model.functions.len() as u32 {
            let local = LocalFunction(index);
            let function = model.function(local);
            let wanted = matches!(function.kind, FunctionKind::Def | FunctionKind::Module) && !function.skeleton;
            if wanted && reaching.contains(&program.function_id(file, local)) {
                search.function(Place { program, file, function: local, given: &[], known: &known }, 0);
            }
        }
    }
    search.found.sort_by_key(|found| (found.site, found.call));
    search.found.dedup_by_key(|found| found.site);
    search.found
}

struct Search<'p> {
    program: &'p Program,
    known: &'p Known,
    reaching: &'p FxHashSet<FunctionId>,
    found: Vec<UnorderedLoop>,
    seen: FxHashSet<(FunctionId, Symbol)>,
    /// Which functions issue something whose order matters; whether it is groups only.
    issuing: FxHashMap<FunctionId, Option<bool>>,
}

/// What a call does to the group.
struct Spoken {
    op: Symbol,
    creates: bool,
    /// Whether it hides behind a call that does not look like it.
    implicit: bool,
}

impl<'p> Search<'p> {
    fn function(&mut self, place: Place<'_>, depth: u32) {
        let program = self.program;
        let model = &program.file(place.file).model;
        let body = model.function(place.function).body;
        each_statement(model, body, &mut |_, stmt| {
            if let Stmt::For { target, iter, body, .. } = stmt
                && let Some(source) = place.unordered_for(*target, *iter)
            {
                let mut tainted = FxHashSet::default();
                tainted.extend(names_in(model, *target));
                if let Some((call, spoken)) = self.in_body(place, *body, &mut tainted) {
                    self.report(place, *iter, source, call, spoken);
                }
            }
            for root in crate::model::expressions_of(model, stmt) {
                each_expression(model, root, &mut |_, expr| match expr {
                    Expr::Comprehension(index) => {
                        let comprehension = model.comprehension(index);
                        for clause in &comprehension.clauses {
                            let Some(source) = place.unordered_for(clause.target, clause.iter) else { continue };
                            let mut tainted = FxHashSet::default();
                            tainted.extend(names_in(model, clause.target));
                            if let Some((call, spoken)) = self.in_expression(place, comprehension.element, &tainted) {
                                self.report(place, clause.iter, source, call, spoken);
                            }
                        }
                    }
                    Expr::Call(call) if depth < MAX_DEPTH => self.handed_over(place, model.call(call), depth),
                    _ => {}
                });
            }
        });
    }

    /// Something unordered goes to a function of the program.
    fn handed_over(&mut self, place: Place<'_>, call: Call, depth: u32) {
        let program = self.program;
        let model = &program.file(place.file).model;
        let Some(function) = self.callee(place, call.callee) else { return };
        if !self.reaching.contains(&function) {
            return;
        }
        let (file, local) = program.locate(function);
        let definition = program.file(file).model.function(local);
        let method = definition.class.is_some() && !matches!(model.expr(call.callee), Expr::Name(_));
        let mut given = Vec::new();
        for (position, &arg) in model.list(call.args).iter().enumerate() {
            if let Some(parameter) = definition.parameters.get(position + usize::from(method))
                && let Some(source) = place.unordered(arg)
            {
                given.push((parameter.name, source));
            }
        }
        for keyword in model.keywords(call) {
            if let Some(name) = keyword.name
                && let Some(source) = place.unordered(keyword.value)
            {
                given.push((name, source));
            }
        }
        let Some(&(first, _)) = given.first() else { return };
        if self.seen.insert((function, first)) {
            self.function(Place { program, file, function: local, given: &given, known: self.known }, depth + 1);
        }
    }

    fn report(&mut self, place: Place<'_>, iter: ExprId, source: Unordered, call: Site, spoken: Spoken) {
        let site = Site { file: place.file, span: self.program.file(place.file).model.span(iter) };
        self.found.push(UnorderedLoop {
            function: self.program.function_id(place.file, place.function),
            site,
            source,
            call,
            op: spoken.op,
            creates: spoken.creates,
            confidence: if spoken.implicit { Confidence::Low } else { source.confidence },
        });
    }

    /// The first call in the body that communicates about the loop's element.
    fn in_body(&mut self, place: Place<'_>, body: Block, tainted: &mut FxHashSet<Symbol>) -> Option<(Site, Spoken)> {
        let model = &self.program.file(place.file).model;
        let mut found = None;
        each_statement(model, body, &mut |_, stmt| {
            if found.is_some() {
                return;
            }
            for root in crate::model::expressions_of(model, stmt) {
                found = self.in_expression(place, root, tainted);
                if found.is_some() {
                    return;
                }
            }
            taint(model, stmt, tainted);
        });
        found
    }

    fn in_expression(&mut self, place: Place<'_>, root: ExprId, tainted: &FxHashSet<Symbol>) -> Option<(Site, Spoken)> {
        let model = &self.program.file(place.file).model;
        let mut found = None;
        each_expression(model, root, &mut |id, expr| {
            if found.is_some() {
                return;
            }
            let Expr::Call(index) = expr else { return };
            let call = model.call(index);
            let arguments = model.list(call.args).iter().copied();
            let mut arguments = arguments.chain(model.keywords(call).iter().map(|keyword| keyword.value)).chain(
                match model.expr(call.callee) {
                    Expr::Attribute { value, .. } => Some(value),
                    _ => None,
                },
            );
            if arguments.any(|arg| mentions_any(model, arg, tainted))
                && let Some(spoken) = self.spoken(place, call)
            {
                found = Some((Site { file: place.file, span: model.span(id) }, spoken));
            }
        });
        found
    }

    /// What the call does to a group, itself or through functions of the program.
    fn spoken(&mut self, place: Place<'_>, call: Call) -> Option<Spoken> {
        if let Some(operation) = self.operation(place, call) {
            return operation;
        }
        let function = self.callee(place, call.callee)?;
        let creates = self.issues(function, MAX_FOLLOWED)?;
        Some(Spoken { op: self.program.function(function).name, creates, implicit: false })
    }

    /// The operation of the catalogue that the call is: `None` inside for one that has nothing to do with order.
    fn operation(&self, place: Place<'_>, call: Call) -> Option<Option<Spoken>> {
        let target = self.program.target(place.file, place.function, call.callee);
        let entry = match target {
            Some(Target::External(dotted)) => self.program.catalog.entry(dotted)?,
            Some(Target::Function(function)) => self.program.catalogued(function)?,
            Some(_) => return None,
            None => self.method_that_tells(place, call.callee)?,
        };
        let Entry::Operation(operation) = entry else { return Some(None) };
        Some(match operation.kind {
            _ if operation.negotiated => None,
            // What one rank sends for one thing, another receives for the next.
            OperationKind::Collective | OperationKind::PointToPoint if operation.op.as_str() != "barrier" => {
                // What speaks of the element itself, on the group that this is spread over, is as plain as what is handed it.
                let is_of_element = target.is_none() && matches!(operation.group, GroupOf::Operand(_));
                let implicit = operation.implicit && !is_of_element;
                Some(Spoken { op: operation.op, creates: false, implicit })
            }
            OperationKind::GroupCreation if operation.members.is_some() => {
                Some(Spoken { op: operation.op, creates: true, implicit: operation.implicit })
            }
            _ => None,
        })
    }

    /// A method of the catalogue whose name says of which type it is: `value.full_tensor()`.
    fn method_that_tells(&self, place: Place<'_>, callee: ExprId) -> Option<&Entry> {
        let Expr::Attribute { name, .. } = self.program.file(place.file).model.expr(callee) else { return None };
        let kind = self.program.catalog.type_of_method(name)?;
        self.program.catalog.entry(Symbol::new(&format!("{kind}.{name}")))
    }

    /// Whether the function issues something whose order matters, by calls that are certain; if so, whether it only makes
    /// groups.
    fn issues(&mut self, function: FunctionId, fuel: u32) -> Option<bool> {
        if !self.reaching.contains(&function) {
            return None;
        }
        if let Some(&known) = self.issuing.get(&function) {
            return known;
        }
        let fuel = fuel.checked_sub(1)?;
        self.issuing.insert(function, None);
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let place = Place { program: self.program, file, function: local, given: &[], known: self.known };
        let mut calls = Vec::new();
        each_call(model, local, &mut |_, call| calls.push(call));
        let mut found = None;
        for call in calls {
            let issued = match self.operation(place, call) {
                Some(spoken) => spoken.map(|spoken| spoken.creates),
                None => self.certain_callee(place, call.callee).and_then(|callee| self.issues(callee, fuel)),
            };
            found = match (found, issued) {
                (Some(one), Some(other)) => Some(one && other),
                (one, other) => one.or(other),
            };
        }
        self.issuing.insert(function, found);
        found
    }

    /// What a call calls: for certain, or by the name of a method that one class alone has.
    fn callee(&self, place: Place<'_>, callee: ExprId) -> Option<FunctionId> {
        self.certain_callee(place, callee).or_else(|| {
            let Expr::Attribute { name, .. } = self.program.file(place.file).model.expr(callee) else { return None };
            let unknown = self.program.target(place.file, place.function, callee).is_none();
            unknown.then(|| self.program.sole_method(place.file, name)).flatten()
        })
    }

    fn certain_callee(&self, place: Place<'_>, callee: ExprId) -> Option<FunctionId> {
        place.own_method(callee).or_else(|| match self.program.target(place.file, place.function, callee) {
            Some(Target::Function(function)) => Some(function),
            _ => None,
        })
    }
}

/// Names that the statement makes depend on tainted ones: by their values, or by whether they are changed at all.
fn taint(model: &File, stmt: &Stmt, tainted: &mut FxHashSet<Symbol>) {
    let (targets, value): (Vec<ExprId>, ExprId) = match stmt {
        Stmt::Assign { targets, value } => (model.list(*targets).to_vec(), *value),
        Stmt::Annotated { target, value: Some(value), .. } => (vec![*target], *value),
        Stmt::AugAssign { target, value, .. } => (vec![*target], *value),
        Stmt::For { target, iter, .. } => (vec![*target], *iter),
        Stmt::Expr(expr) => match changed(model, *expr) {
            Some(container) => (vec![container], *expr),
            None => return,
        },
        Stmt::If { test, body, orelse } if mentions_any(model, *test, tainted) => {
            for block in [*body, *orelse] {
                each_statement(model, block, &mut |_, inner| {
                    let targets: Vec<ExprId> = match inner {
                        Stmt::Assign { targets, .. } => model.list(*targets).to_vec(),
                        Stmt::AugAssign { target, .. } => vec![*target],
                        Stmt::Expr(expr) => changed(model, *expr).into_iter().collect(),
                        _ => Vec::new(),
                    };
                    targets.into_iter().for_each(|target| own_names(model, target, tainted));
                });
            }
            return;
        }
        _ => return,
    };
    if mentions_any(model, value, tainted) {
        targets.into_iter().for_each(|target| own_names(model, target, tainted));
    }
}

/// The list or set that a call adds to.
fn changed(model: &File, expr: ExprId) -> Option<ExprId> {
    let Expr::Call(call) = model.expr(expr) else { return None };
    let Expr::Attribute { value, name } = model.expr(model.call(call).callee) else { return None };
    matches!(name.as_str(), "append" | "extend" | "add" | "insert").then_some(value)
}

/// The names that are bound whole; what holds many things is not about one of them.
fn own_names(model: &File, target: ExprId, out: &mut FxHashSet<Symbol>) {
    if !matches!(model.expr(target), Expr::Attribute { .. } | Expr::Subscript(..)) {
        out.extend(names_in(model, target));
    }
}

fn mentions_any(model: &File, expr: ExprId, names: &FxHashSet<Symbol>) -> bool {
    let mut found = false;
    each_expression(model, expr, &mut |_, part| {
        found |= matches!(part, Expr::Name(name) if names.contains(&name));
    });
    found
}
