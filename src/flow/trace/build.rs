//! The trace of one class: each effect in front of its continuation.

use super::ends::{Ends, each_part};
use super::*;

pub(super) struct Run<'t, 'a> {
    pub(super) tracer: &'t mut Tracer<'a>,
    pub(super) evaluator: Evaluator<'t>,
    pub(super) memo: FxHashMap<MemoKey, TraceId>,
    /// Calls on the way that something is healed below.
    pub(super) calls: Vec<Site>,
    /// The choice that is being decided.
    pub(super) choice: Option<EffectId>,
}

impl Run<'_, '_> {
    pub(super) fn effect(&mut self, id: EffectId, to: &Continuations) -> TraceId {
        if !self.tracer.bearing.concerns(id) {
            return to.next;
        }
        let simple = self.evaluator.is_plain() && to.hole.is_none() && to.raise.is_none();
        let scope = if self.calls.is_empty() { 0 } else { label(&self.calls) };
        let key = (id, to.next, to.ret, to.brk, to.again, to.level, scope);
        if simple && let Some(&known) = self.memo.get(&key) {
            return known;
        }
        if self.tracer.fuel == 0 {
            return ABORT;
        }
        self.tracer.fuel -= 1;
        let made = self.build(id, to);
        if simple {
            self.memo.insert(key, made);
        }
        made
    }

    fn build(&mut self, id: EffectId, to: &Continuations) -> TraceId {
        let effects = self.tracer.effects;
        match effects.get(id) {
            Effect::Nothing | Effect::Invoke { .. } | Effect::Pending { .. } => to.next,
            Effect::Seq(parts) => {
                let mut to = to.clone();
                for &part in parts.iter().rev() {
                    to.next = self.effect(part, &to);
                }
                to.next
            }
            Effect::Event(event) => self.event(*event, to.next),
            Effect::Choice { test, site, then, otherwise, .. } => match self.decide(id, *test, *site) {
                Truth::Known(true) => self.effect(*then, to),
                Truth::Known(false) => self.effect(*otherwise, to),
                Truth::Same(label) => {
                    let healed = self.tracer.healed.get(*site, &self.calls).is_some();
                    let then = self.effect(*then, to);
                    let otherwise = self.effect(*otherwise, to);
                    match healed {
                        true => self.tracer.choice(label, then, otherwise),
                        false => {
                            self.choice = Some(id);
                            self.asked(*test, then, otherwise)
                        }
                    }
                }
            },
            Effect::Loop { kind, site, body, orelse } => {
                if self.tracer.healed.get(*site, &self.calls).is_some() {
                    let after = self.effect(*orelse, to);
                    let inside = self.looping(to, to.level + 1);
                    let mute = !self.tracer.effects.summed(*body).events;
                    let turn = Turn { label: label(&(site, kind_label(*kind))), level: to.level + 1, mute };
                    let body = self.effect(*body, &inside);
                    return self.tracer.repeat(turn, body, after, to.next);
                }
                self.repeat(id, *kind, *body, *orelse, to)
            }
            Effect::Exit(exit, _) => match exit {
                Exit::Return => to.ret,
                Exit::Break => to.brk,
                Exit::Continue => to.again,
                Exit::Abort => ABORT,
                Exit::Raise(names) => raised(names, to.raise.as_deref()),
            },
            Effect::Try { body, handlers, orelse, finally } => {
                let finally = *finally;
                let mut outer = to.clone();
                if finally != Effects::NOTHING {
                    outer = Continuations {
                        next: self.effect(finally, to),
                        ret: self.before(finally, to, to.ret),
                        brk: self.before(finally, to, to.brk),
                        again: self.before(finally, to, to.again),
                        ..outer
                    };
                    outer.raise = self.finally_chain(finally, to);
                }
                let handled: Vec<(Box<[Symbol]>, TraceId)> = handlers
                    .iter()
                    .map(|handler| (handler.catches.clone(), self.effect(handler.body, &outer)))
                    .collect();
                let mut inner = outer.clone();
                inner.next = self.effect(*orelse, &outer);
                if !handled.is_empty() {
                    inner.raise = Some(Rc::new(RaiseChain { handlers: handled, outer: outer.raise.clone() }));
                }
                self.effect(*body, &inner)
            }
            Effect::Scope { manager, body } => self.scope(*manager, *body, to),
            Effect::Hole => match to.hole.clone().as_deref() {
                Some(Hole::Run { body, outer, ret, brk, again, at }) => {
                    let hole = at.replace(at.get() + 1);
                    let inside = Continuations {
                        next: to.next,
                        ret: ret.from(hole),
                        brk: brk.from(hole),
                        again: again.from(hole),
                        raise: to.raise.clone(),
                        hole: outer.hole.clone(),
                        level: outer.level,
                    };
                    self.effect(*body, &inside)
                }
                Some(Hole::Capture(cell)) => {
                    cell.borrow_mut().push(to.next);
                    to.next
                }
                None => to.next,
            },
            Effect::Call { body, site, .. } => {
                let inside = Continuations { ret: to.next, brk: to.next, again: to.next, ..to.clone() };
                let scoped = self.tracer.healed.calls.contains(site);
                if scoped {
                    self.calls.push(*site);
                }
                let made = self.effect(*body, &inside);
                if scoped {
                    self.calls.pop();
                }
                made
            }
        }
    }

