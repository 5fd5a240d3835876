//! Groups that a loop makes one after the other under one name, which all ranks go on with: the last of them, whoever is in it.

use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::catalog::OperationKind;
use crate::model::{
    Block, CompareOp, Expr, ExprId, File, Function, LocalFunction, Stmt, StmtId, each_expression, each_statement,
    expressions_of, names_in,
};

use super::blocks::{binds, calls_of, collect, exclude_each_other, is_self};
use super::communication::{Communication, argument};
use super::conduct::bodies;
use super::context::each_in_context;
use super::program::Program;

/// The operation that makes a group of given ranks.
const NEW_GROUP: &str = "new_group";

/// Calls that only tell somebody.
const TELLS: [&str; 7] = ["print", "debug", "info", "warning", "error", "log", "print_rank_0"];

/// A group that is another one on each turn of a loop, and the last one for everybody behind it.
#[derive(Clone, Debug)]
pub struct LastGroup {
    /// The function.
    pub function: FunctionId,
    /// What holds the group.
    pub name: Symbol,
    /// Where it is made.
    pub site: Site,
    /// Where all ranks go on with it; absent where that is in another function.
    pub used: Option<Site>,
    /// Where the loop asks whether this rank is one of the members.
    pub asked: Option<Site>,
}

/// A loop that makes groups.
struct Made<'p> {
    model: &'p File,
    /// Statements of the loop, itself included.
    turn: Vec<StmtId>,
    /// The assignment, what it assigns to, and the ranks that are in the group.
    assigned: (StmtId, ExprId, ExprId),
}

/// The groups, in order of files.
pub(super) fn last_groups(program: &Program, communication: &mut Communication<'_>) -> Vec<LastGroup> {
    let mut out = Vec::new();
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        let makes = model.function(function).mentions.iter().any(|name| name.as_str() == NEW_GROUP);
        if !makes || program.file(file).is_test() {
            continue;
        }
        for outer in loops(model, model.function(function).body) {
            let mut turn = vec![outer];
            collect(model, outer, &mut turn);
            let leaves = |&id: &StmtId| matches!(model.stmt(id), Stmt::Break | Stmt::Continue | Stmt::Return(_));
            if turn.iter().any(leaves) {
                continue;
            }
            for assigned in assigned_groups(communication, (file, function), &turn) {
                let made = Made { model, turn: turn.clone(), assigned };
                out.extend(made.kept_by_all(program, (file, function)));
            }
        }
    }
    out
}

/// The outermost loops of a block.
fn loops(model: &File, block: Block) -> Vec<StmtId> {
    let mut out: Vec<StmtId> = Vec::new();
    each_statement(model, block, &mut |id, stmt| {
        let around = out.last().map(|&last| model.stmt_span(last));
        if matches!(stmt, Stmt::For { .. }) && !around.is_some_and(|around| around.holds(model.stmt_span(id))) {
            out.push(id);
        }
    });
    out
}

/// Assignments of a new group that every turn of a loop comes to.
fn assigned_groups(
    communication: &mut Communication<'_>,
    (file, function): (FileId, LocalFunction),
    turn: &[StmtId],
) -> Vec<(StmtId, ExprId, ExprId)> {
    let model = &communication.program().file(file).model;
    let mut out = Vec::new();
    for &around in turn {
        let Stmt::For { body, .. } = model.stmt(around) else { continue };
        for &id in model.block(*body) {
            let Stmt::Assign { targets, value } = model.stmt(id) else { continue };
            let (&[target], Expr::Call(call)) = (model.list(*targets), model.expr(*value)) else { continue };
            let call = model.call(call);
            let creates = communication.operation(file, function, call).is_some_and(|(operation, _)| {
                operation.kind == OperationKind::GroupCreation && operation.op.as_str() == NEW_GROUP
            });
            if let (true, Some(ranks)) = (creates, argument(model, call, Some(0), Symbol::new("ranks"))) {
                out.push((id, target, ranks));
            }
        }
    }
    out
}

