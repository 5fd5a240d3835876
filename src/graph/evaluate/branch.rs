//! Choices: both arms on one environment, then what of it depends on the test.

use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::flow::{ChoiceForm, Effect, EffectId, Node, Value};
use crate::model::{Block, Case, CompareOp, Expr, ExprId, Stmt, StmtId};

pub(super) type Changes = Vec<(Symbol, Option<Value>)>;

impl<'p> Engine<'p> {
    /// Runs `run` as one arm: its effect, what it changed, and whether it left.
    pub(super) fn arm(
        &mut self,
        frame: &mut Frame<'p>,
        guard: Option<Value>,
        run: impl FnOnce(&mut Self, &mut Frame<'p>),
    ) -> (EffectId, Changes, bool) {
        let outer = std::mem::take(&mut frame.sequence);
        let mark = frame.log.len();
        let parted = frame.parted;
        let job = frame.job.enter(guard);
        frame.guards.extend(guard);
        run(self, frame);
        frame.parts |= frame.parted && !parted && !frame.dead;
        frame.parted = parted;
        frame.job.leave(job);
        if guard.is_some() {
            frame.guards.pop();
        }
        let effect = self.take_sequence(frame);
        frame.sequence = outer;
        let dead = std::mem::replace(&mut frame.dead, false);
        (effect, frame.rollback(mark), dead)
    }

    /// Notes a condition that finds a file where a folder was asked for, or the like: a wrong argument, the same everywhere.
    pub(super) fn note_refusal(&mut self, frame: &Frame<'p>, test: ExprId, body: Block) {
        let model = frame.model;
        let Expr::Call(call) = model.expr(test) else { return };
        let (Expr::Name(asked) | Expr::Attribute { name: asked, .. }) = model.expr(model.call(call).callee) else {
            return;
        };
        if matches!(asked.as_str(), "isfile" | "is_file") && refuses(model, body) {
            self.marks.refusals.insert(frame.site(model.span(test)));
        }
    }

    pub(super) fn branch(&mut self, frame: &mut Frame<'p>, test: Value, span: Span, body: Block, orelse: Block) {
        match self.values.node(test) {
            Node::Bool(true) => return self.block(frame, body),
            Node::Bool(false) => return self.block(frame, orelse),
            _ if frame.model.block(orelse).is_empty() && self.is_last_of_a_setting(frame, test) => {
                return self.block(frame, body);
            }
            _ => {}
        }
        let negated = self.values.make(Node::Not(test));
        let parts = std::mem::take(&mut frame.parts);
        let (then, then_changes, then_dead) = self.arm(frame, Some(test), |engine, frame| engine.block(frame, body));
        let then_alone = frame.job.was_of_one();
        let (otherwise, otherwise_changes, otherwise_dead) =
            self.arm(frame, Some(negated), |engine, frame| engine.block(frame, orelse));
        let otherwise_alone = frame.job.was_of_one();
        if then_dead {
            self.note_cut(frame, (test, span), body, &then_changes);
        }
        if otherwise_dead {
            self.note_cut(frame, (negated, span), orelse, &otherwise_changes);
        }
        let parted = std::mem::replace(&mut frame.parts, parts);
        self.choose(frame, test, span, ChoiceForm::Statement, then, otherwise);
        // What an arm issues before it takes the group down is issued.
        frame.parted |= parted;
        self.after_arms(frame, test, (then_dead, then_alone), (otherwise_dead, otherwise_alone));
        self.merge(frame, test, span, (then_changes, then_dead), (otherwise_changes, otherwise_dead));
    }

    /// Whether a test is the last of several that ask one setting for one word after the other, with nothing to do where it
    /// is none of them: whoever reads the settings has refused any other word.
    fn is_last_of_a_setting(&self, frame: &Frame<'p>, test: Value) -> bool {
        let asked = |test: Value| match *self.values.node(test) {
            Node::Compare(CompareOp::Eq, setting, word) => {
                let is_setting = matches!(self.values.node(setting), Node::Attribute(..));
                let is_word = matches!(self.values.node(word), Node::Str(_));
                (is_setting && is_word && self.values.vary(setting).is_empty()).then_some((setting, word))
            }
            _ => None,
        };
        let before = frame.guards.last().and_then(|&guard| match *self.values.node(guard) {
            Node::Not(test) => asked(test),
            _ => None,
        });
        let (Some((setting, word)), Some((before, other))) = (asked(test), before) else { return false };
        setting == before && word != other
    }

    pub(super) fn choose(
        &mut self,
        frame: &mut Frame<'p>,
        test: Value,
        span: Span,
        form: ChoiceForm,
        then: EffectId,
        otherwise: EffectId,
    ) {
        let effect = Effect::Choice { test, site: frame.site(span), form, then, otherwise };
        let effect = self.effects.make(effect, &self.values);
        self.emit(frame, effect);
    }

    /// After two arms: what only one of them can have left stays, what both may have left becomes a choice.
    pub(super) fn merge(
        &mut self,
        frame: &mut Frame<'p>,
        test: Value,
        span: Span,
        then: (Changes, bool),
        otherwise: (Changes, bool),
    ) {
        let ((then, then_dead), (otherwise, otherwise_dead)) = (then, otherwise);
        match (then_dead, otherwise_dead) {
            (true, true) => frame.dead = true,
            (true, false) => self.apply(frame, otherwise),
            (false, true) => self.apply(frame, then),
            (false, false) => {
                let mut names: Vec<Symbol> = then.iter().chain(&otherwise).map(|(name, _)| *name).collect();
                names.sort_by_key(|name| name.as_str());
                names.dedup();
                let goes_through = self.finds_own(test);
                let parts = self.may_part(test);
                for name in names {
                    let after = |changes: &Changes, frame: &Frame<'p>| {
                        let changed = changes.iter().find(|(changed, _)| *changed == name);
                        changed.map_or_else(|| frame.get(name), |(_, value)| *value)
                    };
                    let (one, other) = (after(&then, frame), after(&otherwise, frame));
                    if one == other {
                        if let Some(value) = one {
                            frame.set(name, value);
                        }
                        continue;
                    }
                    // A name that one arm leaves unbound can only be read where the other has run.
                    let value = match (one, other) {
                        // Every rank belongs to one of the groups that a loop goes through, and keeps what is said of that one.
                        (Some(own), _) if goes_through => own,
                        // Who belongs to none of the groups that a loop goes through does not ask how large its own is.
                        (Some(only), None) | (None, Some(only)) if self.tells_size(name) => only,
                        (Some(only), Some(kept)) | (Some(kept), Some(only))
                            if matches!(self.values.node(kept), Node::Carried(..)) && self.tells_size(name) =>
                        {
                            only
                        }
                        // It is the same thing wherever it was moved to.
                        (Some(one), Some(other)) if self.unmoved(one) == self.unmoved(other) => one,
                        (Some(one), Some(other)) => match self.passed_on(&frame.passed, test, one, other) {
                            Some(same) => same,
                            None => self.values.make(Node::If(test, one, other)),
                        },
                        (Some(one), None) if name.as_str().contains('.') => {
                            let unset = self.path_default(frame, name, one);
                            self.values.make(Node::If(test, one, unset))
                        }
                        (None, Some(other)) if name.as_str().contains('.') => {
                            let unset = self.path_default(frame, name, other);
                            self.values.make(Node::If(test, unset, other))
                        }
                        (Some(one), None) if parts && let Some(before) = self.before_rebound(frame, name) => {
                            self.values.make(Node::If(test, one, before))
                        }
                        (None, Some(other)) if parts && let Some(before) = self.before_rebound(frame, name) => {
                            self.values.make(Node::If(test, before, other))
                        }
                        (Some(one), None) => one,
                        (None, Some(other)) => other,
                        (None, None) => continue,
                    };
                    if parts && matches!(self.values.node(value), Node::If(..)) {
                        self.set_apart(value, frame, span, Some(name));
                    }
                    self.set_path(frame, name, value);
                }
            }
        }
    }

