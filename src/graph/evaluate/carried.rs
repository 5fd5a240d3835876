//! What loops carry along: bodies evaluated until its facts no longer change.

use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::flow::{EffectId, Effects, Node, STORE, Value};
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
    pub(super) fn settle(
        &mut self,
        frame: &mut Frame<'p>,
        site: Span,
        body: Block,
        turns: Option<Value>,
        head: &mut dyn FnMut(&mut Self, &mut Frame<'p>) -> Option<Value>,
    ) -> (EffectId, Option<Value>) {
        let assigned = self.assigned(frame, body);
        let carried: Vec<(Symbol, Option<Value>)> = assigned
            .into_iter()
            .map(|name| (name, frame.get(name).or_else(|| self.held_before(frame, name))))
            .collect();
        let at = frame.site(site);
        let mut current: Vec<Option<Value>> = carried
            .iter()
            .map(|&(name, before)| before.map(|before| self.values.make(Node::Carried(at, name, Box::from([before])))))
            .collect();
        let mut outcome = (Effects::NOTHING, None);
        // What calls have left in objects of the function.
        let mut left: Vec<(Symbol, Value)> = Vec::new();
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
            let is_carried = |name: Symbol| carried.iter().any(|carried| carried.0 == name);
            // What a method leaves in its own object its summary says.
            let is_path = |name: Symbol| self.roots.get(&name).is_some_and(|&root| Some(root) != frame.receiver);
            let others = changes.iter().filter(|(name, _)| is_path(*name) && !is_carried(*name));
            left = others.filter_map(|&(name, value)| Some((name, value?))).collect();
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
                settled &= before.is_none() || current[index].is_some_and(|current| facts(next) == facts(current));
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
        let turns = outcome.1.or(turns);
        for (name, value) in left {
            let counted = match turns {
                Some(turns) if frame.get(name).is_none() && self.is_filled(value) => {
                    Some(self.values.make(Node::Range(Box::from([turns]))))
                }
                turns => turns,
            };
            let parts = std::iter::once(value).chain(counted).collect();
            let value = self.values.make(Node::Carried(at, name, parts));
            self.set_path(frame, name, value);
        }
        outcome
    }

    /// What an attribute of an object that the function has made holds before a loop assigns it: `progress.epoch`.
    fn held_before(&mut self, frame: &Frame<'p>, path: Symbol) -> Option<Value> {
        let root = *self.roots.get(&path)?;
        let name = path.as_str().strip_prefix(root.as_str())?.strip_prefix('.').filter(|name| !name.contains('.'))?;
        let object = frame.get(root)?;
        let Node::Instance(class, _) = *self.values.node(object) else { return None };
        let held = self.attribute(class, Symbol::new(name))?;
        Some(self.as_seen_by(object, held))
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
    pub(super) fn is_filled(&self, value: Value) -> bool {
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
                let own = self.values.make(Node::MadeGroup(made, members));
                self.marks.own_groups.insert(own);
                return own;
            }
        }
        value
    }
}
