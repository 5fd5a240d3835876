//! Calls that were left alone, looked into where it matters.

use smallvec::SmallVec;

use crate::base::{FunctionId, Site};
use crate::flow::{Effect, EffectId, Effects, Standing, Value, standings};

use super::substitute::Substitution;
use super::{Engine, MAX_INLINE};

/// How deep pending calls are looked into, one inside the other.
const MAX_EXPANSION: u32 = 12;

impl Engine<'_> {
    /// The effect with pending calls looked into as far as `fuel` reaches: those that stand where ranks may have parted,
    /// or all of them when `everywhere`. What every rank calls alike needs no look.
    pub fn looked_through(&mut self, effect: EffectId, mut fuel: u32, everywhere: bool) -> EffectId {
        self.budget = super::substitute::MAX_STEPS;
        let standing = if everywhere { Standing::Parted } else { Standing::Together };
        self.expanded(effect, standing, &mut fuel)
    }

    fn expanded(&mut self, effect: EffectId, standing: Standing, fuel: &mut u32) -> EffectId {
        let summed = self.effects.summed(effect);
        if !summed.pending || (standing == Standing::Together && summed.varies.is_empty()) {
            return effect;
        }
        let parts: SmallVec<[EffectId; 4]> = standings(&self.effects, &self.values, effect, standing)
            .into_iter()
            .map(|(part, standing)| self.expanded(part, standing, fuel))
            .collect();
        match self.effects.get(effect).clone() {
            Effect::Pending { function, site, args } => self.looked_into(function, site, &args, standing, fuel),
            whole => self.with_parts(whole, &parts).unwrap_or(effect),
        }
    }

    /// What a pending call issues.
    pub(super) fn looked_into(
        &mut self,
        function: FunctionId,
        site: Site,
        args: &[Value],
        standing: Standing,
        fuel: &mut u32,
    ) -> EffectId {
        if *fuel == 0 || self.nesting >= MAX_EXPANSION {
            return Effects::NOTHING;
        }
        *fuel -= 1;
        let key = (function, Box::<[Value]>::from(args), standing == Standing::Parted);
        let body = match self.looked.get(&key) {
            Some(&known) => {
                self.births.asks(super::births::Asked::Function(function));
                known
            }
            None => {
                let Some(summary) = self.summary(function) else { return Effects::NOTHING };
                self.looked.insert(key.clone(), Effects::NOTHING);
                let mut substitution = Substitution::default();
                substitution.parameters(function, args);
                if let Some(&receiver) = args.first() {
                    substitution.given(self.made_with(receiver));
                }
                self.nesting += 1;
                let body = self.on_behalf_of(function, |engine| {
                    let body = engine.replaced_effect(summary.effects, &mut substitution);
                    engine.expanded(body, standing, fuel)
                });
                self.nesting -= 1;
                self.looked.insert(key, body);
                body
            }
        };
        let body = match self.effects.summed(body).weight > MAX_INLINE {
            true => self.condensed(body, function),
            false => body,
        };
        if self.effects.summed(body).weight > MAX_INLINE {
            return self.abbreviated_at(body, function, site);
        }
        self.effects.make(Effect::Call { function, site, body }, &self.values)
    }
}
