//! The trace of one class: each effect in front of its continuation.

use super::turns::kind_label;
use super::*;

pub(super) struct Run<'t, 'a> {
    pub(super) tracer: &'t mut Tracer<'a>,
    pub(super) evaluator: Evaluator<'t>,
    /// What the class says of the facts that something asks for.
    pub(super) said: Said,
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
        let summed = self.tracer.effects.summed(id);
        let simple = self.evaluator.is_plain() && (to.hole.is_none() || !summed.hole);
        let alike = simple && !summed.answers.meets(self.tracer.world.axes);
        let scope = if self.calls.is_empty() { 0 } else { label(&self.calls) };
        let raise = to.raise.as_ref().filter(|_| summed.raises).map_or(0, |chain| chain.label);
        let key = (id, to.next, to.ret, to.brk, to.again, to.level, scope, raise);
        let tables = &*self.tracer.tables;
        let before = || if alike { tables.alike.get(&key) } else { None }.or_else(|| tables.own.get(&key));
        if simple && let Some(&known) = before() {
            return known;
        }
        let shared = (simple && !alike && self.tracer.shares).then(|| (key, self.tracer.asks(id, self.said)));
        if let Some(known) = shared.as_ref().and_then(|shared| self.tracer.tables.shared.get(shared)) {
            return *known;
        }
        if self.tracer.fuel == 0 {
            return ABORT;
        }
        self.tracer.fuel -= 1;
        let hearings = self.tracer.hearings;
        let made = self.build(id, to);
        // What one class hears there, each has to hear for itself.
        let heard = self.tracer.hearings != hearings;
        if alike && !heard {
            self.tracer.tables.alike.insert(key, made);
        } else if let Some(shared) = shared.filter(|_| !heard) {
            self.tracer.tables.shared.insert(shared, made);
        } else if simple {
            self.tracer.tables.own.insert(key, made);
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
                Exit::Done => END,
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
                    inner.raise = Some(Rc::new(RaiseChain::new(handled, outer.raise.clone())));
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
        Some(Rc::new(RaiseChain::new(rebuilt, None)))
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
}

impl Tracer<'_> {
    /// What a class says of the facts that the effect asks for.
    fn asks(&mut self, effect: EffectId, said: Said) -> Said {
        self.asked.borrow_mut().of_this(self.values, self.effects, effect, said)
    }
}

fn raised(names: &[Symbol], chain: Option<&RaiseChain>) -> TraceId {
    let mut chain = chain;
    while let Some(level) = chain {
        for (catches, handler) in &level.handlers {
            if handles(catches, names) {
                return *handler;
            }
        }
        chain = level.outer.as_deref();
    }
    ABORT
}
