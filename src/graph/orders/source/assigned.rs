//! What a function assigns to its names, found in one walk for all of them.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, Symbol};
use crate::model::{Expr, ExprId, File, LocalFunction, Stmt, StmtId, each_statement};

/// A value that a name is given.
pub(super) struct Given {
    /// Where the statement ends.
    pub end: u32,
    pub value: ExprId,
    /// Which part of the value, where that is taken apart: `names, states = of(model)`.
    pub part: Option<usize>,
    /// Whether every way through the function goes by it.
    pub outermost: bool,
}

/// What a function assigns.
#[derive(Default)]
pub(super) struct Assigned {
    /// The values that names are given, in source order.
    pub values: FxHashMap<Symbol, Vec<Given>>,
    /// Names that are bound in other ways too.
    pub otherwise: FxHashSet<Symbol>,
}

/// What functions assign, as far as that was asked for.
#[derive(Default)]
pub(in crate::graph::orders) struct Known(RefCell<FxHashMap<(FileId, LocalFunction), Rc<Assigned>>>);

impl Known {
    pub(super) fn of(&self, model: &File, file: FileId, function: LocalFunction) -> Rc<Assigned> {
        let mut known = self.0.borrow_mut();
        known.entry((file, function)).or_insert_with(|| Rc::new(Assigned::of(model, function))).clone()
    }
}

impl Assigned {
    fn of(model: &File, function: LocalFunction) -> Assigned {
        let body = model.function(function).body;
        let outermost: FxHashSet<StmtId> = model.block(body).iter().copied().collect();
        let mut out = Assigned::default();
        each_statement(model, body, &mut |id, stmt| {
            let mut give_part = |target: ExprId, value: ExprId, part: Option<usize>| {
                if let Expr::Name(name) = model.expr(target) {
                    let given = Given { end: model.stmt_span(id).end, value, part, outermost: outermost.contains(&id) };
                    out.values.entry(name).or_default().push(given);
                }
            };
            let mut give = |target: ExprId, value: ExprId| match model.expr(target) {
                Expr::Tuple(parts) | Expr::ListDisplay(parts) => {
                    // Behind what takes any number, nobody knows which part it is.
                    let known = |part: &&ExprId| !matches!(model.expr(**part), Expr::Starred(_));
                    let parts = model.list(parts).iter().take_while(known).enumerate();
                    parts.for_each(|(at, &part)| give_part(part, value, Some(at)));
                }
                _ => give_part(target, value, None),
            };
            match stmt {
                Stmt::Assign { targets, value } => {
                    model.list(*targets).iter().for_each(|&target| give(target, *value));
                }
                Stmt::Annotated { target, value: Some(value), .. } => give(*target, *value),
                Stmt::AugAssign { target, .. } | Stmt::For { target, .. } => out.bound(model, *target),
                Stmt::With { items, .. } => {
                    items.iter().filter_map(|item| item.target).for_each(|target| out.bound(model, target));
                }
                _ => {}
            }
        });
        out
    }

    fn bound(&mut self, model: &File, target: ExprId) {
        if let Expr::Name(name) = model.expr(target) {
            self.otherwise.insert(name);
        }
    }
}
