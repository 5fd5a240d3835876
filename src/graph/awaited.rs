//! Handles of asynchronous operations that nobody waits on, and buffers used before that.

use rustc_hash::FxHashMap;

use crate::base::{FileId, Site, Symbol};
use crate::catalog::{Operand, Operation, OperationKind};
use crate::finding::Confidence;
use crate::model::{Block, Call, Expr, ExprId, FunctionKind, LocalFunction, Stmt, StmtId, each_statement};

use super::communication::{Communication, argument};
use super::program::Program;
use uses::{blocks_of, mentioned_in, read_of, rebinds, synchronises, synchronising, write_of};

mod uses;

/// What is wrong with a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// It is thrown away.
    Dropped,
    /// The buffer is read before `wait()`.
    Read,
    /// The buffer is written before `wait()`.
    Written,
}

/// An asynchronous operation that is not waited on in time.
#[derive(Clone, Debug)]
pub struct Unawaited {
    /// The function it stands in.
    pub function: (FileId, LocalFunction),
    /// The operation's name.
    pub op: Symbol,
    /// Where it is issued.
    pub site: Site,
    /// What is wrong.
    pub misuse: Misuse,
    /// Where the buffer is used too early.
    pub used: Option<(Site, Symbol)>,
    /// The handle, and the statement before which it has to be waited on; every way to that statement knows the handle.
    pub handle: Option<(Symbol, Site)>,
    /// How sure it is.
    pub confidence: Confidence,
}

/// The asynchronous operations that nobody waits on in time, in order of files.
pub(super) fn unawaited<'p>(program: &'p Program, communication: &mut Communication<'p>) -> Vec<Unawaited> {
    let mut search = Search { program, communication, read: FxHashMap::default(), out: Vec::new() };
    let messages = ["isend", "irecv", "batch_isend_irecv"].map(Symbol::new);
    for file in program.file_ids().filter(|&file| program.in_focus(file)) {
        let model = &program.file(file).model;
        for (index, definition) in model.functions.iter().enumerate() {
            let is_body = matches!(definition.kind, FunctionKind::Def | FunctionKind::Module) && !definition.skeleton;
            let local = LocalFunction(index as u32);
            let starts = || {
                search.communication.may_reach(file, local)
                    || definition.mentions.iter().any(|name| messages.contains(name))
            };
            if is_body && starts() {
                search.block(file, local, definition.body, (false, &[]));
            }
        }
    }
    search.out
}

struct Search<'c, 'p> {
    program: &'p Program,
    communication: &'c mut Communication<'p>,
    /// Whether anybody in a tree reads an attribute, once it was asked.
    read: FxHashMap<(Symbol, Symbol), bool>,
    out: Vec<Unawaited>,
}

/// An asynchronous operation.
struct Started<'p> {
    op: Symbol,
    site: Site,
    operation: &'p Operation,
    call: Call,
    confidence: Confidence,
}

/// A use before anybody has waited: where and of what, and the handle, if any, with the statement that uses.
struct Early {
    used: (Site, Symbol),
    handle: Option<(Symbol, Site)>,
}