    fn before(&mut self, finally: EffectId, to: &Continuations, next: TraceId) -> TraceId {
        self.effect(finally, &Continuations { next, ..to.clone() })
    }

    /// An exception passes through `finally` on its way out.
    fn finally_chain(&mut self, finally: EffectId, to: &Continuations) -> Option<Rc<RaiseChain>> {
        let mut chain = to.raise.clone();
        let mut rebuilt = Vec::new();
        while let Some(level) = chain {
            for (names, handler) in &level.handlers {
                rebuilt.push((names.clone(), self.before(finally, to, *handler)));
            }
            chain = level.outer.clone();
        }
        // Uncaught, it ends the job. What `finally` issues on the way is another question: that of collectives in handlers.
        Some(Rc::new(RaiseChain { handlers: rebuilt, outer: None }))
    }

    fn scope(&mut self, manager: EffectId, body: EffectId, to: &Continuations) -> TraceId {
        let leaves = self.tracer.effects.summed(body).exits;
        let after = |run: &mut Self, target: TraceId| {
            if !leaves {
                return Leaving { after: Vec::new(), target };
            }
            let hole = Rc::new(Hole::Capture(RefCell::default()));
            let around = Continuations {
                next: target,
                ret: target,
                brk: target,
                again: target,
                hole: Some(hole.clone()),
                ..to.clone()
            };
            run.effect(manager, &around);
            let after = match &*hole {
                Hole::Capture(cell) => cell.take(),
                Hole::Run { .. } => Vec::new(),
            };
            Leaving { after, target }
        };
        let (ret, brk, again) = (after(self, to.ret), after(self, to.brk), after(self, to.again));
        let hole = Rc::new(Hole::Run { body, outer: to.clone(), ret, brk, again, at: Cell::new(0) });
        let around = Continuations { ret: to.next, brk: to.next, again: to.next, hole: Some(hole), ..to.clone() };
        self.effect(manager, &around)
    }