impl Made<'_> {
    fn kept_by_all(&self, program: &Program, (file, function): (FileId, LocalFunction)) -> Option<LastGroup> {
        let (model, (id, target, _)) = (self.model, self.assigned);
        let name = match model.expr(target) {
            Expr::Name(name) | Expr::Attribute { name, .. } => name,
            _ => return None,
        };
        if !self.has_other_ranks_each_turn() || self.turn.iter().any(|&stmt| stmt != id && self.reads(stmt, target)) {
            return None;
        }
        let is_local = matches!(model.expr(target), Expr::Name(_)) && !self.is_outer(function, name);
        let used = if is_local { Some(self.used_behind(program, function, target)?) } else { None };
        if !is_local && (!self.is_kept(function, target) || self.has_called_who_speaks_of_it(function, name)) {
            return None;
        }
        Some(LastGroup {
            function: program.function_id(file, function),
            name,
            site: Site { file, span: model.stmt_span(id) },
            used: used.map(|span| Site { file, span }),
            asked: self.asks_for_membership().map(|span| Site { file, span }),
        })
    }

    /// Whether the ranks in the group go with the turn: they are made of what the loop binds.
    fn has_other_ranks_each_turn(&self) -> bool {
        let (model, (_, _, ranks)) = (self.model, self.assigned);
        let mut bound: Vec<Symbol> = Vec::new();
        for &id in &self.turn {
            match model.stmt(id) {
                Stmt::For { target, iter, .. } if !has_one_turn(model, *iter) => bound.extend(names_in(model, *target)),
                Stmt::Assign { targets, value } if names_in(model, *value).iter().any(|name| bound.contains(name)) => {
                    bound.extend(model.list(*targets).iter().flat_map(|&target| names_in(model, target)));
                }
                _ => {}
            }
        }
        // `list(range(count))`: the last of several may be everybody.
        names_in(model, ranks).iter().any(|name| bound.contains(name)) && !begins_with_the_first(model, ranks)
    }

    /// Whether a statement has anything to do with what holds the group.
    fn reads(&self, stmt: StmtId, target: ExprId) -> bool {
        let model = self.model;
        let mut found = false;
        for root in expressions_of(model, model.stmt(stmt)) {
            each_expression(model, root, &mut |expr, _| found |= is_same(model, expr, target));
        }
        found
    }

    /// Where a variable is handed on behind the loop, by every rank and before it is bound again.
    fn used_behind(&self, program: &Program, function: LocalFunction, target: ExprId) -> Option<Span> {
        let model = self.model;
        let body = model.function(function).body;
        let around = model.stmt_span(self.turn[0]);
        let Expr::Name(name) = model.expr(target) else { return None };
        let (mut read, mut is_bound) = (None, false);
        each_in_context(model, function, &mut |id, stmt, context| {
            let span = model.stmt_span(id);
            if read.is_some() || is_bound || span.start < around.end || exclude_each_other(model, body, around, span) {
                return;
            }
            let is_asked = context.conditions.iter().any(|&asked| self.asks_who_is_in_it(program, asked, target));
            is_bound = binds(model, stmt, name) || matches!(stmt, Stmt::Delete(_));
            let handed = match stmt {
                Stmt::Return(Some(value)) => Some(*value),
                Stmt::Assign { value, .. } => Some(*value),
                Stmt::Expr(value) if !is_for_a_person(model, *value) => Some(*value),
                _ => None,
            };
            if let Some(root) = handed.filter(|_| !is_asked) {
                each_expression(model, root, &mut |expr, _| {
                    if is_same(model, expr, target) {
                        read = Some(model.span(expr));
                    }
                });
            }
        });
        read
    }

    /// Whether a question is about who is in the group: it names the group, the ranks in it, or this rank.
    fn asks_who_is_in_it(&self, program: &Program, asked: ExprId, target: ExprId) -> bool {
        let (model, (_, _, ranks)) = (self.model, self.assigned);
        let mut names = names_in(model, ranks);
        names.extend(names_in(model, target));
        names_in(model, asked).iter().any(|name| names.contains(name) || program.catalog.is_rank_by_name(*name))
    }

    /// Whether an attribute of the object at hand, or a variable of the module, keeps the group, and nothing else behind the loop.
    fn is_kept(&self, function: LocalFunction, target: ExprId) -> bool {
        let model = self.model;
        let is_own = match model.expr(target) {
            Expr::Attribute { value, .. } => is_self(model, value),
            Expr::Name(_) => true,
            _ => false,
        };
        let end = model.stmt_span(self.turn[0]).end;
        let mut is_set_again = false;
        each_statement(model, model.function(function).body, &mut |id, stmt| {
            if model.stmt_span(id).start >= end
                && let Some((targets, _)) = model.assigned(stmt)
            {
                is_set_again |= targets.iter().any(|&other| is_same(model, other, target));
            }
        });
        is_own && !is_set_again
    }

    /// Whether the loop calls a function of the file that speaks of what keeps the group: it may keep the right one. Or nobody
    /// else speaks of it.
    fn has_called_who_speaks_of_it(&self, function: LocalFunction, name: Symbol) -> bool {
        let model = self.model;
        let speaks = |definition: &Function| {
            definition.mentions.contains(&name) && !definition.parameters.iter().any(|given| given.name == name)
        };
        let of_class = model.function(function).class;
        let others = model.functions.iter().enumerate().filter(|&(index, _)| index as u32 != function.0);
        let mut speaking =
            others.filter(|(_, other)| speaks(other) && (of_class.is_none() || other.class == of_class)).peekable();
        if speaking.peek().is_none() {
            return true;
        }
        let called: Vec<Symbol> = self
            .turn
            .iter()
            .flat_map(|&id| calls_of(model, id))
            .filter_map(|(_, call)| model.last_name(call.callee))
            .collect();
        speaking.any(|(_, other)| called.contains(&other.name))
    }

    /// Whether the function has declared the variable to be one around it.
    fn is_outer(&self, function: LocalFunction, name: Symbol) -> bool {
        let mut found = false;
        each_statement(self.model, self.model.function(function).body, &mut |_, stmt| {
            found |= matches!(stmt, Stmt::Outer(names) if names.contains(&name));
        });
        found
    }

    /// Where the loop asks whether this rank is one of those in the group.
    fn asks_for_membership(&self) -> Option<Span> {
        let (model, (_, _, ranks)) = (self.model, self.assigned);
        self.turn.iter().find_map(|&id| {
            let Stmt::If { test, .. } = model.stmt(id) else { return None };
            let Expr::Compare(CompareOp::In, _, among) = model.expr(*test) else { return None };
            is_same(model, among, ranks).then(|| model.span(*test))
        })
    }
}

