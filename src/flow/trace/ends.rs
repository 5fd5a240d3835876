//! How an effect can end.

use super::*;

/// How an effect can end, with an event issued before and without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    silent: u8,
    issued: u8,
}

impl Ends {
    const FALLS: u8 = 1;
    const BREAKS: u8 = 2;
    const CONTINUES: u8 = 4;
    const RETURNS: u8 = 8;
    const RAISES: u8 = 16;

    fn bit(exit: &Exit) -> u8 {
        match exit {
            Exit::Return => Ends::RETURNS,
            Exit::Break => Ends::BREAKS,
            Exit::Continue => Ends::CONTINUES,
            Exit::Raise(_) => Ends::RAISES,
            Exit::Abort | Exit::Done => 0,
        }
    }

    pub(super) fn of(effects: &Effects, effect: EffectId) -> Ends {
        let summed = effects.summed(effect);
        let falls = Ends { silent: Ends::FALLS, issued: 0 };
        if summed.silent() && !summed.exits {
            return falls;
        }
        match effects.get(effect) {
            Effect::Nothing | Effect::Hole | Effect::Invoke { .. } | Effect::Pending { .. } => falls,
            Effect::Event(_) => Ends { silent: 0, issued: Ends::FALLS },
            Effect::Seq(parts) => parts.iter().fold(falls, |before, &part| before.then(Ends::of(effects, part))),
            Effect::Choice { then, otherwise, .. } => Ends::of(effects, *then) | Ends::of(effects, *otherwise),
            Effect::Loop { body, orelse, .. } => {
                let turn = Ends::of(effects, *body).caught(Ends::BREAKS | Ends::CONTINUES, falls);
                (falls | turn).then(Ends::of(effects, *orelse))
            }
            Effect::Exit(exit, _) => Ends { silent: Ends::bit(exit), issued: 0 },
            Effect::Try { body, handlers, orelse, finally } => {
                let body = Ends::of(effects, *body);
                let handled = handlers
                    .iter()
                    .map(|handler| Ends::of(effects, handler.body))
                    .fold(Ends::default(), |sum, handler| sum | handler);
                let rest = body.then(Ends::of(effects, *orelse));
                let whole = if handlers.is_empty() { rest } else { rest.caught(Ends::RAISES, handled) };
                match *finally {
                    Effects::NOTHING => whole,
                    finally => {
                        let last = Ends::of(effects, finally);
                        Ends { silent: if last.silent == 0 { 0 } else { whole.silent }, issued: whole.issued }
                            | Ends { silent: 0, issued: if last.issued == 0 { 0 } else { whole.silent } }
                    }
                }
            }
            Effect::Scope { manager, body } => Ends::of(effects, *manager).then(Ends::of(effects, *body)),
            Effect::Call { body, .. } => {
                Ends::of(effects, *body).caught(Ends::BREAKS | Ends::CONTINUES | Ends::RETURNS, falls)
            }
        }
    }

    /// One after the other.
    pub(super) fn then(self, next: Ends) -> Ends {
        self.caught(Ends::FALLS, next)
    }

    /// What ends in one of these ways goes on so.
    pub(super) fn caught(self, ways: u8, next: Ends) -> Ends {
        let mut out = Ends { silent: self.silent & !ways, issued: self.issued & !ways };
        if self.silent & ways != 0 {
            out = out | next;
        }
        if self.issued & ways != 0 {
            out.issued |= next.silent | next.issued;
        }
        out
    }

    pub(super) fn has(self, issued: bool, exit: Exit) -> bool {
        (if issued { self.issued } else { self.silent }) & Ends::bit(&exit) != 0
    }

    pub(super) fn goes_round_with_events(self) -> bool {
        self.issued & (Ends::FALLS | Ends::CONTINUES) != 0
    }
}

impl std::ops::BitOr for Ends {
    type Output = Ends;

    fn bitor(self, other: Ends) -> Ends {
        Ends { silent: self.silent | other.silent, issued: self.issued | other.issued }
    }
}

/// Calls `visit` for every part of an effect, in order.
pub(super) fn each_part(effect: &Effect, mut visit: impl FnMut(EffectId)) {
    match effect {
        Effect::Seq(parts) => parts.iter().copied().for_each(visit),
        Effect::Choice { then, otherwise, .. } => [*then, *otherwise].into_iter().for_each(visit),
        Effect::Loop { body, orelse, .. } => [*body, *orelse].into_iter().for_each(visit),
        Effect::Try { body, handlers, orelse, finally } => {
            visit(*body);
            handlers.iter().for_each(|handler| visit(handler.body));
            visit(*orelse);
            visit(*finally);
        }
        Effect::Scope { manager, body } => [*manager, *body].into_iter().for_each(visit),
        Effect::Call { body, .. } => visit(*body),
        Effect::Nothing
        | Effect::Event(_)
        | Effect::Exit(..)
        | Effect::Hole
        | Effect::Invoke { .. }
        | Effect::Pending { .. } => {}
    }
}