    /// A choice by a condition, its parts asked one after the other, so that a part that is asked again elsewhere is known.
    fn asked(&mut self, test: Value, then: TraceId, otherwise: TraceId) -> TraceId {
        if self.tracer.same(then, otherwise) {
            return then;
        }
        match (self.evaluator.truth(test), self.tracer.values.node(test)) {
            (Truth::Known(known), _) => {
                if known {
                    then
                } else {
                    otherwise
                }
            }
            (_, Node::Not(inner)) => self.asked(*inner, otherwise, then),
            (_, Node::And(left, right)) => {
                let then = self.asked(*right, then, otherwise);
                self.asked(*left, then, otherwise)
            }
            (_, Node::Or(left, right)) => {
                let otherwise = self.asked(*right, then, otherwise);
                self.asked(*left, then, otherwise)
            }
            // One answer or another, whichever a question that ranks share chooses: that question may be asked elsewhere.
            (_, Node::If(first, one, other)) if self.settles(*one) || self.settles(*other) => {
                let one = self.asked(*one, then, otherwise);
                let other = self.asked(*other, then, otherwise);
                self.asked(*first, one, other)
            }
            (_, Node::Compare(..)) if let Some(cases) = self.evaluator.cases(test) => {
                self.cases(&cases, then, otherwise)
            }
            (Truth::Same(label), node) => {
                if let Node::Compare(CompareOp::Eq | CompareOp::Is, subject, constant) = *node {
                    self.tracer.equations.insert(label.min(!label), (subject, constant, label < !label));
                }
                if self.received(test) {
                    let choices = self.tracer.received.entry(label.min(!label)).or_default();
                    choices.extend(self.choice.filter(|choice| !choices.contains(choice)));
                }
                self.tracer.choice(label, then, otherwise)
            }
        }
    }

    fn cases(&mut self, cases: &Cases, then: TraceId, otherwise: TraceId) -> TraceId {
        match cases {
            Cases::Settled(true) => then,
            Cases::Settled(false) => otherwise,
            Cases::Chosen(test, arms) => {
                let one = self.cases(&arms[0], then, otherwise);
                let other = self.cases(&arms[1], then, otherwise);
                self.asked(*test, one, other)
            }
        }
    }

    /// Whether what this class was sent decides the value.
    fn received(&self, value: Value) -> bool {
        let chosen = |test: Value| match self.evaluator.truth(test) {
            Truth::Known(known) => Some(known),
            Truth::Same(_) => None,
        };
        self.tracer.values.is_received(value, &chosen)
    }

    fn settles(&self, test: Value) -> bool {
        matches!(self.evaluator.truth(test), Truth::Known(_))
    }

    fn decide(&mut self, id: EffectId, test: Value, site: Site) -> Truth {
        match self.tracer.healed.get(site, &self.calls) {
            Some(Heal::Alike) => return Truth::Same(label(&site)),
            Some(Heal::Always(known)) => return Truth::Known(known),
            None => {}
        }
        let truth = self.evaluator.truth(test);
        if matches!(truth, Truth::Known(_)) {
            self.hear(id, test);
        }
        self.tracer.decided(id, Decided::Truth(truth));
        truth
    }

    /// Notes what a settled question also asks of what this class was sent: it knows that as well as its peers do.
    fn hear(&mut self, choice: EffectId, test: Value) {
        match *self.tracer.values.node(test) {
            Node::And(left, right) | Node::Or(left, right) => {
                self.hear(choice, left);
                self.hear(choice, right);
            }
            _ if matches!(self.evaluator.truth(test), Truth::Same(_)) && self.received(test) => {
                self.tracer.heard.insert(choice);
            }
            _ => {}
        }
    }

