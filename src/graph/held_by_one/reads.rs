//! Variables that a statement reads, each with what is asked before it in the same expression.

use super::Asked;
use crate::base::Symbol;
use crate::model::{Expr, ExprId, File, Stmt, expressions_of, names_in, parts_of};

/// A variable that is read.
pub(super) struct Read {
    pub name: Symbol,
    /// The expression that fails where the variable is not there, or is `None`.
    pub expr: ExprId,
    /// Whether it is called, or something of it is asked for: `None` has nothing to give.
    pub goes_into_it: bool,
}

/// Calls `visit` for each variable that the statement itself reads, of those that `variable` knows; `around` holds where it
/// stands.
pub(super) fn reads(
    model: &File,
    stmt: &Stmt,
    around: &[Asked],
    variable: &dyn Fn(ExprId) -> Option<Symbol>,
    visit: &mut dyn FnMut(&[Asked], Read),
) {
    let mut walk = Walk { model, asked: around.to_vec(), own: Vec::new(), variable, visit };
    let targets: Vec<ExprId> = match stmt {
        Stmt::Assign { targets, .. } => model.list(*targets).to_vec(),
        Stmt::Annotated { target, .. } | Stmt::For { target, .. } => vec![*target],
        Stmt::With { items, .. } => items.iter().filter_map(|item| item.target).collect(),
        Stmt::Delete(targets) => model.list(*targets).to_vec(),
        _ => Vec::new(),
    };
    for root in expressions_of(model, stmt) {
        match (targets.contains(&root), variable(root)) {
            (true, _) => walk.target(root),
            (false, Some(name)) if taken_apart(model, stmt) == Some(root) => walk.read(name, root, true),
            (false, _) => walk.expression(root),
        }
    }
}

/// The function that asks how many there are in something, which nothing has not.
const LENGTH: &str = "len";

/// What a statement takes apart: the value of `a, b = value`, what a loop goes through.
pub(super) fn taken_apart(model: &File, stmt: &Stmt) -> Option<ExprId> {
    match stmt {
        Stmt::Assign { targets, value } => {
            let parts = |&target: &ExprId| matches!(model.expr(target), Expr::Tuple(_) | Expr::ListDisplay(_));
            model.list(*targets).iter().any(parts).then_some(*value)
        }
        Stmt::For { iter, .. } => Some(*iter),
        _ => None,
    }
}

struct Walk<'a> {
    model: &'a File,
    asked: Vec<Asked>,
    /// Variables of comprehensions around.
    own: Vec<Symbol>,
    variable: &'a dyn Fn(ExprId) -> Option<Symbol>,
    visit: &'a mut dyn FnMut(&[Asked], Read),
}

impl Walk<'_> {
    /// What is assigned to is not read, but for what it is a part of.
    fn target(&mut self, target: ExprId) {
        match self.model.expr(target) {
            Expr::Tuple(parts) | Expr::ListDisplay(parts) => {
                self.model.list(parts).iter().for_each(|&part| self.target(part));
            }
            Expr::Starred(inner) => self.target(inner),
            _ if (self.variable)(target).is_some() => {}
            _ => self.expression(target),
        }
    }

    fn read(&mut self, name: Symbol, expr: ExprId, goes_into_it: bool) {
        if !self.own.contains(&name) {
            (self.visit)(&self.asked, Read { name, expr, goes_into_it });
        }
    }

    /// Depth is bounded: the lowering cuts off deeper expressions.
    fn expression(&mut self, id: ExprId) {
        let model = self.model;
        if let Some(name) = (self.variable)(id) {
            return self.read(name, id, false);
        }
        match model.expr(id) {
            Expr::Attribute { value, .. } | Expr::Subscript(value, _) if let Some(name) = (self.variable)(value) => {
                self.read(name, id, true);
                if let Expr::Subscript(_, index) = model.expr(id) {
                    self.expression(index);
                }
            }
            Expr::Call(at) => {
                let call = model.call(at);
                if let &[counted] = model.list(call.args)
                    && model.expr(call.callee) == Expr::Name(Symbol::new(LENGTH))
                    && let Some(name) = (self.variable)(counted)
                {
                    return self.read(name, id, true);
                }
                match (self.variable)(call.callee) {
                    Some(name) => self.read(name, id, true),
                    None => self.expression(call.callee),
                }
                model.list(call.args).iter().for_each(|&given| self.expression(given));
                model.keywords(call).iter().for_each(|keyword| self.expression(keyword.value));
            }
            Expr::IfElse(at) => {
                let [test, then, otherwise] = model.if_else(at);
                self.expression(test);
                self.under(test, true, then);
                self.under(test, false, otherwise);
            }
            Expr::And(parts) => self.in_turn(model.list(parts), true),
            Expr::Or(parts) => self.in_turn(model.list(parts), false),
            // What runs later is not followed.
            Expr::Lambda(_) => {}
            Expr::Comprehension(at) => {
                let known = self.own.len();
                if let Some(first) = model.comprehension(at).clauses.first()
                    && let Some(name) = (self.variable)(first.iter)
                {
                    self.read(name, first.iter, true);
                }
                for clause in &model.comprehension(at).clauses {
                    self.own.extend(names_in(model, clause.target));
                }
                parts_of(model, id).into_iter().for_each(|part| self.expression(part));
                self.own.truncate(known);
            }
            _ => parts_of(model, id).into_iter().for_each(|part| self.expression(part)),
        }
    }

    fn under(&mut self, test: ExprId, answer: bool, part: ExprId) {
        self.asked.push((test, answer));
        self.expression(part);
        self.asked.pop();
    }

    /// Each part of `and` and `or` runs where those before it have come out so.
    fn in_turn(&mut self, parts: &[ExprId], answer: bool) {
        let before = self.asked.len();
        for &part in parts {
            self.expression(part);
            self.asked.push((part, answer));
        }
        self.asked.truncate(before);
    }
}
