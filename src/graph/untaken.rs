//! Exits that nobody takes: behind a switch that nobody turns, or in the arm of the rank that stays.
//!
//! An attribute that the program sets to `False`, and nowhere to anything else, is left for those who take the program further.

use rustc_hash::FxHashSet;

use crate::base::{FileId, Symbol};
use crate::flow::{Decided, Effect, EffectId, Exit, Node, Truth, Value};

use super::blame::preorder;
use super::confidence::Evidence;
use super::program::Program;
use super::witness::SplitKind;

/// What sets an attribute by its name.
const SETTERS: [&str; 2] = ["setattr", "__dict__"];

impl Evidence<'_, '_> {
    /// Whether the arm of the rank that is said to leave has no exit: it is another arm, or another question, that parts them.
    pub(super) fn nobody_leaves_there(&self) -> bool {
        let engine = self.engine;
        let (Some(cause), Some(Decided::Truth(Truth::Known(answer)))) = (self.cause, self.issuer) else { return false };
        let Effect::Choice { then, otherwise, .. } = *engine.effects.get(cause.effect) else { return false };
        let leaving = if answer { otherwise } else { then };
        let leaves = |effect: EffectId| matches!(engine.effects.get(effect), Effect::Exit(..));
        self.kind == SplitKind::EarlyExit && !preorder(engine, leaving).into_iter().any(leaves)
    }

    /// Whether ranks come to what parts them only where a switch is on that nobody turns on.
    pub(super) fn hangs_on_a_switch_nobody_turns(&self) -> bool {
        let Some(cause) = self.cause else { return false };
        let matters = |effect: &Effect| match (self.kind, effect) {
            (SplitKind::EarlyExit, Effect::Exit(exit, _)) => {
                matches!(exit, Exit::Return | Exit::Break | Exit::Continue)
            }
            (SplitKind::Conditional | SplitKind::GroupCreation, Effect::Event(event)) => *event == self.main,
            _ => false,
        };
        let (mut off, mut on) = (false, false);
        let mut seen = FxHashSet::default();
        let mut pending = vec![(cause.effect, false)];
        while let Some((effect, dead)) = pending.pop() {
            if !seen.insert((effect, dead)) {
                continue;
            }
            let found = self.engine.effects.get(effect);
            if matters(found) {
                *(if dead { &mut off } else { &mut on }) = true;
            }
            match *found {
                Effect::Choice { test, then, otherwise, .. } => {
                    pending.extend([(then, dead || self.is_never_on(test)), (otherwise, dead)]);
                }
                _ => pending.extend(self.engine.below(effect).into_iter().map(|below| (below, dead))),
            }
        }
        off && !on
    }

    fn is_never_on(&self, test: Value) -> bool {
        match *self.engine.values.node(test) {
            Node::And(left, right) => self.is_never_on(left) || self.is_never_on(right),
            Node::Attribute(_, name) => {
                let (file, _) = self.engine.program.locate(self.function);
                is_set_to_false_only(self.engine.program, file, name)
            }
            _ => false,
        }
    }
}

/// Whether the files around one set an attribute of this name, and always to `False`.
fn is_set_to_false_only(program: &Program, around: FileId, name: Symbol) -> bool {
    let mut set = false;
    for file in program.file_ids().filter(|&file| program.same_tree(file, around)) {
        let text = &*program.file(file).text;
        for (at, _) in text.match_indices(name.as_str()) {
            let before = text[..at].chars().next_back();
            let after = text[at + name.as_str().len()..].trim_start_matches(' ');
            let value = after.strip_prefix('=').filter(|value| !value.starts_with('=')).map(str::trim_start);
            match (before, value) {
                (Some('.'), Some(value)) if value.starts_with("False") => set = true,
                // Another value; a name of the class, a keyword, a text by which it is set.
                (Some('.'), Some(_)) => return false,
                (Some('"' | '\''), _) if SETTERS.iter().any(|setter| text.contains(setter)) => return false,
                (Some(before), Some(_)) if !is_of_a_name(before) => return false,
                _ => {}
            }
        }
    }
    set
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
