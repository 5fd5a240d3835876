//! Statements: assignments into the environment, control flow into effects.

use crate::base::{Span, Symbol};
use crate::catalog::ValueKind;
use crate::flow::{ChoiceForm, Effect, EffectId, Effects, Exit, HandlerEffect, LoopKind, Node, Value};
use crate::model::{Block, Case, Expr, ExprId, Handler, Stmt, StmtId, Try, WithItem, each_statement};

use super::super::resolve::Target;
use super::{Engine, Frame};

/// How often a loop body is evaluated until what it carries along no longer changes in its facts.
const LOOP_ROUNDS: usize = 3;

type Changes = Vec<(Symbol, Option<Value>)>;

impl<'p> Engine<'p> {
    pub(super) fn block(&mut self, frame: &mut Frame<'p>, block: Block) {
        let model = frame.model;
        for &stmt in model.block(block) {
            if frame.dead {
                return;
            }
            self.statement(frame, stmt);
        }
    }

    fn statement(&mut self, frame: &mut Frame<'p>, id: StmtId) {
        let model = frame.model;
        let span = model.stmt_span(id);
        match model.stmt(id) {
            Stmt::Expr(expr) => {
                self.expression(frame, *expr);
            }
            Stmt::Assign { targets, value } => {
                let value = self.expression(frame, *value);
                for &target in model.list(*targets) {
                    self.assign(frame, target, value);
                }
            }
            Stmt::Annotated { target, annotation, value } => match value {
                Some(value) => {
                    let value = self.expression(frame, *value);
                    self.assign(frame, *target, value);
                }
                None => {
                    if let Some(typed) = self.annotated_type(frame, *annotation) {
                        self.assign(frame, *target, typed);
                    }
                }
            },
            Stmt::AugAssign { target, op, value } => {
                let old = self.expression(frame, *target);
                let value = self.expression(frame, *value);
                let value = self.values.make(Node::Binary(*op, old, value));
                self.assign(frame, *target, value);
            }
            Stmt::Return(value) => {
                let value = value.map_or(self.none, |value| self.expression(frame, value));
                let guard = self.guard(frame);
                frame.returns.push((guard, value));
                self.leave(frame, Exit::Return, span);
            }
            Stmt::If { test, body, orelse } => {
                let value = self.expression(frame, *test);
                let site = model.span(*test);
                self.note_refusal(frame, *test, *body);
                self.branch(frame, value, site, *body, *orelse);
            }
            Stmt::While { test, body, orelse } => self.while_loop(frame, *test, *body, *orelse),
            Stmt::For { target, iter, body, orelse } => self.for_loop(frame, *target, *iter, *body, *orelse),
            Stmt::With { items, body } => self.with(frame, items, *body),
            Stmt::Match { subject, cases } => {
                self.expression(frame, *subject);
                self.cases(frame, cases);
            }
            Stmt::Try(parts) => self.protected(frame, parts),
            // A method for subclasses to define says nothing about what they do.
            Stmt::Raise(_) if super::method::says_nothing(model, model.function(frame.local).body) => {}
            Stmt::Raise(exception) => {
                if let Some(exception) = exception {
                    self.expression(frame, *exception);
                }
                let names = exception.map_or_else(Vec::new, |exception| self.exception_names(frame, exception));
                self.leave(frame, Exit::Raise(names.into()), span);
            }
            Stmt::Assert(test) => {
                let test_value = self.expression(frame, *test);
                let names = vec![Symbol::new("AssertionError"), Symbol::new("Exception")];
                let fails = self.effects.make(Effect::Exit(Exit::Raise(names.into()), frame.site(span)), &self.values);
                let effect = Effect::Choice {
                    test: test_value,
                    site: frame.site(model.span(*test)),
                    form: ChoiceForm::Assertion,
                    then: Effects::NOTHING,
                    otherwise: fails,
                };
                let effect = self.effects.make(effect, &self.values);
                self.emit(frame, effect);
            }
            Stmt::Delete(targets) => {
                for &target in model.list(*targets) {
                    if let Some(path) = self.path(frame, target) {
                        let unknown = self.unknown(frame, span);
                        self.set_path(frame, path, unknown);
                    }
                }
            }
            Stmt::Break => self.leave(frame, Exit::Break, span),
            Stmt::Continue => self.leave(frame, Exit::Continue, span),
            Stmt::Function(function) => {
                let name = model.function(*function).name;
                let id = self.program.function_id(frame.file, *function);
                let value = self.decorated(frame, id);
                frame.set(name, value);
            }
            Stmt::Class(class) => {
                let id = self.program.class_id(frame.file, *class);
                let value = self.values.make(Node::Class(id));
                frame.set(model.class(*class).name, value);
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let (bound, imported) = super::super::bindings::ImportedName::of(import, alias);
                    if let Some(target) = self.program.imported(frame.file, imported) {
                        let value = self.target_value(target);
                        frame.set(bound, value);
                    }
                }
            }
            Stmt::Outer(_) => {}
        }
    }

    /// What a resolved name is as a value.
    pub(super) fn target_value(&mut self, target: Target) -> Value {
        match target {
            Target::Function(function) => self.values.make(Node::Function(function, None)),
            Target::Class(class) => self.values.make(Node::Class(class)),
            Target::Module(file) => self.values.make(Node::Module(file)),
            Target::External(dotted) => self.external(dotted),
            Target::Variable(file, name) => self.global_variable(file, name),
        }
    }

    /// The conjunction of the conditions in force.
    pub(super) fn guard(&mut self, frame: &Frame<'p>) -> Option<Value> {
        let (&first, rest) = frame.guards.split_first()?;
        Some(rest.iter().fold(first, |whole, &guard| self.values.make(Node::And(whole, guard))))
    }

    pub(super) fn leave(&mut self, frame: &mut Frame<'p>, exit: Exit, span: Span) {
        let effect = self.effects.make(Effect::Exit(exit, frame.site(span)), &self.values);
        self.emit(frame, effect);
        frame.dead = true;
    }

    /// Runs `run` as one arm: its effect, what it changed, and whether it left.
    fn arm(
        &mut self,
        frame: &mut Frame<'p>,
        guard: Option<Value>,
        run: impl FnOnce(&mut Self, &mut Frame<'p>),
    ) -> (EffectId, Changes, bool) {
        let outer = std::mem::take(&mut frame.sequence);
        let mark = frame.log.len();
        let parted = frame.parted;
        frame.guards.extend(guard);
        run(self, frame);
        frame.parts |= frame.parted && !parted && !frame.dead;
        frame.parted = parted;
        if guard.is_some() {
            frame.guards.pop();
        }
        let effect = self.take_sequence(frame);
        frame.sequence = outer;
        let dead = std::mem::replace(&mut frame.dead, false);
        (effect, frame.rollback(mark), dead)
    }

    /// Notes a condition that finds a file where a folder was asked for, or the like: a wrong argument, the same everywhere.
    fn note_refusal(&mut self, frame: &Frame<'p>, test: ExprId, body: Block) {
        let model = frame.model;
        let Expr::Call(call) = model.expr(test) else { return };
        let (Expr::Name(asked) | Expr::Attribute { name: asked, .. }) = model.expr(model.call(call).callee) else {
            return;
        };
        if matches!(asked.as_str(), "isfile" | "is_file") && refuses(model, body) {
            self.refusals.insert(frame.site(model.span(test)));
        }
    }

    fn branch(&mut self, frame: &mut Frame<'p>, test: Value, span: Span, body: Block, orelse: Block) {
        match self.values.node(test) {
            Node::Bool(true) => return self.block(frame, body),
            Node::Bool(false) => return self.block(frame, orelse),
            _ => {}
        }
        let negated = self.values.make(Node::Not(test));
        let parts = std::mem::take(&mut frame.parts);
        let (then, then_changes, then_dead) = self.arm(frame, Some(test), |engine, frame| engine.block(frame, body));
        let (otherwise, otherwise_changes, otherwise_dead) =
            self.arm(frame, Some(negated), |engine, frame| engine.block(frame, orelse));
        frame.parted |= frame.parts;
        frame.parts = parts;
        self.choose(frame, test, span, ChoiceForm::Statement, then, otherwise);
        self.merge(frame, test, (then_changes, then_dead), (otherwise_changes, otherwise_dead));
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
    fn merge(&mut self, frame: &mut Frame<'p>, test: Value, then: (Changes, bool), otherwise: (Changes, bool)) {
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
                        (Some(one), Some(other)) => self.values.make(Node::If(test, one, other)),
                        (Some(one), None) if name.as_str().contains('.') => {
                            let unset = self.path_default(frame, name);
                            self.values.make(Node::If(test, one, unset))
                        }
                        (None, Some(other)) if name.as_str().contains('.') => {
                            let unset = self.path_default(frame, name);
                            self.values.make(Node::If(test, unset, other))
                        }
                        (Some(one), None) => one,
                        (None, Some(other)) => other,
                        (None, None) => continue,
                    };
                    self.set_path(frame, name, value);
                }
            }
        }
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
        match *self.values.node(test) {
            Node::Compare(crate::model::CompareOp::In, rank, ranks) => {
                matches!(self.values.node(rank), Node::Rank(_)) && matches!(self.values.node(ranks), Node::Item(..))
            }
            _ => false,
        }
    }

    /// Whether the variable or attribute holds a number of ranks, by its name.
    fn tells_size(&self, path: Symbol) -> bool {
        let last = path.as_str().rsplit('.').next().map(Symbol::new);
        let convention = last.and_then(|name| self.program.catalog.convention(name));
        convention.is_some_and(|convention| convention.value.kind == crate::catalog::ValueKind::Size)
    }

    fn apply(&mut self, frame: &mut Frame<'p>, changes: Changes) {
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

    /// What an attribute path holds that this function has not written on the way here.
    fn path_default(&mut self, frame: &mut Frame<'p>, path: Symbol) -> Value {
        let name = path.as_str().rsplit('.').next().map(Symbol::new);
        let of_class = match (frame.class, name) {
            (Some(class), Some(name)) => self.attributes.get(&(class, name)).copied().flatten(),
            _ => None,
        };
        of_class.unwrap_or_else(|| self.values.make(Node::Str(Symbol::new(super::UNSET))))
    }

    fn cases(&mut self, frame: &mut Frame<'p>, cases: &'p [Case]) {
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
        self.merge(frame, test, (then_changes, then_dead), (otherwise_changes, otherwise_dead));
    }

    /// Names and attribute paths that the block may assign.
    fn assigned(&mut self, frame: &Frame<'p>, block: Block) -> Vec<Symbol> {
        let model = frame.model;
        let mut targets: Vec<ExprId> = Vec::new();
        let mut walrus: Vec<Symbol> = Vec::new();
        each_statement(model, block, &mut |_, stmt| {
            match stmt {
                Stmt::Assign { targets: list, .. } => targets.extend(model.list(*list)),
                Stmt::AugAssign { target, .. } | Stmt::Annotated { target, .. } => targets.push(*target),
                Stmt::For { target, .. } => targets.push(*target),
                Stmt::With { items, .. } => targets.extend(items.iter().filter_map(|item| item.target)),
                _ => {}
            }
            for root in crate::model::expressions_of(model, stmt) {
                crate::model::each_expression(model, root, &mut |_, expr| match expr {
                    Expr::Walrus(name, _) => walrus.push(name),
                    // What a call may change in place is carried along too.
                    Expr::Call(call) => {
                        let call = model.call(call);
                        if let Expr::Attribute { value, name } = model.expr(call.callee)
                            && super::method::changes_receiver(name.as_str())
                        {
                            targets.push(value);
                        }
                    }
                    _ => {}
                });
            }
        });
        let mut out = walrus;
        let mut pending = targets;
        while let Some(target) = pending.pop() {
            match model.expr(target) {
                Expr::Tuple(parts) | Expr::ListDisplay(parts) => pending.extend(model.list(parts)),
                Expr::Starred(inner) | Expr::Subscript(inner, _) => pending.push(inner),
                _ => out.extend(self.path(frame, target)),
            }
        }
        out.sort_by_key(|name| name.as_str());
        out.dedup();
        out
    }

    /// Evaluates a loop body until what it carries along settles. `turns` is what decides the number of turns;
    /// `head` runs at the start of each turn and gives the value to go on with.
    fn settle(
        &mut self,
        frame: &mut Frame<'p>,
        site: Span,
        body: Block,
        turns: Option<Value>,
        head: &mut dyn FnMut(&mut Self, &mut Frame<'p>) -> Option<Value>,
    ) -> (EffectId, Option<Value>) {
        let carried: Vec<(Symbol, Option<Value>)> =
            self.assigned(frame, body).into_iter().map(|name| (name, frame.get(name))).collect();
        let at = frame.site(site);
        let mut current: Vec<Option<Value>> = carried
            .iter()
            .map(|&(name, before)| before.map(|before| self.values.make(Node::Carried(at, name, Box::from([before])))))
            .collect();
        let mut outcome = (Effects::NOTHING, None);
        for round in 0..LOOP_ROUNDS {
            let returns = frame.returns.len();
            let mut decided = None;
            let entry = current.clone();
            let (effect, changes, _) = self.arm(frame, None, |engine, frame| {
                for (&(name, _), value) in carried.iter().zip(&entry) {
                    if let Some(value) = value {
                        engine.set_path(frame, name, *value);
                    }
                }
                decided = head(engine, frame);
                engine.block(frame, body);
            });
            let mut settled = true;
            for (index, &(name, before)) in carried.iter().enumerate() {
                let after = changes.iter().find(|(changed, _)| *changed == name).and_then(|(_, value)| *value);
                let mut parts: Vec<Value> = Vec::new();
                parts.extend(before);
                parts.extend(after.filter(|&after| Some(after) != entry[index]));
                if parts.len() > 1 || before.is_none() {
                    let turns = decided.or(turns);
                    let counted = match (turns, parts.iter().any(|&part| self.is_filled(part))) {
                        // How much was put in depends on the number of turns.
                        (Some(turns), true) => Some(self.values.make(Node::Range(Box::from([turns])))),
                        (turns, _) => turns,
                    };
                    parts.extend(counted);
                }
                if parts.is_empty() {
                    continue;
                }
                let next = self.values.make(Node::Carried(at, name, parts.into()));
                let facts =
                    |value: Option<Value>| value.map(|value| (self.values.vary(value), self.values.shape(value)));
                settled &= facts(Some(next)) == facts(current[index]) || before.is_none();
                current[index] = Some(next);
            }
            outcome = (effect, decided);
            if settled || round + 1 == LOOP_ROUNDS {
                break;
            }
            frame.returns.truncate(returns);
        }
        for (&(name, _), value) in carried.iter().zip(&current) {
            if let Some(value) = value {
                let value = self.own_group(*value);
                self.set_path(frame, name, value);
            }
        }
        outcome
    }

    /// Whether a loop puts something into the container.
    fn is_filled(&self, value: Value) -> bool {
        match self.values.node(value) {
            Node::None => true,
            Node::Changed(..) => true,
            Node::Mapped(name, _) => {
                matches!(name.as_str(), "store" | "extend" | "update")
            }
            Node::If(_, then, otherwise) => [*then, *otherwise]
                .into_iter()
                .any(|arm| !matches!(self.values.node(arm), Node::None) && self.is_filled(arm)),
            _ => false,
        }
    }

    /// Of the groups that a loop makes, each rank keeps the one it belongs to: a group whose members are not known.
    fn own_group(&mut self, value: Value) -> Value {
        let Node::Carried(at, _, parts) = self.values.node(value).clone() else { return value };
        for &part in &parts {
            let Node::If(test, then, otherwise) = *self.values.node(part) else { continue };
            let made = match (self.values.node(then), self.values.node(otherwise)) {
                (Node::MadeGroup(site, _), Node::Carried(..)) | (Node::Carried(..), Node::MadeGroup(site, _)) => *site,
                _ => continue,
            };
            if !self.values.vary(test).is_empty() {
                let members = self.values.make(Node::Unknown(at));
                return self.values.make(Node::MadeGroup(made, members));
            }
        }
        value
    }

    fn while_loop(&mut self, frame: &mut Frame<'p>, test: ExprId, body: Block, orelse: Block) {
        let span = frame.model.span(test);
        let mut before_test = Effects::NOTHING;
        let (effect, decided) = self.settle(frame, span, body, None, &mut |engine, frame| {
            let value = engine.expression(frame, test);
            before_test = engine.take_sequence(frame);
            Some(value)
        });
        let test = decided.unwrap_or(self.none);
        let body = self.effects.seq(&[effect], &self.values);
        let orelse = self.detached(frame, orelse);
        // What the condition issues is issued before each turn, and once more before the loop ends.
        let kind = LoopKind::While { test };
        let whole = if before_test == Effects::NOTHING {
            self.effects.make(Effect::Loop { kind, site: frame.site(span), body, orelse }, &self.values)
        } else {
            let stop = self.effects.make(Effect::Exit(Exit::Break, frame.site(span)), &self.values);
            let choice = Effect::Choice {
                test,
                site: frame.site(span),
                form: ChoiceForm::Statement,
                then: body,
                otherwise: stop,
            };
            let choice = self.effects.make(choice, &self.values);
            let turn = self.effects.seq(&[before_test, choice], &self.values);
            let always = self.values.make(Node::Bool(true));
            let kind = LoopKind::While { test: always };
            self.effects.make(Effect::Loop { kind, site: frame.site(span), body: turn, orelse }, &self.values)
        };
        self.emit(frame, whole);
    }

    fn for_loop(&mut self, frame: &mut Frame<'p>, target: ExprId, iter: ExprId, body: Block, orelse: Block) {
        let span = frame.model.span(iter);
        let iter_value = self.expression(frame, iter);
        let iter_value = self.iterated(frame, iter, iter_value);
        let item = self.values.make(Node::Item(frame.site(span), iter_value));
        let length = self.values.make(Node::Length(iter_value));
        let pulled = self.pulled(frame, iter_value, span);
        let (effect, _) = self.settle(frame, span, body, Some(length), &mut |engine, frame| {
            engine.bind_item(frame, target, iter_value, item);
            None
        });
        let effect = self.effects.seq(&[pulled, effect], &self.values);
        let orelse = self.detached(frame, orelse);
        let iter = self.counted(iter_value);
        let kind = LoopKind::For { iter, item };
        let whole = Effect::Loop { kind, site: frame.site(span), body: effect, orelse };
        let whole = self.effects.make(whole, &self.values);
        self.emit(frame, whole);
    }

    /// What decides the number of turns: the same with a progress bar around it, or as a list.
    pub(super) fn counted(&mut self, iter: Value) -> Value {
        match self.values.node(iter).clone() {
            Node::Mapped(name, parts)
                if parts.len() == 1 && matches!(name.as_str(), "tqdm" | "iter" | "enumerate" | "list" | "tuple") =>
            {
                self.counted(parts[0])
            }
            Node::If(test, then, otherwise) => {
                let then = self.counted(then);
                let otherwise = self.counted(otherwise);
                self.values.make(Node::If(test, then, otherwise))
            }
            _ => iter,
        }
    }

    fn detached(&mut self, frame: &mut Frame<'p>, block: Block) -> EffectId {
        if block.is_empty() {
            return Effects::NOTHING;
        }
        let (effect, changes, _) = self.arm(frame, None, |engine, frame| engine.block(frame, block));
        self.apply(frame, changes);
        effect
    }

    /// Binds the target of a loop to an element of what is iterated.
    pub(super) fn bind_item(&mut self, frame: &mut Frame<'p>, target: ExprId, iter: Value, item: Value) {
        let model = frame.model;
        if let Expr::Tuple(parts) = model.expr(target)
            && let Node::Mapped(name, sources) = self.values.node(iter).clone()
        {
            let parts: Vec<ExprId> = model.list(parts).to_vec();
            match (name.as_str(), &parts[..], &sources[..]) {
                ("enumerate", &[index, element], &[source]) => {
                    let site = frame.site(model.span(index));
                    let length = self.values.make(Node::Length(source));
                    let range = self.values.make(Node::Range(Box::from([length])));
                    let counter = self.values.make(Node::Item(site, range));
                    self.assign_one_of(frame, index, counter);
                    let item = self.values.make(Node::Item(frame.site(model.span(element)), source));
                    return self.bind_item(frame, element, source, item);
                }
                ("items", &[key, element], &[source]) => {
                    let keys = self.values.make(Node::Length(source));
                    let key_value = self.values.make(Node::Item(frame.site(model.span(key)), keys));
                    self.assign_one_of(frame, key, key_value);
                    let item = self.values.make(Node::Item(frame.site(model.span(element)), source));
                    return self.assign_one_of(frame, element, item);
                }
                ("zip", parts, sources) if parts.len() == sources.len() => {
                    for (&part, &source) in parts.iter().zip(sources) {
                        let item = self.values.make(Node::Item(frame.site(model.span(part)), source));
                        self.bind_item(frame, part, source, item);
                    }
                    return;
                }
                _ => {}
            }
        }
        self.assign_one_of(frame, target, item);
    }

    /// Binds a variable to one of many: `for rank in ranks` goes through the ranks, whatever the name says of this one.
    fn assign_one_of(&mut self, frame: &mut Frame<'p>, target: ExprId, value: Value) {
        let model = frame.model;
        let of_this_rank = |name: Symbol| {
            let convention = self.program.catalog.convention(name);
            convention
                .is_some_and(|known| matches!(known.value.kind, ValueKind::Rank | ValueKind::First | ValueKind::Last))
        };
        match model.expr(target) {
            Expr::Name(name) if of_this_rank(name) => {
                frame.set(name, value);
                frame.forget_paths(name);
            }
            _ => self.assign(frame, target, value),
        }
    }

    fn with(&mut self, frame: &mut Frame<'p>, items: &'p [WithItem], body: Block) {
        let Some((item, rest)) = items.split_first() else { return self.block(frame, body) };
        let context = self.context(frame, item.context);
        if let Some(target) = item.target {
            self.assign(frame, target, context.value);
        }
        if context.manager == Effects::NOTHING && !context.mutes {
            frame.quiet += u32::from(context.quiets);
            self.with(frame, rest, body);
            frame.quiet -= u32::from(context.quiets);
            return;
        }
        let outer = std::mem::take(&mut frame.sequence);
        let guards = frame.guards.len();
        frame.guards.extend(context.guard);
        self.with(frame, rest, body);
        frame.guards.truncate(guards);
        let inner = self.take_sequence(frame);
        frame.sequence = outer;
        let dead = std::mem::replace(&mut frame.dead, false);
        if !context.mutes {
            let manager = context.manager;
            let scope = self.effects.make(Effect::Scope { manager, body: inner }, &self.values);
            self.emit(frame, scope);
        }
        frame.dead = dead;
    }

    /// The iterator whose end `try: x = next(it)` / `except StopIteration:` asks for.
    fn exhaustible(&mut self, frame: &mut Frame<'p>, parts: &'p Try) -> Option<(Value, Span)> {
        let model = frame.model;
        let [handler] = &parts.handlers[..] else { return None };
        let Expr::Name(kind) = model.expr(handler.kind?) else { return None };
        if kind.as_str() != "StopIteration" || !parts.orelse.is_empty() || !parts.finally.is_empty() {
            return None;
        }
        let first = *model.block(parts.body).first()?;
        let (Stmt::Assign { value, .. } | Stmt::Expr(value)) = model.stmt(first) else { return None };
        let Expr::Call(call) = model.expr(*value) else { return None };
        let call = model.call(call);
        if model.expr(call.callee) != Expr::Name(Symbol::new("next")) {
            return None;
        }
        let [iterator] = model.list(call.args) else { return None };
        let value = self.expression(frame, *iterator);
        Some((value, model.span(*iterator)))
    }

    fn protected(&mut self, frame: &mut Frame<'p>, parts: &'p Try) {
        if let Some((iterator, span)) = self.exhaustible(frame, parts) {
            let length = self.values.make(Node::Length(iterator));
            let ended = self.values.make(Node::Apply(Symbol::new("ended"), Box::from([length])));
            return self.branch(frame, ended, span, parts.handlers[0].body, parts.body);
        }
        let (body, body_changes, body_dead) = self.arm(frame, None, |engine, frame| engine.block(frame, parts.body));
        let happened = self.unknown(frame, parts.handlers.first().map_or(Span::default(), |handler| handler.span));
        let handled: Vec<(HandlerEffect, Changes, bool)> =
            parts.handlers.iter().map(|handler| self.handler(frame, handler, happened)).collect();
        frame.dead = body_dead;
        self.apply(frame, body_changes);
        let (orelse, orelse_changes, orelse_dead) =
            self.arm(frame, None, |engine, frame| engine.block(frame, parts.orelse));
        self.apply(frame, orelse_changes);
        let normal_dead = body_dead || orelse_dead;
        frame.dead = false;
        let mut all_dead = normal_dead;
        let mut effects = Vec::new();
        for (effect, changes, dead) in handled {
            effects.push(effect);
            if dead {
                continue;
            }
            if all_dead {
                self.apply(frame, changes);
                all_dead = false;
                continue;
            }
            for (name, value) in changes {
                let merged = match (frame.get(name), value) {
                    (Some(before), Some(value)) if before != value => {
                        self.values.make(Node::If(happened, value, before))
                    }
                    (None, Some(value)) => value,
                    _ => continue,
                };
                frame.set(name, merged);
            }
        }
        let (finally, finally_changes, finally_dead) =
            self.arm(frame, None, |engine, frame| engine.block(frame, parts.finally));
        self.apply(frame, finally_changes);
        let effect = Effect::Try { body, handlers: effects.into(), orelse, finally };
        let effect = self.effects.make(effect, &self.values);
        self.emit(frame, effect);
        frame.dead = all_dead || finally_dead;
    }

    fn handler(
        &mut self,
        frame: &mut Frame<'p>,
        handler: &'p Handler,
        happened: Value,
    ) -> (HandlerEffect, Changes, bool) {
        let catches = handler.kind.map_or_else(Vec::new, |kind| self.caught_names(frame, kind));
        let (body, changes, dead) = self.arm(frame, Some(happened), |engine, frame| {
            if let Some(name) = handler.name {
                let unknown = engine.unknown(frame, handler.span);
                frame.set(name, unknown);
            }
            engine.block(frame, handler.body);
        });
        (HandlerEffect { catches: catches.into(), body }, changes, dead)
    }

    /// The names of the exception classes that a handler catches; none for all of them.
    fn caught_names(&mut self, frame: &Frame<'p>, kind: ExprId) -> Vec<Symbol> {
        let model = frame.model;
        let kinds: Vec<ExprId> = match model.expr(kind) {
            Expr::Tuple(parts) => model.list(parts).to_vec(),
            _ => vec![kind],
        };
        let mut names = Vec::new();
        for kind in kinds {
            match model.expr(kind) {
                Expr::Name(name) | Expr::Attribute { name, .. } => match name.as_str() {
                    "BaseException" => return Vec::new(),
                    _ => names.push(name),
                },
                _ => return Vec::new(),
            }
        }
        names
    }

    /// The name of a raised exception's class and of its bases.
    fn exception_names(&mut self, frame: &Frame<'p>, exception: ExprId) -> Vec<Symbol> {
        let model = frame.model;
        let class = match model.expr(exception) {
            Expr::Call(call) => model.call(call).callee,
            _ => exception,
        };
        let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(class) else { return Vec::new() };
        // `raise error` of a variable says nothing of its class.
        if !name.as_str().starts_with(|first: char| first.is_uppercase()) {
            return Vec::new();
        }
        let mut names = vec![name];
        if let Some(Target::Class(class)) = self.program.target(frame.file, frame.local, class) {
            for &class in self.program.lineage(class) {
                names.push(self.program.class(class).name);
            }
            for base in self.program.external_bases(class) {
                names.push(Symbol::new(base.as_str().rsplit('.').next().unwrap_or_default()));
            }
        }
        let mut index = 0;
        while index < names.len() {
            if let Some(base) = builtin_base(names[index].as_str()) {
                names.push(Symbol::new(base));
            }
            index += 1;
        }
        names
    }

    /// Assigns to a name, an attribute path, parts of a tuple, or an element of a container.
    pub(super) fn assign(&mut self, frame: &mut Frame<'p>, target: ExprId, value: Value) {
        let model = frame.model;
        match model.expr(target) {
            Expr::Name(name) => {
                let value = self.named(frame, name, value, model.span(target));
                frame.set(name, value);
                frame.forget_paths(name);
            }
            Expr::Attribute { name, .. } => {
                if let Some(path) = self.path(frame, target) {
                    let value = self.named(frame, name, value, model.span(target));
                    self.set_path(frame, path, value);
                }
            }
            Expr::Tuple(parts) | Expr::ListDisplay(parts) => {
                let parts: Vec<ExprId> = model.list(parts).to_vec();
                for (index, part) in parts.into_iter().enumerate() {
                    let index = self.values.make(Node::Int(index as i64));
                    let element = match self.values.node(value) {
                        Node::Sequence(_) | Node::If(..) | Node::Index(..) => {
                            self.values.make(Node::Index(value, index))
                        }
                        _ => {
                            let at = frame.site(model.span(part));
                            self.values.make(Node::Item(at, value))
                        }
                    };
                    self.assign(frame, part, element);
                }
            }
            Expr::Starred(inner) => self.assign(frame, inner, value),
            Expr::Subscript(container, index) => {
                let index = self.expression(frame, index);
                self.store_element(frame, container, index, value, model.span(target));
            }
            _ => {}
        }
    }

    /// A name can say more than the value: `tp_rank = rank % tp_size` is a coordinate along `tp`.
    pub(super) fn named(&mut self, frame: &Frame<'p>, name: Symbol, value: Value, span: Span) -> Value {
        let Some(convention) = self.program.catalog.convention(name) else {
            return self.named_loader(frame, name, value, span);
        };
        let facts = self.values.facts(value);
        // How many ranks there are is the same on all of them, however it was found out.
        if convention.value.kind == crate::catalog::ValueKind::Size && !facts.vary.is_empty() {
            let meaning = convention.value.clone();
            return self.meaning(&meaning, frame, span).unwrap_or(value);
        }
        let says_nothing = matches!(
            self.values.node(value),
            Node::Unknown(_)
                | Node::Attribute(..)
                | Node::Apply(..)
                | Node::Carried(..)
                | Node::Item(..)
                | Node::Local(..)
        ) || (matches!(self.values.node(value), Node::Parameter(..))
            && self.values.meaning(value).is_none());
        // Arithmetic on the rank by sizes that are not known gives a coordinate of the axis that the name says.
        let opaque_arithmetic = facts.vary.is_all()
            && matches!(self.values.node(value), Node::Binary(..))
            && convention.value.axis.as_str() != "world"
            && !self.is_computable(value);
        if !says_nothing && !opaque_arithmetic {
            return value;
        }
        let meaning = convention.value.clone();
        match self.meaning(&meaning, frame, span) {
            Some(meaning) => {
                let reason = format!("`{name}` is this rank's own, by its name");
                self.born(meaning, frame, span, &reason, crate::finding::Confidence::Medium);
                meaning
            }
            None => value,
        }
    }

    /// Whether arithmetic can be carried out once the rank is known.
    fn is_computable(&self, value: Value) -> bool {
        match self.values.node(value) {
            Node::Binary(_, left, right) => self.is_computable(*left) && self.is_computable(*right),
            Node::Int(_) | Node::Rank(_) | Node::Size(_) | Node::Bool(_) => true,
            Node::Parameter(..) => self.values.meaning(value).is_some(),
            _ => false,
        }
    }

    fn store_element(&mut self, frame: &mut Frame<'p>, container: ExprId, index: Value, value: Value, span: Span) {
        let Some(path) = self.path(frame, container) else { return };
        let old = self.expression(frame, container);
        let new = match (self.values.node(old).clone(), self.values.node(index).clone()) {
            (Node::Mapping(parts), Node::Str(_) | Node::Int(_)) => {
                let mut parts: Vec<(Value, Value)> = parts.iter().copied().filter(|part| part.0 != index).collect();
                parts.push((index, value));
                self.values.make(Node::Mapping(parts.into()))
            }
            (_, Node::Str(_)) => {
                let entry = self.values.make(Node::Mapping(Box::from([(index, value)])));
                self.changed(frame, old, &[entry], span)
            }
            _ => {
                let content = self.values.make(Node::Sequence(Box::from([value, index])));
                self.values.make(Node::Mapped(Symbol::new("store"), Box::from([old, content])))
            }
        };
        self.set_path(frame, path, new);
    }

    /// A container to which something was added, under the conditions in force.
    pub(super) fn changed(&mut self, frame: &Frame<'p>, old: Value, added: &[Value], span: Span) -> Value {
        let mut parts = vec![old];
        let content = self.values.make(Node::Sequence(added.into()));
        parts.push(content);
        let guards: Vec<Value> = frame
            .guards
            .iter()
            .copied()
            .filter(|&guard| !self.values.vary(guard).is_empty() || self.values.facts(guard).open)
            .collect();
        if !guards.is_empty() {
            parts.push(self.values.make(Node::Range(guards.into())));
        }
        self.values.make(Node::Changed(frame.site(span), parts.into()))
    }
}

fn builtin_base(name: &str) -> Option<&'static str> {
    Some(match name {
        "OSError" | "RuntimeError" | "ValueError" | "TypeError" | "LookupError" | "ArithmeticError"
        | "AssertionError" | "AttributeError" | "ImportError" | "StopIteration" | "MemoryError" | "NameError"
        | "EOFError" | "BufferError" | "SyntaxError" => "Exception",
        "FileNotFoundError" | "FileExistsError" | "PermissionError" | "TimeoutError" | "ConnectionError"
        | "InterruptedError" | "IsADirectoryError" | "NotADirectoryError" | "BlockingIOError" | "BrokenPipeError" => {
            "OSError"
        }
        "NotImplementedError" | "RecursionError" | "OutOfMemoryError" => "RuntimeError",
        "KeyError" | "IndexError" => "LookupError",
        "UnicodeError" | "UnicodeDecodeError" | "JSONDecodeError" => "ValueError",
        "ModuleNotFoundError" => "ImportError",
        "ZeroDivisionError" | "OverflowError" | "FloatingPointError" => "ArithmeticError",
        _ => return None,
    })
}

/// Whether a block complains and leaves with nothing.
fn refuses(model: &crate::model::File, body: Block) -> bool {
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