/// Whether two expressions are the same variable, or the same attribute of one.
fn is_same(model: &File, one: ExprId, other: ExprId) -> bool {
    match (model.expr(one), model.expr(other)) {
        (Expr::Name(one), Expr::Name(other)) => one == other,
        (Expr::Attribute { value, name }, Expr::Attribute { value: of, name: other }) => {
            name == other && is_same(model, value, of)
        }
        _ => false,
    }
}

/// Whether a loop goes over one thing that is written out.
fn has_one_turn(model: &File, iter: ExprId) -> bool {
    matches!(model.expr(iter), Expr::ListDisplay(parts) | Expr::Tuple(parts) if model.list(parts).len() == 1)
}

/// Whether ranks are all those up to some number: `list(range(count))`.
fn begins_with_the_first(model: &File, ranks: ExprId) -> bool {
    let Expr::Call(call) = model.expr(ranks) else { return false };
    let call = model.call(call);
    let args = model.list(call.args);
    match model.last_name(call.callee).map(Symbol::as_str) {
        Some("list" | "tuple") => args.first().is_some_and(|&inner| begins_with_the_first(model, inner)),
        Some("range") => args.len() == 1,
        _ => false,
    }
}

/// Whether a statement only tells somebody: it prints, or logs.
fn is_for_a_person(model: &File, value: ExprId) -> bool {
    let Expr::Call(call) = model.expr(value) else { return false };
    let called = model.last_name(model.call(call).callee);
    called.is_some_and(|name| TELLS.contains(&name.as_str()))
}