    fn repeat(
        &mut self,
        id: EffectId,
        kind: LoopKind,
        body: EffectId,
        orelse: EffectId,
        to: &Continuations,
    ) -> TraceId {
        let after = self.effect(orelse, to);
        let level = to.level + 1;
        let mute = !self.tracer.effects.summed(body).events;
        match kind {
            LoopKind::For { iter, item } => {
                let whole = iter;
                let iter = self.evaluator.counted(iter);
                if let Concrete::Tuple(parts) = self.evaluator.value(whole)
                    && parts.len() <= MAX_UNROLLED
                    && (self.tracer.effects.summed(body).weight < 200 || parts.len() < 2)
                {
                    self.tracer.decided(id, Decided::Turns(label(&format!("{parts:?}"))));
                    let mut next = after;
                    for part in parts.into_iter().rev() {
                        self.evaluator.bind(item, part);
                        next = self.effect(body, &Continuations { next, brk: to.next, again: next, ..to.clone() });
                        self.evaluator.unbind();
                    }
                    return next;
                }
                match self.turns(id, iter) {
                    Some(true) => {
                        self.effect(body, &Continuations { next: after, brk: to.next, again: after, ..to.clone() })
                    }
                    Some(false) => after,
                    None => {
                        let inside = self.looping(to, level);
                        let turn = self.effect(body, &inside);
                        let counts = matches!(self.tracer.values.node(iter), Node::Range(_));
                        if counts && self.tries_again(body, turn, level) {
                            return ABORT;
                        }
                        let body = turn;
                        let label = match self.evaluator.value(iter) {
                            Concrete::Tuple(parts) | Concrete::Keys(parts) => label(&parts.len()),
                            _ => label(&iter),
                        };
                        if self.received(iter) {
                            self.tracer.received.entry(label).or_default();
                        }
                        self.tracer.decided(id, Decided::Turns(label));
                        self.tracer.repeat(Turn { label, level, mute }, body, after, to.next)
                    }
                }
            }
            LoopKind::While { test } => match self.evaluator.truth(test) {
                Truth::Known(known) if self.tracer.values.node(test) != &Node::Bool(true) => {
                    self.tracer.decided(id, Decided::Truth(Truth::Known(known)));
                    match known {
                        true => {
                            self.effect(body, &Continuations { next: after, brk: to.next, again: after, ..to.clone() })
                        }
                        false => after,
                    }
                }
                truth => {
                    self.tracer.decided(id, Decided::Truth(truth));
                    let inside = self.looping(to, level);
                    let turn = self.effect(body, &inside);
                    if self.tries_again(body, turn, level) {
                        return ABORT;
                    }
                    let body = turn;
                    self.tracer.repeat(Turn { label: label(&truth), level, mute }, body, after, to.next)
                }
            },
        }
    }

    fn looping(&mut self, to: &Continuations, level: u16) -> Continuations {
        let again = self.tracer.make(Shape::Again(level), END, END, None);
        let leave = self.tracer.make(Shape::Leave(level), END, END, None);
        Continuations { next: again, brk: leave, again, level, ..to.clone() }
    }

    /// Whether this class goes round having issued nothing in a loop that ranks leave once they have issued what they
    /// owe: it tries again, and in the end issues as much as the others.
    fn tries_again(&self, body: EffectId, turn: TraceId, level: u16) -> bool {
        if !matches!(self.tracer.shape(turn), Shape::Again(at) if *at == level) {
            return false;
        }
        let ends = Ends::of(self.tracer.effects, body);
        if !ends.has(true, Exit::Break) && !ends.has(true, Exit::Return) || ends.goes_round_with_events() {
            return false;
        }
        // Somebody who goes round for what it is, not for what happened to it, goes round for ever.
        let anybody = Assignment { atoms: std::collections::BTreeMap::new(), ..self.evaluator.class.clone() };
        let plain = Evaluator::new(self.tracer.values, self.tracer.world, &anybody);
        let mut pending = vec![body];
        let mut seen = FxHashSet::default();
        while let Some(effect) = pending.pop() {
            if !seen.insert(effect) {
                continue;
            }
            if let Effect::Choice { test, .. } = self.tracer.effects.get(effect)
                && matches!(self.evaluator.truth(*test), Truth::Known(_))
                && matches!(plain.truth(*test), Truth::Same(_))
            {
                return true;
            }
            each_part(self.tracer.effects.get(effect), |part| pending.push(part));
        }
        false
    }

    /// Whether this class finds something to iterate, when ranks may differ in that.
    fn turns(&mut self, id: EffectId, iter: Value) -> Option<bool> {
        let known = match self.evaluator.value(iter) {
            // So many keys are so many turns; what was sent is as long as the sender made it.
            Concrete::Keys(_) => return None,
            Concrete::Opaque(_) if self.received(iter) => return None,
            Concrete::Tuple(parts) => {
                if !self.tracer.values.shape(iter).meets(self.tracer.world.axes) {
                    return None;
                }
                // Ranks take different numbers of turns: the longer against the shorter.
                parts.len() as i64 > self.tracer.world.extent / 2
            }
            _ => *self.evaluator.class.atoms.get(&iter)?,
        };
        self.tracer.decided(id, Decided::Truth(Truth::Known(known)));
        Some(known)
    }

