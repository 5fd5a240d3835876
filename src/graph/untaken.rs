//! Exits that nobody takes: behind a switch that nobody turns, or in the arm of the rank that stays.
//!
//! An attribute that the program sets to `False`, and nowhere to anything else, is left for those who take the program further;
//! so is a parameter that every call in the program leaves at its default.

use rustc_hash::FxHashSet;

use crate::base::{Site, Symbol};
use crate::flow::{Decided, Effect, EffectId, Exit, Truth};
use crate::model::{Expr, ExprId, UnaryOp};

use super::confidence::Evidence;
use super::defaults::always;
use super::evaluate::Engine;
use super::program::Program;
use super::witness::SplitKind;

/// Effects that are looked at.
const MAX_EFFECTS: usize = 4000;

/// What sets an attribute by its name.
const SETTERS: [&str; 2] = ["setattr", "__dict__"];

impl Evidence<'_, '_> {
    /// Whether the arm of the rank that is said to leave has no exit, nor the other one a plain one: it is another question
    /// that parts them.
    pub(super) fn nobody_leaves_there(&self) -> bool {
        let engine = self.engine;
        let (Some(cause), Some(Decided::Truth(Truth::Known(answer)))) = (self.cause, self.issuer) else { return false };
        let Effect::Choice { then, otherwise, .. } = *engine.effects.get(cause.effect) else { return false };
        let (leaving, staying) = if answer { (otherwise, then) } else { (then, otherwise) };
        let ways = |arm: EffectId| ways_out(engine, arm, &|_| false).into_iter();
        self.kind == SplitKind::EarlyExit && ways(leaving).next().is_none() && ways(staying).all(|way| way.in_call)
    }

    /// Whether a rank leaves only by failing: whether it ever does is another question than whether it may.
    pub(super) fn leaves_by_failing(&self) -> bool {
        let engine = self.engine;
        let Some(cause) = self.cause.filter(|_| self.kind == SplitKind::EarlyExit) else { return false };
        let fails = |way: &Way| matches!(engine.effects.get(way.end), Effect::Exit(Exit::Raise(_) | Exit::Abort, _));
        let ways = ways_out(engine, cause.effect, &|_| false);
        !ways.is_empty() && ways.iter().all(fails)
    }

    /// Whether ranks come to what parts them only where a switch is turned that nobody turns.
    pub(super) fn hangs_on_a_switch_nobody_turns(&self) -> bool {
        let Some(cause) = self.cause else { return false };
        let is_main = |effect: &Effect| {
            let conditional = matches!(self.kind, SplitKind::Conditional | SplitKind::GroupCreation);
            conditional && matches!(effect, Effect::Event(event) if *event == self.main)
        };
        let ways = ways_out(self.engine, cause.effect, &is_main);
        let matters = |effect: EffectId| match self.engine.effects.get(effect) {
            Effect::Exit(exit, _) => {
                self.kind == SplitKind::EarlyExit && matches!(exit, Exit::Return | Exit::Break | Exit::Continue)
            }
            _ => true,
        };
        let mut ways = ways.into_iter().filter(|way| matters(way.end)).peekable();
        let is_closed = |way: Way| way.behind.into_iter().any(|(site, holds)| self.is_never(site, holds));
        ways.peek().is_some() && ways.all(is_closed)
    }

    /// Whether a condition, as it is written, never comes out so: switches decide it that nobody turns.
    fn is_never(&self, condition: Site, holds: bool) -> bool {
        let Some((model, expr)) = self.engine.written_at(condition) else { return false };
        let is_settled = |expr: ExprId| match model.expr(expr) {
            Expr::Attribute { name, .. } => {
                let mut known = self.engine.memo.untouched.borrow_mut();
                known.entry(name).or_insert_with(|| is_set_to_false_only(self.engine.program, name)).then_some(false)
            }
            Expr::Name(name) => {
                let function = self.engine.function_at(condition)?;
                always(self.engine.program, condition.file, function, name)
            }
            _ => None,
        };
        match model.expr(expr) {
            Expr::And(parts) if holds => model.list(parts).iter().any(|&part| is_settled(part) == Some(false)),
            Expr::Or(parts) if !holds => model.list(parts).iter().any(|&part| is_settled(part) == Some(true)),
            Expr::Unary(UnaryOp::Not, inner) => is_settled(inner) == Some(holds),
            _ => is_settled(expr) == Some(!holds),
        }
    }
}

/// A way out of an effect, or to what is looked for in it.
pub(super) struct Way {
    pub(super) end: EffectId,
    /// Whether it ends in a call.
    in_call: bool,
    /// How conditions have to come out on it.
    behind: Vec<(Site, bool)>,
}

/// The ways out of an effect, and to what is wanted in it. A return in a call only ends that, and what ends a turn is the
/// business of its loop.
pub(super) fn ways_out(engine: &Engine<'_>, effect: EffectId, wanted: &dyn Fn(&Effect) -> bool) -> Vec<Way> {
    let mut out = Vec::new();
    let mut seen = FxHashSet::default();
    let mut pending = vec![(effect, false, false, Vec::new())];
    while let Some((effect, in_call, in_loop, behind)) = pending.pop() {
        if !seen.insert((effect, in_call, in_loop, behind.len())) || seen.len() > MAX_EFFECTS {
            continue;
        }
        let found = engine.effects.get(effect);
        let leaves = match found {
            Effect::Exit(Exit::Return, _) => !in_call,
            Effect::Exit(Exit::Break | Exit::Continue, _) => !in_loop && !in_call,
            Effect::Exit(..) => true,
            _ => wanted(found),
        };
        if leaves {
            out.push(Way { end: effect, in_call, behind: behind.clone() });
        }
        match *found {
            Effect::Choice { site, then, otherwise, .. } => {
                let with = |holds: bool| [&behind[..], &[(site, holds)]].concat();
                pending.extend([(then, in_call, in_loop, with(true)), (otherwise, in_call, in_loop, with(false))]);
            }
            Effect::Loop { body, orelse, .. } => {
                pending.extend([(body, in_call, true, behind.clone()), (orelse, in_call, in_loop, behind)]);
            }
            Effect::Call { body, .. } => pending.push((body, true, false, behind)),
            Effect::Seq(ref parts) => {
                let mut behind = behind;
                for &part in parts {
                    pending.push((part, in_call, in_loop, behind.clone()));
                    // Whoever comes by here has not taken an arm that leaves.
                    if let Effect::Choice { site, then, otherwise, .. } = *engine.effects.get(part) {
                        let stays =
                            |arm: EffectId, holds: bool| leaves_at_its_end(engine, arm).then_some((site, !holds));
                        behind.extend(stays(then, true).or_else(|| stays(otherwise, false)));
                    }
                }
            }
            _ => {
                let below = engine.below(effect).into_iter();
                pending.extend(below.map(|below| (below, in_call, in_loop, behind.clone())));
            }
        }
    }
    out
}

/// Whether the last thing an effect does is to leave.
fn leaves_at_its_end(engine: &Engine<'_>, effect: EffectId) -> bool {
    match engine.effects.get(effect) {
        Effect::Exit(..) => true,
        Effect::Seq(parts) => parts.last().is_some_and(|&last| matches!(engine.effects.get(last), Effect::Exit(..))),
        _ => false,
    }
}

/// Whether the program sets an attribute of this name, and always to `False`.
fn is_set_to_false_only(program: &Program, name: Symbol) -> bool {
    let mut set = false;
    let finder = memchr::memmem::Finder::new(name.as_str());
    for file in program.file_ids() {
        let text = &*program.file(file).text;
        for at in finder.find_iter(text.as_bytes()) {
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