impl<'p> Search<'_, 'p> {
    /// Looks through a block, with what comes behind the statements around it; `gathered` says that a manager waits for all
    /// that is started.
    fn block(&mut self, file: FileId, function: LocalFunction, block: Block, (gathered, behind): (bool, &[StmtId])) {
        let model = &self.program.file(file).model;
        let statements = model.block(block);
        for (index, &id) in statements.iter().enumerate() {
            let rest = &statements[index + 1..];
            let further: Vec<StmtId> = rest.iter().chain(behind).copied().collect();
            // Behind a handle that is dropped something may wait for all there is, a device or a stream, and somebody
            // who wants the result may know of that: low confidence.
            let mut inner = gathered;
            match model.stmt(id) {
                Stmt::Expr(value) if !gathered => {
                    if let Some(started) = self.started(file, function, *value)
                        && !synchronises(model, &further)
                    {
                        self.dropped(file, function, &started, &further);
                    }
                }
                Stmt::Assign { targets, value } => {
                    if let &[target] = model.list(*targets)
                        && let Expr::Name(handle) | Expr::Attribute { name: handle, .. } = model.expr(target)
                        && let Some(started) = self.started(file, function, *value)
                    {
                        if let Expr::Name(_) = model.expr(target) {
                            self.assigned(file, function, (handle, &started), (rest, &further), gathered);
                        } else if !gathered && !synchronises(model, &further) && !self.is_read(file, handle) {
                            self.report(
                                file,
                                function,
                                &started,
                                Misuse::Dropped,
                                None,
                                started.confidence.min(Confidence::Medium),
                            );
                        }
                    }
                }
                Stmt::With { items, .. } => {
                    inner |= items.iter().any(|item| match model.expr(item.context) {
                        Expr::Call(call) => model
                            .last_name(model.call(call).callee)
                            .is_some_and(|name| name.as_str().contains("coalescing")),
                        _ => false,
                    });
                }
                _ => {}
            }
            // A loop comes round again before it comes to what is behind it.
            let is_once = !matches!(model.stmt(id), Stmt::For { .. } | Stmt::While { .. });
            for block in blocks_of(model.stmt(id)) {
                self.block(file, function, block, (inner, if is_once { &further } else { &[] }));
            }
        }
    }

    /// The asynchronous operation that an expression starts.
    fn started(&mut self, file: FileId, function: LocalFunction, value: ExprId) -> Option<Started<'p>> {
        let model = &self.program.file(file).model;
        let Expr::Call(index) = model.expr(value) else { return None };
        let call = model.call(index);
        let name = model.last_name(call.callee)?;
        let pairs = matches!(name.as_str(), "isend" | "irecv" | "batch_isend_irecv");
        let asks = |value: ExprId| model.expr(value) == Expr::Bool(true);
        let any_true = pairs
            || model.list(call.args).iter().any(|&value| asks(value))
            || model.keywords(call).iter().any(|keyword| asks(keyword.value));
        if !any_true {
            return None;
        }
        let (operation, confidence) = self.communication.operation(file, function, call)?;
        let asynchronous = match operation.asynchronous {
            Some(operand) => {
                argument(model, call, operand.position.map(usize::from), operand.parameter).is_some_and(asks)
            }
            None => pairs && operation.kind == OperationKind::PointToPoint,
        };
        let site = Site { file, span: model.span(value) };
        asynchronous.then_some(Started { op: name, site, operation, call, confidence })
    }

    fn assigned(
        &mut self,
        file: FileId,
        function: LocalFunction,
        (handle, started): (Symbol, &Started<'_>),
        (rest, further): (&[StmtId], &[StmtId]),
        gathered: bool,
    ) {
        let model = &self.program.file(file).model;
        if !gathered && self.mentions_of(file, function, handle) <= self.assignments_of(file, function, handle) {
            if !synchronises(model, further) {
                self.dropped(file, function, started, further);
            }
            return;
        }
        let Some((misuse, id, used)) = self.early_use(file, started, Some(handle), rest) else { return };
        let early = Early { used, handle: Some((handle, Site { file, span: model.stmt_span(id) })) };
        self.report(file, function, started, misuse, Some(early), started.confidence);
    }

    /// An operation of which nobody keeps the handle: where its buffer is used all the same that is what shows.
    fn dropped(&mut self, file: FileId, function: LocalFunction, started: &Started<'_>, rest: &[StmtId]) {
        match self.early_use(file, started, None, rest) {
            Some((misuse, _, used)) => {
                let early = Early { used, handle: None };
                self.report(file, function, started, misuse, Some(early), started.confidence);
            }
            None => self.report(file, function, started, Misuse::Dropped, None, Confidence::Low),
        }
    }

    /// The first use of a buffer while the operation may still be under way, in the same block: what is done, in which
    /// statement, and where of what.
    fn early_use(
        &self,
        file: FileId,
        started: &Started<'_>,
        handle: Option<Symbol>,
        rest: &[StmtId],
    ) -> Option<(Misuse, StmtId, (Site, Symbol))> {
        let model = &self.program.file(file).model;
        let (outputs, inputs) = self.buffers(file, started);
        let both: Vec<Symbol> = outputs.iter().chain(&inputs).copied().collect();
        for &id in rest {
            let stmt = model.stmt(id);
            if handle.is_some_and(|handle| mentioned_in(model, id, handle)) || synchronising(model, id) {
                return None;
            }
            let at = |expr: ExprId| Site { file, span: model.span(expr) };
            if let Some((used, name)) = read_of(model, stmt, &outputs) {
                return Some((Misuse::Read, id, (at(used), name)));
            }
            if let Some((written, name)) = write_of(model, stmt, &both) {
                return Some((Misuse::Written, id, (at(written), name)));
            }
            // Rebound: another tensor from here on. What happens to it inside a compound statement is not followed.
            let nested = !blocks_of(stmt).is_empty() && both.iter().any(|&name| mentioned_in(model, id, name));
            if rebinds(model, stmt, &both) || nested {
                return None;
            }
        }
        None
    }

    /// Names of the buffers that the operation fills, and of those that it only reads.
    fn buffers(&self, file: FileId, started: &Started<'_>) -> (Vec<Symbol>, Vec<Symbol>) {
        let model = &self.program.file(file).model;
        let named = |operand: &Operand| -> Option<Symbol> {
            let given = argument(model, started.call, operand.position.map(usize::from), operand.parameter)?;
            match model.expr(given) {
                Expr::Name(name) => Some(name),
                // The front part of a buffer is the buffer.
                Expr::Subscript(whole, part) => match (model.expr(whole), model.expr(part)) {
                    (Expr::Name(name), Expr::Slice(bounds)) => {
                        let from = model.list(bounds).first().map(|&from| model.expr(from));
                        matches!(from, Some(Expr::None | Expr::Int(0))).then_some(name)
                    }
                    _ => None,
                },
                _ => None,
            }
        };
        let operation = started.operation;
        let outputs: Vec<Symbol> = operation.agrees.iter().chain(&operation.differs).filter_map(named).collect();
        let sends = started.op.as_str() == "isend";
        let first = model.list(started.call.args).first().copied();
        let mut inputs: Vec<Symbol> = operation.shaped.iter().filter_map(named).collect();
        if sends && let Some(Expr::Name(name)) = first.map(|first| model.expr(first)) {
            inputs.push(name);
        }
        inputs.retain(|name| !outputs.contains(name));
        (outputs, inputs)
    }

    /// Whether anybody reads an attribute of that name, of whatever object.
    fn is_read(&mut self, file: FileId, attribute: Symbol) -> bool {
        let tree = self.program.tree_of(file);
        if let Some(&known) = self.read.get(&(tree, attribute)) {
            return known;
        }
        let read = self.is_named_elsewhere(file, attribute);
        self.read.insert((tree, attribute), read);
        read
    }

    /// Whether more expressions of the tree than assignments name an attribute, or a text does.
    fn is_named_elsewhere(&self, file: FileId, attribute: Symbol) -> bool {
        let program = self.program;
        let mut files = program.file_ids().filter(|&other| program.same_tree(file, other));
        files.any(|other| {
            let model = &program.file(other).model;
            if !model.names().may_hold(attribute) {
                return false;
            }
            let named = (0..model.expr_count() as u32).filter(|&id| match model.expr(ExprId(id)) {
                Expr::Attribute { name, .. } | Expr::Str(name) => name == attribute,
                _ => false,
            });
            let mut stored = 0;
            for definition in &model.functions {
                each_statement(model, definition.body, &mut |_, stmt| {
                    let targets = model.assigned(stmt).map_or(&[][..], |(targets, _)| targets);
                    let is_it = |target: &&ExprId| {
                        matches!(model.expr(**target), Expr::Attribute { name, .. } if name == attribute)
                    };
                    stored += targets.iter().filter(is_it).count();
                });
            }
            named.count() > stored
        })
    }

    /// How often the function gives the name a value.
    fn assignments_of(&self, file: FileId, function: LocalFunction, name: Symbol) -> usize {
        let model = &self.program.file(file).model;
        let mut count = 0;
        each_statement(model, model.function(function).body, &mut |_, stmt| {
            if let Stmt::Assign { targets, .. } = stmt {
                count += model.list(*targets).iter().filter(|&&target| model.expr(target) == Expr::Name(name)).count();
            }
        });
        count
    }

    /// How often the function and those within it mention a name.
    fn mentions_of(&self, file: FileId, function: LocalFunction, name: Symbol) -> usize {
        let model = &self.program.file(file).model;
        let outer = model.function(function).span;
        let whole = model.function(function).kind == FunctionKind::Module;
        let inside =
            |other: &&crate::model::Function| whole || (outer.start <= other.span.start && other.span.end <= outer.end);
        let names = model.functions.iter().filter(inside).flat_map(|other| &other.mentions);
        names.filter(|mentioned| **mentioned == name).count()
    }

    fn report(
        &mut self,
        file: FileId,
        function: LocalFunction,
        started: &Started<'_>,
        misuse: Misuse,
        early: Option<Early>,
        confidence: Confidence,
    ) {
        let (op, site) = (started.op, started.site);
        let (used, handle) = early.map_or((None, None), |early| (Some(early.used), early.handle));
        self.out.push(Unawaited { function: (file, function), op, site, misuse, used, handle, confidence });
    }
}
