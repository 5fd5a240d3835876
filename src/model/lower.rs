//! From the syntax tree to the compact tree: statements, functions, classes, imports.

mod definition;
mod flows;

pub use definition::SETTER;
pub(crate) use flows::IN_PLACE;

use crate::base::{Span, Symbol};
use crate::syntax::{Parsed, ast, span, span_of};

use super::comments::Comment;
use super::tree::*;

/// How much of a file is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Everything.
    Full,
    /// Definitions, imports, constants and which names each function calls: for files that speak of nothing distributed.
    /// A chain of calls through them is not lost.
    Skeleton,
}

/// Nesting of expressions and blocks beyond which the rest is left out; CPython's own compiler gives up far earlier.
pub(super) const MAX_DEPTH: u32 = 400;

/// Arms of one `if` chain that are kept: each is nested in the one before.
const MAX_ARMS: usize = 4_000;

/// Strings longer than this many bytes carry no path, name or command.
const MAX_STRING: usize = 4096;

/// Lowers one parsed file.
pub fn lower(parsed: &Parsed, source: &str, detail: Detail) -> File {
    let mut lowerer = Lowerer::new(detail);
    lowerer.file.comments = parsed.comments.iter().filter_map(|&span| Comment::of_interest(source, span)).collect();
    lowerer.module(&parsed.module);
    let mut file = lowerer.file;
    file.shrink();
    file
}

/// What is collected while a function's body is lowered.
#[derive(Default)]
pub(super) struct Scope {
    bound: Vec<Symbol>,
    outer: Vec<Symbol>,
    pub(super) is_generator: bool,
    pub(super) mentions: Vec<Symbol>,
    flows: Vec<Flow>,
    guards: Vec<Guard>,
    pub(super) callees: Vec<Callee>,
    guard: u32,
    /// Statements so far that leave a block.
    exits: u32,
    /// Those of them that raise.
    raises: u32,
    /// Those of them that end a turn of the loop at hand.
    cuts: u32,
    /// The condition under which the last statement may have ended a turn, counted from 1.
    cut: Option<u32>,
}

impl Scope {
    /// The same without anything in it: bodies are many, and what one needed the next does.
    fn emptied(mut self) -> Scope {
        self.bound.clear();
        self.outer.clear();
        self.mentions.clear();
        self.flows.clear();
        self.guards.clear();
        self.callees.clear();
        let Scope { bound, outer, mentions, flows, guards, callees, .. } = self;
        Scope { bound, outer, mentions, flows, guards, callees, ..Scope::default() }
    }
}

pub(super) struct Lowerer {
    pub(super) file: File,
    pub(super) detail: Detail,
    pub(super) depth: u32,
    scopes: Vec<Scope>,
    /// Scopes that were left, empty, with the room they had.
    spare: Vec<Scope>,
    pub(super) functions: Vec<LocalFunction>,
    classes: Vec<LocalClass>,
}

/// What ends the process when it is called.
const ENDING: [&str; 4] = ["exit", "_exit", "abort", "quit"];

impl Lowerer {
    fn new(detail: Detail) -> Self {
        Self {
            file: File::default(),
            detail,
            depth: 0,
            scopes: Vec::new(),
            spare: Vec::new(),
            functions: Vec::new(),
            classes: Vec::new(),
        }
    }

    pub(super) fn string(&mut self, text: &str) -> Option<Symbol> {
        (text.len() <= MAX_STRING).then(|| Symbol::new(text))
    }

    pub(super) fn bind(&mut self, name: Symbol) {
        if let Some(scope) = self.scopes.last_mut()
            && !scope.bound.contains(&name)
        {
            scope.bound.push(name);
        }
    }

