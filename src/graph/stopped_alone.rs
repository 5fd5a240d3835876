//! Flags that end a framework's loop, set on some ranks only: the trainer reads its own flag on each rank and asks nobody.

use rustc_hash::FxHashSet;

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::catalog::{Entry, LocalKind, ValueKind};
use crate::model::{
    Block, CompareOp, Expr, ExprId, File, LocalFunction, Stmt, UnaryOp, blocks_of, each_call, each_expression,
    each_statement,
};

use super::conduct::bodies;
use super::program::Program;
use super::races::asks_for_first_among;

/// What the object is called, and its attribute: `Trainer.should_stop` of Lightning, `TrainerControl` of transformers.
const FLAGS: [(&str, &str); 3] =
    [("trainer", "should_stop"), ("control", "should_training_stop"), ("control", "should_epoch_stop")];

/// Why only some ranks set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// Only the first rank comes there.
    First,
    /// Each rank asks its own clock.
    Clock,
}

/// A place where some ranks tell the trainer to stop.
#[derive(Clone, Debug)]
pub struct StoppedAlone {
    /// The function.
    pub function: FunctionId,
    /// What is set.
    pub flag: String,
    /// Where.
    pub set: Site,
    /// What lets only some ranks come there.
    pub guard: Site,
    /// Why.
    pub apart: Apart,
}

/// The places, in order.
pub(super) fn stopped_alone(program: &Program) -> Vec<StoppedAlone> {
    let for_one = program.catalog.decorators_for_one();
    let flags: FxHashSet<Symbol> = FLAGS.iter().map(|&(_, flag)| Symbol::new(flag)).collect();
    let mut out = Vec::new();
    for (file, local) in bodies(program) {
        let entry = program.file(file);
        let definition = entry.model.function(local);
        let model = &entry.model;
        let sets = || {
            let is_flag = |&target: &ExprId| match model.expr(target) {
                Expr::Attribute { name, .. } => flags.contains(&name),
                _ => false,
            };
            let mut sets = false;
            each_statement(model, definition.body, &mut |_, stmt| {
                if let Stmt::Assign { targets, .. } = stmt {
                    sets |= model.list(*targets).iter().any(is_flag);
                }
            });
            sets
        };
        if entry.is_test() || !sets() {
            continue;
        }
        let wrapped = model
            .list(definition.decorators)
            .iter()
            .copied()
            .find(|&decorator| model.last_name(decorator).is_some_and(|name| for_one.contains(&name)));
        let mut walk = Walk { program, model, file, local, clocks: Vec::new(), out: Vec::new() };
        walk.clocks = walk.clock_readings();
        let guard = wrapped.map(|decorator| (Site { file, span: model.span(decorator) }, Apart::First));
        walk.block(definition.body, guard);
        out.extend(walk.out);
    }
    out
}

/// What lets only some ranks come to a place.
type Guard = Option<(Site, Apart)>;

struct Walk<'p> {
    program: &'p Program,
    model: &'p File,
    file: FileId,
    local: LocalFunction,
    /// Variables made of what a clock says.
    clocks: Vec<Symbol>,
    out: Vec<StoppedAlone>,
}