    /// Whether ranks may answer a condition differently, as far as is known here or to a caller.
    pub(super) fn may_part(&self, test: Value) -> bool {
        !self.values.vary(test).is_empty() || self.values.facts(test).open
    }

    /// What was moved to another device.
    fn unmoved(&self, mut value: Value) -> Value {
        while let Node::Apply(name, parts) = self.values.node(value)
            && matches!(name.as_str(), "to" | "to_empty" | "cuda" | "cpu" | "npu")
            && let [moved] = parts[..]
        {
            value = moved;
        }
        value
    }

    /// Whether a condition asks for this rank in one after the other of the lists that a loop goes through.
    fn finds_own(&self, test: Value) -> bool {
        let Node::Compare(crate::model::CompareOp::In, rank, mut ranks) = *self.values.node(test) else { return false };
        // In any order, and in any container.
        while let Node::Mapped(name, parts) = self.values.node(ranks)
            && matches!(name.as_str(), "sorted" | "list" | "tuple" | "set" | "frozenset" | "reversed")
            && let [whole] = parts[..]
        {
            ranks = whole;
        }
        matches!(self.values.node(rank), Node::Rank(_)) && matches!(self.values.node(ranks), Node::Item(..))
    }

    /// Whether the variable or attribute holds a number of ranks, by its name.
    fn tells_size(&self, path: Symbol) -> bool {
        let last = path.as_str().rsplit('.').next().map(Symbol::new);
        let convention = last.and_then(|name| self.program.catalog.convention(name));
        convention.is_some_and(|convention| convention.value.kind == crate::catalog::ValueKind::Size)
    }