    pub(super) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("statements are lowered inside a function")
    }

    pub(super) fn mark(&mut self) -> u32 {
        self.scope().mentions.len() as u32
    }

    /// Lowers blocks that stand under the condition lowered since `start`.
    pub(super) fn under<R>(&mut self, start: u32, blocks: impl FnOnce(&mut Self) -> R) -> R {
        let scope = self.scope();
        let (around, exits, raises, cuts) = (scope.guard, scope.exits, scope.raises, scope.cuts);
        let end = scope.mentions.len() as u32;
        scope.guards.push(Guard { start, end, around, until: end, ..Guard::default() });
        scope.guard = scope.guards.len() as u32;
        let at = scope.guards.len() - 1;
        let out = blocks(self);
        let scope = self.scope();
        scope.guard = around;
        if scope.cuts > cuts {
            scope.cut.get_or_insert(at as u32 + 1);
        }
        let (guard, until) = (&mut scope.guards[at], scope.mentions.len() as u32);
        (guard.until, guard.exits, guard.raises) = (until, scope.exits > exits, scope.raises > raises);
        guard.exits |= scope.mentions[end as usize..].iter().any(|name| ENDING.contains(&name.as_str()));
        out
    }

    /// A condition inside an expression, lowered from `start` to `end`, and all that it decides about with it.
    pub(super) fn condition(&mut self, start: u32, end: u32) {
        let scope = self.scope();
        let (until, around) = (scope.mentions.len() as u32, scope.guard);
        if start < end {
            scope.guards.push(Guard { start, end, around, until, ..Guard::default() });
        }
    }

    fn module(&mut self, module: &ast::ModModule) {
        let id = self.declare(Symbol::new("<module>"), FunctionKind::Module, span(module.range), span(module.range));
        self.enter(id);
        let body = self.body(&module.body);
        self.leave(id, body);
    }

    pub(super) fn body(&mut self, stmts: &[ast::Stmt]) -> Block {
        let mut out = Vec::with_capacity(stmts.len());
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            let scope = self.scope();
            let (around, mut cut) = (scope.guard, None);
            let earlier = scope.cut.take();
            for stmt in stmts {
                self.stmt(stmt, &mut out);
                // What stands behind an `if` that may have ended the turn is under its condition.
                let scope = self.scope();
                if let Some(guard) = scope.cut.take() {
                    scope.guard = guard;
                    cut = Some(guard);
                }
            }
            let scope = self.scope();
            (scope.guard, scope.cut) = (around, cut.or(earlier));
            self.depth -= 1;
        }
        self.file.push_block(&out)
    }

    /// The body of a loop, and its `else`: who ends a turn in it goes on behind the loop.
    fn turns(&mut self, body: &[ast::Stmt], orelse: &[ast::Stmt]) -> (Block, Block) {
        let cuts = self.scope().cuts;
        let body = self.body(body);
        let scope = self.scope();
        (scope.cuts, scope.cut) = (cuts, None);
        (body, self.body(orelse))
    }

    pub(super) fn stmt(&mut self, stmt: &ast::Stmt, out: &mut Vec<StmtId>) {
        let at = span_of(stmt);
        let skeleton = self.detail == Detail::Skeleton;
        let lowered = match stmt {
            ast::Stmt::FunctionDef(def) => Stmt::Function(self.function(def)),
            ast::Stmt::ClassDef(def) => Stmt::Class(self.class(def)),
            ast::Stmt::Import(import) => self.import(import),
            ast::Stmt::ImportFrom(import) => self.import_from(import),
            _ if skeleton => return self.skeleton_stmt(stmt, out),
            ast::Stmt::Expr(expr) => {
                if expr.value.is_literal_expr() {
                    return;
                }
                let start = self.mark();
                let value = self.expr(&expr.value);
                let end = self.mark();
                self.handed_in(value, start, end);
                Stmt::Expr(value)
            }
            ast::Stmt::Assign(assign) => {
                let start = self.mark();
                let value = self.expr(&assign.value);
                if matches!(self.file.expr(value), Expr::Name(_)) {
                    self.held(value);
                }
                let end = self.mark();
                let targets: Vec<ExprId> = assign.targets.iter().map(|target| self.target(target)).collect();
                targets.iter().for_each(|&target| {
                    self.flows(target, start, end);
                    self.holds(target, value);
                });
                Stmt::Assign { targets: self.file.push_list(&targets), value }
            }
            ast::Stmt::AugAssign(assign) => {
                let start = self.mark();
                let value = self.expr(&assign.value);
                let end = self.mark();
                let target = self.target(&assign.target);
                self.flows(target, start, end);
                Stmt::AugAssign { target, op: binary_op(assign.op), value }
            }
            ast::Stmt::AnnAssign(assign) => {
                let start = self.mark();
                let value = assign.value.as_deref().map(|value| self.expr(value));
                if let Some(value) = value.filter(|&value| matches!(self.file.expr(value), Expr::Name(_))) {
                    self.held(value);
                }
                let end = self.mark();
                let target = self.target(&assign.target);
                self.flows(target, start, end);
                if let Some(value) = value {
                    self.holds(target, value);
                }
                Stmt::Annotated { target, annotation: self.expr(&assign.annotation), value }
            }
            ast::Stmt::Return(ret) => {
                let start = self.mark();
                let value = ret.value.as_deref().map(|value| self.expr(value));
                let end = self.mark();
                self.flow(Sink::Return, start, end);
                self.scope().exits += 1;
                Stmt::Return(value)
            }
            ast::Stmt::If(stmt) => return self.if_chain(stmt, out),
            ast::Stmt::While(stmt) => {
                let start = self.mark();
                let test = self.expr(&stmt.test);
                self.under(start, |lowerer| {
                    let (body, orelse) = lowerer.turns(&stmt.body, &stmt.orelse);
                    Stmt::While { test, body, orelse }
                })
            }
            ast::Stmt::For(stmt) => {
                let start = self.mark();
                let iter = self.expr(&stmt.iter);
                let end = self.mark();
                let target = self.target(&stmt.target);
                self.flows(target, start, end);
                self.under(start, |lowerer| {
                    let (body, orelse) = lowerer.turns(&stmt.body, &stmt.orelse);
                    Stmt::For { target, iter, body, orelse }
                })
            }
            ast::Stmt::With(stmt) => {
                let items = stmt
                    .items
                    .iter()
                    .map(|item| WithItem {
                        context: self.expr(&item.context_expr),
                        target: item.optional_vars.as_deref().map(|target| self.target(target)),
                    })
                    .collect();
                Stmt::With { items, body: self.body(&stmt.body) }
            }
            ast::Stmt::Match(stmt) => self.match_statement(stmt),
            ast::Stmt::Try(stmt) => self.try_statement(stmt),
            ast::Stmt::Raise(stmt) => {
                let scope = self.scope();
                (scope.exits, scope.raises) = (scope.exits + 1, scope.raises + 1);
                Stmt::Raise(stmt.exc.as_deref().map(|exc| self.expr(exc)))
            }
            ast::Stmt::Assert(stmt) => {
                let start = self.mark();
                let test = self.expr(&stmt.test);
                let end = self.mark();
                self.condition(start, end);
                Stmt::Assert(test)
            }
            ast::Stmt::Delete(stmt) => {
                let targets: Vec<ExprId> = stmt.targets.iter().map(|target| self.expr(target)).collect();
                Stmt::Delete(self.file.push_list(&targets))
            }
            ast::Stmt::Break(_) | ast::Stmt::Continue(_) => {
                let scope = self.scope();
                (scope.exits, scope.cuts) = (scope.exits + 1, scope.cuts + 1);
                if matches!(stmt, ast::Stmt::Break(_)) { Stmt::Break } else { Stmt::Continue }
            }
            ast::Stmt::Global(stmt) => self.outer(&stmt.names),
            ast::Stmt::Nonlocal(stmt) => self.outer(&stmt.names),
            ast::Stmt::Pass(_) | ast::Stmt::TypeAlias(_) | ast::Stmt::IpyEscapeCommand(_) => return,
        };
        out.push(self.file.push_stmt(lowered, at));
    }

    /// `if … elif … else` as nested two-way choices.
    fn if_chain(&mut self, stmt: &ast::StmtIf, out: &mut Vec<StmtId>) {
        let id = self.choice(&stmt.test, &stmt.body, &stmt.elif_else_clauses, span(stmt.range));
        out.push(id);
    }

    fn choice(&mut self, test: &ast::Expr, body: &[ast::Stmt], rest: &[ast::ElifElseClause], at: Span) -> StmtId {
        let start = self.mark();
        let test = self.expr(test);
        let (body, orelse) = self.under(start, |lowerer| {
            let body = lowerer.body(body);
            let orelse = match rest.split_first() {
                None => Block::default(),
                Some((clause, rest)) => match &clause.test {
                    None => lowerer.body(&clause.body),
                    // A chain of that many arms is a table: the rest is left out.
                    Some(_) if rest.len() > MAX_ARMS => Block::default(),
                    Some(test) => {
                        let at = Span::new(span(clause.range).start, at.end);
                        let nested = lowerer.choice(test, &clause.body, rest, at);
                        lowerer.file.push_block(&[nested])
                    }
                },
            };
            (body, orelse)
        });
        self.file.push_stmt(Stmt::If { test, body, orelse }, at)
    }

    fn try_statement(&mut self, stmt: &ast::StmtTry) -> Stmt {
        let start = self.mark();
        let body = self.body(&stmt.body);
        let (end, exits) = (self.mark(), self.scope().exits);
        let handlers: Vec<Handler> = stmt
            .handlers
            .iter()
            .map(|handler| {
                let ast::ExceptHandler::ExceptHandler(handler) = handler;
                let kind = handler.type_.as_deref().map(|kind| self.expr(kind));
                let name = handler.name.as_ref().map(|name| {
                    let name = Symbol::new(name.as_str());
                    self.bind(name);
                    name
                });
                let whole = span(handler.range);
                let line_end = handler.body.first().map_or(whole.end, |first| span_of(first).start);
                Handler { kind, name, body: self.body(&handler.body), span: Span::new(whole.start, line_end) }
            })
            .collect();
        if !handlers.is_empty() && start < end {
            let scope = self.scope();
            let (around, until, exits) = (scope.guard, scope.mentions.len() as u32, scope.exits > exits);
            scope.guards.push(Guard { start, end, around, until, exits, tried: true, ..Guard::default() });
        }
        let (orelse, finally) = (self.body(&stmt.orelse), self.body(&stmt.finalbody));
        Stmt::Try(Box::new(Try { body, handlers, orelse, finally }))
    }
}

pub(super) fn binary_op(op: ast::Operator) -> BinaryOp {
    match op {
        ast::Operator::Add => BinaryOp::Add,
        ast::Operator::Sub => BinaryOp::Sub,
        ast::Operator::Mult => BinaryOp::Mul,
        ast::Operator::MatMult => BinaryOp::MatMul,
        ast::Operator::Div => BinaryOp::Div,
        ast::Operator::Mod => BinaryOp::Mod,
        ast::Operator::Pow => BinaryOp::Pow,
        ast::Operator::LShift => BinaryOp::ShiftLeft,
        ast::Operator::RShift => BinaryOp::ShiftRight,
        ast::Operator::BitOr => BinaryOp::BitOr,
        ast::Operator::BitXor => BinaryOp::BitXor,
        ast::Operator::BitAnd => BinaryOp::BitAnd,
        ast::Operator::FloorDiv => BinaryOp::FloorDiv,
    }
}