impl Walk<'_> {
    fn block(&mut self, block: Block, mut guard: Guard) {
        let model = self.model;
        for &id in model.block(block) {
            match model.stmt(id) {
                Stmt::Assign { targets, value } => {
                    for &target in model.list(*targets) {
                        self.set(target, *value, guard);
                    }
                }
                Stmt::If { test, body, orelse } => {
                    let inside = guard.or_else(|| self.guard(*test));
                    self.block(*body, inside);
                    self.block(*orelse, guard);
                    // Whoever is not the first has left.
                    let leaves =
                        model.block(*body).last().is_some_and(|&last| matches!(model.stmt(last), Stmt::Return(_)));
                    if leaves && guard.is_none() && self.turns_others_away(*test) {
                        guard = Some((self.site(*test), Apart::First));
                    }
                }
                stmt => {
                    for block in blocks_of(stmt) {
                        self.block(block, guard);
                    }
                }
            }
        }
    }

    fn site(&self, expr: ExprId) -> Site {
        Site { file: self.file, span: self.model.span(expr) }
    }

    fn guard(&self, test: ExprId) -> Guard {
        if asks_for_first_among(self.program, self.model, test) {
            return Some((self.site(test), Apart::First));
        }
        (self.asks_clock(test) && !self.asks_what_all_were_told(test)).then(|| (self.site(test), Apart::Clock))
    }

    /// Whether a variable that the test asks is handed to a collective: it holds what all have agreed on.
    fn asks_what_all_were_told(&self, test: ExprId) -> bool {
        let model = self.model;
        let mut asked = Vec::new();
        each_expression(model, test, &mut |_, expr| {
            asked.extend(if let Expr::Name(name) = expr { Some(name) } else { None })
        });
        let mut told = false;
        each_call(model, self.local, &mut |_, call| {
            let dotted = self.program.resolve(self.file, self.local, call.callee);
            let entry = dotted.and_then(|dotted| self.program.catalog.entry(dotted));
            if matches!(entry, Some(Entry::Operation(_))) {
                for &argument in model.list(call.args) {
                    each_expression(model, argument, &mut |_, expr| {
                        told |= matches!(expr, Expr::Name(name) if asked.contains(&name));
                    });
                }
            }
        });
        told
    }

    /// Whether an expression reads a clock, or a variable that is made of what one says.
    fn asks_clock(&self, root: ExprId) -> bool {
        let reads = |callee: ExprId| {
            let dotted = self.program.resolve(self.file, self.local, callee);
            let entry = dotted.and_then(|dotted| self.program.catalog.entry(dotted));
            matches!(entry, Some(Entry::Value(value)) if value.kind == ValueKind::Local(LocalKind::Clock))
        };
        let mut asks = false;
        each_expression(self.model, root, &mut |_, expr| {
            asks |= match expr {
                Expr::Name(name) => self.clocks.contains(&name),
                Expr::Call(call) => reads(self.model.call(call).callee),
                _ => false,
            };
        });
        asks
    }

    /// The variables of the function that are made of what a clock says.
    fn clock_readings(&self) -> Vec<Symbol> {
        let model = self.model;
        let mut out = Vec::new();
        each_statement(model, model.function(self.local).body, &mut |_, stmt| {
            if let Some((targets, value)) = model.assigned(stmt)
                && self.asks_clock(value)
            {
                out.extend(targets.iter().filter_map(|&target| match model.expr(target) {
                    Expr::Name(name) => Some(name),
                    _ => None,
                }));
            }
        });
        out
    }

    /// Whether a test holds on all ranks but the first.
    fn turns_others_away(&self, test: ExprId) -> bool {
        let model = self.model;
        match model.expr(test) {
            Expr::Unary(UnaryOp::Not, asked) => asks_for_first_among(self.program, model, asked),
            Expr::Compare(CompareOp::NotEq, left, right) => {
                let is_rank = model.last_name(left).is_some_and(|name| self.program.catalog.is_rank_by_name(name));
                is_rank && model.expr(right) == Expr::Int(0)
            }
            _ => false,
        }
    }

    fn set(&mut self, target: ExprId, value: ExprId, guard: Guard) {
        let model = self.model;
        let (Some((guard, apart)), Expr::Attribute { value: owner, name }) = (guard, model.expr(target)) else {
            return;
        };
        let Some(owner) = model.last_name(owner) else { return };
        let is_flag =
            FLAGS.iter().any(|&(of, flag)| name.as_str() == flag && owner.as_str().rsplit('_').next() == Some(of));
        if !is_flag || model.expr(value) == Expr::Bool(false) || self.is_agreed_on(name, target) {
            return;
        }
        self.out.push(StoppedAlone {
            function: self.program.function_id(self.file, self.local),
            flag: format!("{owner}.{name}"),
            set: self.site(target),
            guard,
            apart,
        });
    }

    /// Whether the flag is set to what somebody answers, or handed to somebody, further on.
    fn is_agreed_on(&self, flag: Symbol, set: ExprId) -> bool {
        let model = self.model;
        let end = model.span(set).end;
        let is_flag = |expr: Expr| matches!(expr, Expr::Attribute { name, .. } if name == flag);
        let mut agreed = false;
        each_statement(model, model.function(self.local).body, &mut |_, stmt| {
            if let Some((targets, value)) = model.assigned(stmt) {
                let sets = |&target: &ExprId| model.span(target).start > end && is_flag(model.expr(target));
                agreed |= matches!(model.expr(value), Expr::Call(_)) && targets.iter().any(sets);
            }
        });
        each_call(model, self.local, &mut |id, call| {
            if model.span(id).start > end {
                let keywords = model.keywords(call).iter().map(|keyword| keyword.value);
                for argument in model.list(call.args).iter().copied().chain(keywords) {
                    each_expression(model, argument, &mut |_, expr| agreed |= is_flag(expr));
                }
            }
        });
        agreed
    }
}
