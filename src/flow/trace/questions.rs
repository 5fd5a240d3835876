//! What a class of ranks answers where ways part, and what it was sent by its peers.

use super::build::Run;
use super::relations::Compared;
use super::*;

impl Run<'_, '_> {
    /// A choice by a condition, its parts asked one after the other, so that a part that is asked again elsewhere is
    /// known.
    pub(super) fn asked(&mut self, test: Value, then: TraceId, otherwise: TraceId) -> TraceId {
        if self.tracer.same(then, otherwise) {
            return then;
        }
        self.tracer.matters(test);
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
            // One answer or another, whichever a question that ranks share chooses: that question may be asked
            // elsewhere, and a peer for whom the answer is settled asks nothing but that.
            (_, Node::If(first, one, other)) if self.settles_or_varies(*one) || self.settles_or_varies(*other) => {
                let one = self.asked(*one, then, otherwise);
                let other = self.asked(*other, then, otherwise);
                self.asked(*first, one, other)
            }
            (_, Node::Compare(..)) if let Some(cases) = self.evaluator.cases(test) => {
                self.cases(&cases, then, otherwise)
            }
            (Truth::Same(label), _) => {
                if let Some(compared) = Compared::of(self.tracer.values, test, label < !label) {
                    self.tracer.compared.insert(label.min(!label), compared);
                }
                if self.received(test) {
                    let choices = self.tracer.received.entry(label.min(!label)).or_default();
                    choices.extend(self.choice.filter(|choice| !choices.contains(choice)));
                }
                if self.tracer.values.lasts(test) {
                    self.tracer.lasting.insert(label.min(!label));
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
    pub(super) fn received(&self, value: Value) -> bool {
        let chosen = |test: Value| match self.evaluator.truth(test) {
            Truth::Known(known) => Some(known),
            Truth::Same(_) => None,
        };
        self.tracer.values.is_received(value, &chosen)
    }

    fn settles_or_varies(&self, test: Value) -> bool {
        matches!(self.evaluator.truth(test), Truth::Known(_))
            || self.tracer.values.vary(test).meets(self.evaluator.world.axes)
    }

    pub(super) fn decide(&mut self, id: EffectId, test: Value, site: Site) -> Truth {
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
                self.tracer.hearings += 1;
            }
            _ => {}
        }
    }
}
