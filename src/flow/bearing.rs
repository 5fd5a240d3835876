//! Which parts of an effect tree bear on one group: what issues nothing on it and does not leave is passed over.

use rustc_hash::FxHashMap;

use super::concrete::{Assignment, Evaluator, GroupKey, World};
use super::effect::{Effect, EffectId, Effects};
use super::value::{Node, Value, Values};

/// What bears on one group in one effect tree.
pub struct Bearing<'a> {
    values: &'a Values,
    effects: &'a Effects,
    world: World,
    group: GroupKey,
    groups: FxHashMap<Value, bool>,
    issues: FxHashMap<EffectId, bool>,
}

impl<'a> Bearing<'a> {
    /// What bears on `group`.
    pub fn new(values: &'a Values, effects: &'a Effects, world: World, group: GroupKey) -> Self {
        Bearing { values, effects, world, group, groups: FxHashMap::default(), issues: FxHashMap::default() }
    }

    /// Whether it matters to the group's members how the effect goes.
    pub fn concerns(&mut self, effect: EffectId) -> bool {
        let summed = self.effects.summed(effect);
        summed.exits || summed.hole || summed.events && self.issues(effect)
    }

    /// Whether the effect may issue something on the group.
    fn issues(&mut self, effect: EffectId) -> bool {
        if !self.effects.summed(effect).events {
            return false;
        }
        if let Effect::Event(event) = self.effects.get(effect) {
            return self.is_group(self.effects.event(*event).group);
        }
        if let Some(&known) = self.issues.get(&effect) {
            return known;
        }
        let found = self.effects.below(effect).into_iter().any(|part| self.issues(part));
        self.issues.insert(effect, found);
        found
    }

    /// Whether the value may be the group, on whatever rank.
    fn is_group(&mut self, value: Value) -> bool {
        if let Some(&known) = self.groups.get(&value) {
            return known;
        }
        let mut found = false;
        for rank in 0..self.world.size {
            let class = Assignment { rank, ..Assignment::default() };
            let evaluator = Evaluator::new(self.values, self.world, &class);
            found = match evaluator.group(value) {
                GroupKey::Other(known) if depends_on_class(self.values.node(known)) => true,
                key => key == self.group,
            };
            if found || !evaluator.missing.borrow().rank {
                break;
            }
        }
        self.groups.insert(value, found);
        found
    }
}

/// Whether more can be known of a value once a class says more.
fn depends_on_class(node: &Node) -> bool {
    matches!(
        node,
        Node::Not(_)
            | Node::And(..)
            | Node::Or(..)
            | Node::Compare(..)
            | Node::Binary(..)
            | Node::If(..)
            | Node::Sequence(_)
            | Node::Mapping(_)
            | Node::Range(_)
            | Node::Index(..)
            | Node::Length(_)
            | Node::Apply(..)
            | Node::Mapped(..)
            | Node::Item(..)
            | Node::MadeGroup(..)
    )
}
