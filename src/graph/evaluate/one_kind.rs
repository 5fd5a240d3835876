//! What a function does with objects of one class, where that of which class they are is left open: each way is a whole
//! program of its own, and all of them together are often too much to be compared.

use rustc_hash::FxHashMap;

use super::Engine;
use crate::flow::{DISPATCH, Effect, EffectId, Node, Value};

/// The class that objects of a kind are taken for.
#[derive(Default)]
struct Chosen {
    classes: FxHashMap<Value, Value>,
    known: FxHashMap<EffectId, EffectId>,
}

impl<'p> Engine<'p> {
    /// The effect without its checks, and with objects of open class taken for those of the first class of which something
    /// communicates.
    pub(in crate::graph) fn with_one_kind(&mut self, root: EffectId) -> EffectId {
        let short = self.without_checks(root);
        self.of_one_kind(short, &mut Chosen::default())
    }

    fn of_one_kind(&mut self, effect: EffectId, chosen: &mut Chosen) -> EffectId {
        if !self.effects.summed(effect).events {
            return effect;
        }
        if let Some(&known) = chosen.known.get(&effect) {
            return known;
        }
        let told = self.effects.get(effect).clone();
        let kind = match told {
            Effect::Choice { test, .. } => self.kind_asked(test),
            _ => None,
        };
        let made = match (kind, &told) {
            (Some((kind, class)), &Effect::Choice { then, otherwise, .. }) => {
                let is_first = || self.effects.summed(then).events;
                let taken = match chosen.classes.get(&kind) {
                    Some(&known) => known == class,
                    None => is_first(),
                };
                if taken {
                    chosen.classes.insert(kind, class);
                }
                self.of_one_kind(if taken { then } else { otherwise }, chosen)
            }
            _ => {
                let below = self.below(effect);
                let parts: Vec<EffectId> = below.into_iter().map(|part| self.of_one_kind(part, chosen)).collect();
                self.with_parts(told, &parts).unwrap_or(effect)
            }
        };
        chosen.known.insert(effect, made);
        made
    }

    /// What a question asks the class of, and whether it is which.
    fn kind_asked(&self, test: Value) -> Option<(Value, Value)> {
        match self.values.node(test) {
            Node::Apply(name, parts) if name.as_str() == DISPATCH => match **parts {
                [kind, class] => Some((kind, class)),
                _ => None,
            },
            _ => None,
        }
    }
}
