//! Loops: bodies evaluated until what they carry along no longer changes in its facts.

use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::catalog::ValueKind;
use crate::flow::{ChoiceForm, Effect, EffectId, Effects, Exit, LoopKind, Node, STORE, Value};
use crate::model::{Block, Expr, ExprId, Stmt, each_statement};

/// How often a loop body is evaluated until what it carries along no longer changes in its facts.
const LOOP_ROUNDS: usize = 3;

impl<'p> Engine<'p> {
    /// Names and attribute paths that the block may assign.
    pub(super) fn assigned(&mut self, frame: &Frame<'p>, block: Block) -> Vec<Symbol> {
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
                            && super::container::changes_receiver(name.as_str())
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
        let outer_cuts = std::mem::take(&mut frame.cuts);
        let turning = std::mem::replace(&mut frame.turning, true);
        if !turning {
            self.keep(frame, &carried);
        }
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
            let cuts = std::mem::take(&mut frame.cuts);
            let mut settled = true;
            for (index, &(name, before)) in carried.iter().enumerate() {
                let after = changes.iter().find(|(changed, _)| *changed == name).and_then(|(_, value)| *value);
                let mut parts: Vec<Value> = Vec::new();
                parts.extend(before);
                parts.extend(after.filter(|&after| Some(after) != entry[index]));
                parts.extend(self.left_behind(&cuts, name, entry[index]));
                // A call that might have changed it has not.
                if parts.is_empty() {
                    continue;
                }
                if parts.len() > 1 || before.is_none() {
                    let turns = decided.or(turns);
                    let counted = match (turns, parts.iter().any(|&part| self.is_filled(part))) {
                        // How much was put in depends on the number of turns.
                        (Some(turns), true) => Some(self.values.make(Node::Range(Box::from([turns])))),
                        (turns, _) => turns,
                    };
                    parts.extend(counted);
                }
                let next = self.values.make(Node::Carried(at, name, parts.into()));
                // What a caller hands in counts where the body communicates.
                let facts = |value: Value| {
                    let facts = self.values.facts(value);
                    (facts.vary, facts.shape, facts.open && effect != Effects::NOTHING)
                };
                settled &= current[index].is_some_and(|current| facts(next) == facts(current)) || before.is_none();
                current[index] = Some(next);
            }
            outcome = (effect, decided);
            if settled || round + 1 == LOOP_ROUNDS {
                break;
            }
            frame.returns.truncate(returns);
        }
        frame.cuts = outer_cuts;
        frame.turning = turning;
        for (&(name, before), value) in carried.iter().zip(&current) {
            if let Some(value) = value {
                let unchanged = |before: &Value| match self.values.node(*value) {
                    Node::Carried(_, _, parts) => **parts == [*before],
                    _ => false,
                };
                let value = before.filter(unchanged).unwrap_or_else(|| self.own_group(*value));
                self.set_path(frame, name, value);
            }
        }
        outcome
    }

    /// Notes what variables hold that the loop does not assign: each turn finds the same there.
    fn keep(&mut self, frame: &Frame<'p>, carried: &[(Symbol, Option<Value>)]) {
        let is_assigned = |name: Symbol| carried.iter().any(|carried| carried.0 == name);
        for (&name, &value) in &frame.env {
            if !is_assigned(name) {
                self.values.keep(value);
            }
        }
    }

    /// Whether a loop puts something into the container.
    fn is_filled(&self, value: Value) -> bool {
        match self.values.node(value) {
            Node::None => true,
            Node::Changed(..) => true,
            Node::Mapped(name, parts) if name.as_str() == STORE => !self.values.has_places(parts[0]),
            Node::Mapped(name, _) => matches!(name.as_str(), "extend" | "update"),
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

    pub(super) fn while_loop(&mut self, frame: &mut Frame<'p>, test: ExprId, body: Block, orelse: Block) {
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

    pub(super) fn for_loop(&mut self, frame: &mut Frame<'p>, target: ExprId, iter: ExprId, body: Block, orelse: Block) {
        let span = frame.model.span(iter);
        let iter_value = self.expression(frame, iter);
        let iter_value = self.iterated(frame, iter, iter_value);
        let item = self.item_of(frame, iter_value, span);
        let length = self.values.make(Node::Length(iter_value));
        let pulled = self.pulled(frame, iter_value, span);
        self.elements.push(item);
        let (effect, _) = self.settle(frame, span, body, Some(length), &mut |engine, frame| {
            engine.bind_item(frame, target, iter_value, item);
            None
        });
        self.elements.pop();
        let effect = self.effects.seq(&[pulled, effect], &self.values);
        let orelse = self.detached(frame, orelse);
        let iter = self.counted(iter_value);
        let (kind, effect) = self.loop_over((iter, item), effect);
        let whole = Effect::Loop { kind, site: frame.site(span), body: effect, orelse };
        let whole = self.effects.make(whole, &self.values);
        self.emit(frame, whole);
    }

    /// An element of what a loop goes through: a generator that is given a batch yields parts of it.
    fn item_of(&mut self, frame: &Frame<'p>, iter: Value, span: Span) -> Value {
        let shares: Vec<Value> = match self.values.node(iter) {
            Node::Generator(_, args) => args.iter().copied().filter(|&arg| self.is_share(arg)).collect(),
            _ => Vec::new(),
        };
        match shares.is_empty() {
            true => self.values.make(Node::Item(frame.site(span), iter)),
            false => self.values.make(Node::Apply(Symbol::new("yielded"), shares.into())),
        }
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
            Node::Mapped(name, parts)
                if matches!(name.as_str(), "items" | "keys" | "values") && self.has_fields(parts[0]) =>
            {
                self.values.make(Node::Kind(parts[0]))
            }
            Node::Instance(..) => self.turns_of_object(iter).unwrap_or(iter),
            Node::Loader(object, _) => self.turns_of_object(object).unwrap_or(iter),
            _ => iter,
        }
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
            Expr::Tuple(parts) | Expr::ListDisplay(parts) => {
                for (part, element) in self.unpacked_into(frame, parts, value) {
                    self.assign_one_of(frame, part, element);
                }
            }
            _ => self.assign(frame, target, value),
        }
    }
}