    fn event(&mut self, id: EventId, next: TraceId) -> TraceId {
        let event = self.tracer.effects.event(id);
        if self.tracer.healed.get(event.site, &self.calls).is_some() {
            return next;
        }
        self.event_on(id, event.group, next)
    }

    fn is_none(&self, value: Value) -> bool {
        *self.tracer.values.node(value) == Node::None
    }

    fn is_looked_up(&self, group: Value) -> bool {
        matches!(self.tracer.values.node(group), Node::Index(..))
    }

    /// An event on one group or another, whichever a condition that ranks share chooses.
    fn event_on(&mut self, id: EventId, group: Value, next: TraceId) -> TraceId {
        if let Node::If(test, then, otherwise) = *self.tracer.values.node(group) {
            match self.evaluator.truth(test) {
                Truth::Known(true) => return self.event_on(id, then, next),
                Truth::Known(false) => return self.event_on(id, otherwise, next),
                // Who looks a group up finds it, or has not made it yet.
                Truth::Same(_) if self.is_none(then) && self.is_looked_up(otherwise) => {
                    return self.event_on(id, otherwise, next);
                }
                Truth::Same(_) if self.is_none(otherwise) && self.is_looked_up(then) => {
                    return self.event_on(id, then, next);
                }
                Truth::Same(_) if self.evaluator.group(group) == GroupKey::Other(group) => {
                    let then = self.event_on(id, then, next);
                    let otherwise = self.event_on(id, otherwise, next);
                    self.choice = None;
                    return self.asked(test, then, otherwise);
                }
                Truth::Same(_) => {}
            }
        }
        let event = self.tracer.effects.event(id);
        let group = self.evaluator.group(group);
        if group != self.tracer.group {
            return next;
        }
        if let GroupKey::Made(_, ranks) = &group
            && !ranks.contains(&self.evaluator.class.rank)
        {
            return next;
        }
        let part = |value: Option<Value>| self.evaluator.wire(value);
        let root = self.evaluator.root_wire(event.root, &group);
        // A group of this rank alone is made without a word to anybody.
        let alone = Concrete::Tuple(vec![Concrete::Int(self.evaluator.class.rank)]);
        let members = match event.members.filter(|_| event.creates).map(|members| self.evaluator.value(members)) {
            Some(members) if members == alone => 2,
            _ => part(event.members),
        };
        let operator = event.operator;
        self.issued(id, (root, members), operator, next)
    }

    /// An event with one reduce operator or another, whichever a condition that ranks share chooses.
    fn issued(&mut self, id: EventId, parts: (u64, u64), operator: Option<Value>, next: TraceId) -> TraceId {
        if let Some(value) = operator
            && let Node::If(test, then, otherwise) = *self.tracer.values.node(value)
        {
            match self.evaluator.truth(test) {
                Truth::Known(true) => return self.issued(id, parts, Some(then), next),
                Truth::Known(false) => return self.issued(id, parts, Some(otherwise), next),
                Truth::Same(_) => {
                    let then = self.issued(id, parts, Some(then), next);
                    let otherwise = self.issued(id, parts, Some(otherwise), next);
                    self.choice = None;
                    return self.asked(test, then, otherwise);
                }
            }
        }
        let op = self.tracer.effects.event(id).op;
        let key = label(&(op, parts.0, self.evaluator.wire(operator), parts.1));
        self.tracer.event(key, id, next)
    }
}

fn kind_label(kind: LoopKind) -> Value {
    match kind {
        LoopKind::For { iter, .. } => iter,
        LoopKind::While { test } => test,
    }
}

fn raised(names: &[Symbol], chain: Option<&RaiseChain>) -> TraceId {
    let mut chain = chain;
    while let Some(level) = chain {
        for (catches, handler) in &level.handlers {
            if catches.is_empty() || names.is_empty() || catches.iter().any(|caught| names.contains(caught)) {
                return *handler;
            }
        }
        chain = level.outer.as_deref();
    }
    ABORT
}
