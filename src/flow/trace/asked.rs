//! Which facts about a class of ranks go into how it takes an effect: classes that agree in these take it alike.

use rustc_hash::FxHashMap;

use super::Assignment;
use crate::flow::axes::Axes;
use crate::flow::effect::{Effect, EffectId, Effects, LoopKind};
use crate::flow::value::{Node, Value, Values, parts};
use crate::model::CompareOp;

/// A set of facts: a bit for each opaque fact that classes may differ in, and one for a class's rank and coordinates.
type Facts = u128;

/// The rank and the coordinates.
const PLACE: Facts = 1;

/// Whatever there is.
const ALL: Facts = !0;

/// Values within values that are followed.
const MAX_DEPTH: u32 = 200;

/// What a class says of the facts that something asks for: those that it knows, those that hold, and its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Said {
    told: Facts,
    holds: Facts,
    place: u32,
}

/// The facts that effects ask for.
pub struct Asked {
    facts: FxHashMap<Value, Facts>,
    /// Facts that say what a value equals.
    equations: FxHashMap<Value, Facts>,
    values: FxHashMap<Value, Facts>,
    effects: FxHashMap<EffectId, Facts>,
    /// Places that classes have, by number.
    places: FxHashMap<(i64, Vec<i64>), u32>,
    /// The axes along which classes differ.
    axes: Axes,
}

impl Asked {
    /// Nothing yet, of classes that differ along `axes`.
    pub fn new(axes: Axes) -> Asked {
        Asked {
            facts: FxHashMap::default(),
            equations: FxHashMap::default(),
            values: FxHashMap::default(),
            effects: FxHashMap::default(),
            places: FxHashMap::default(),
            axes,
        }
    }

    /// All that a class says.
    pub(super) fn said(&mut self, values: &Values, class: &Assignment) -> Said {
        let (mut told, mut holds) = (0, 0);
        for (&atom, &answer) in &class.atoms {
            let fact = self.fact(values, atom);
            told |= fact;
            holds |= if answer { fact } else { 0 };
        }
        let next = self.places.len() as u32;
        let coordinates = class.coordinates.values().copied().collect();
        let place = *self.places.entry((class.rank, coordinates)).or_insert(next);
        Said { told, holds, place }
    }

    /// What of all that a class says goes into how it takes the effect.
    pub(super) fn of_this(&mut self, values: &Values, effects: &Effects, effect: EffectId, said: Said) -> Said {
        let asked = self.of_effect(values, effects, effect);
        let place = if asked & PLACE == 0 { 0 } else { said.place };
        Said { told: said.told & asked, holds: said.holds & asked, place }
    }

    /// The bit of an opaque fact. More facts than there are bits are one with the rank: classes differ in them all the
    /// sooner.
    fn fact(&mut self, values: &Values, atom: Value) -> Facts {
        if let Some(&known) = self.facts.get(&atom) {
            return known;
        }
        let fact = PLACE.checked_shl(self.facts.len() as u32 + 1).filter(|&fact| fact != 0).unwrap_or(PLACE);
        self.facts.insert(atom, fact);
        if let Node::Compare(CompareOp::Eq, left, right) = *values.node(atom) {
            *self.equations.entry(left).or_default() |= fact;
            *self.equations.entry(right).or_default() |= fact;
        }
        // What was found out before did not know of it.
        self.values.clear();
        self.effects.clear();
        fact
    }

    fn of_effect(&mut self, values: &Values, effects: &Effects, effect: EffectId) -> Facts {
        if let Some(&known) = self.effects.get(&effect) {
            return known;
        }
        if !effects.summed(effect).answers.meets(self.axes) {
            return 0;
        }
        let mut asked = match effects.get(effect) {
            Effect::Choice { test, .. } => self.of_value(values, *test, 0),
            Effect::Loop { kind: LoopKind::While { test }, .. } => self.of_value(values, *test, 0),
            Effect::Loop { kind: LoopKind::For { iter, .. }, .. } => self.of_value(values, *iter, 0),
            Effect::Event(event) => {
                let event = effects.event(*event);
                let told = [Some(event.group), event.root, event.operator, event.members].into_iter().flatten();
                told.fold(0, |sum, value| sum | self.of_value(values, value, 0))
            }
            _ => 0,
        };
        for part in effects.below(effect) {
            asked |= self.of_effect(values, effects, part);
        }
        self.effects.insert(effect, asked);
        asked
    }

    fn of_value(&mut self, values: &Values, value: Value, depth: u32) -> Facts {
        if let Some(&known) = self.values.get(&value) {
            return known;
        }
        if depth > MAX_DEPTH {
            return ALL;
        }
        // What is the same for all classes asks for nothing.
        let told = values.facts(value);
        if !(told.vary | told.shape).meets(self.axes) {
            self.values.insert(value, 0);
            return 0;
        }
        // What a parameter means may lead back to it.
        self.values.insert(value, 0);
        let own = |facts: &FxHashMap<Value, Facts>| facts.get(&value).copied().unwrap_or(0);
        let mut asked = own(&self.facts) | own(&self.equations);
        let mut further = |part: Value| asked |= self.of_value(values, part, depth + 1);
        match values.node(value) {
            Node::Rank(_) => asked |= PLACE,
            Node::Parameter(..) => values.meaning(value).into_iter().for_each(further),
            Node::Mapping(pairs) => pairs.iter().for_each(|&(key, value)| {
                further(key);
                further(value);
            }),
            Node::Loader(one, other) | Node::Agreed(_, one, other) | Node::Spread(_, one, other) => {
                further(*one);
                further(*other);
            }
            Node::MadeGroup(_, inner) | Node::Keyword(inner, _) | Node::Kind(inner) | Node::Forward(inner) => {
                further(*inner);
            }
            Node::Compare(_, one, other) | Node::And(one, other) | Node::Or(one, other) => {
                further(*one);
                further(*other);
            }
            node => parts(node).into_iter().for_each(further),
        }
        self.values.insert(value, asked);
        asked
    }
}