    pub(super) fn apply(&mut self, frame: &mut Frame<'p>, changes: Changes) {
        for (name, value) in changes {
            match value {
                Some(value) => self.set_path(frame, name, value),
                None => {
                    let old = frame.env.remove(&name);
                    frame.log.push((name, old));
                }
            }
        }
    }

    pub(super) fn cases(&mut self, frame: &mut Frame<'p>, cases: &'p [Case]) {
        let Some((case, rest)) = cases.split_first() else { return };
        let span = frame.model.span(case.test);
        let test = match case.irrefutable {
            true => self.values.make(Node::Bool(true)),
            false => self.expression(frame, case.test),
        };
        let negated = self.values.make(Node::Not(test));
        let (then, then_changes, then_dead) = self.arm(frame, Some(test), |engine, frame| {
            for &name in &case.bindings {
                let unknown = engine.unknown(frame, span);
                frame.set(name, unknown);
            }
            engine.block(frame, case.body);
        });
        let (otherwise, otherwise_changes, otherwise_dead) =
            self.arm(frame, Some(negated), |engine, frame| engine.cases(frame, rest));
        self.choose(frame, test, span, ChoiceForm::Statement, then, otherwise);
        self.merge(frame, test, span, (then_changes, then_dead), (otherwise_changes, otherwise_dead));
    }
}

/// Whether a block complains and leaves with nothing.
pub(super) fn refuses(model: &crate::model::File, body: Block) -> bool {
    let complains = |stmt: StmtId| {
        let Stmt::Expr(expr) = model.stmt(stmt) else { return false };
        let Expr::Call(call) = model.expr(*expr) else { return false };
        let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(model.call(call).callee) else {
            return false;
        };
        matches!(name.as_str(), "error" | "critical" | "exception" | "warning")
    };
    match model.block(body) {
        [said @ .., last] => {
            !said.is_empty()
                && said.iter().all(|&stmt| complains(stmt))
                && matches!(model.stmt(*last), Stmt::Return(None))
        }
        [] => false,
    }
}
