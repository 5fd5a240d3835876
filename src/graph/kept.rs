//! Answers that were kept or lie there: caches, functions whose results are kept, files and folders that were given.

use crate::base::{FunctionId, Site, Symbol};
use crate::flow::{Effect, EffectId, LoopKind, Node, Value};
use crate::model::{CompareOp, Expr, ExprId, File, LocalFunction, each_expression, each_statement};

use super::confidence::Evidence;
use super::descent::{contains, preorder};
use super::evaluate::Engine;
use super::witness::SplitKind;

/// Parts of a list of members that are looked at.
const MAX_PARTS: usize = 400;

impl Evidence<'_, '_> {
    /// Whether the question is whether something lies in a cache: those are filled on every rank, at the same call.
    pub(super) fn asks_a_cache(&self) -> bool {
        let Some((model, question)) = self.question() else { return false };
        let mut asks = false;
        each_expression(model, question, &mut |_, expr| {
            let asked = match expr {
                Expr::Compare(CompareOp::In | CompareOp::NotIn, _, container) => container,
                Expr::Compare(_, cached, _) => cached,
                _ => return,
            };
            if let Expr::Name(name) | Expr::Attribute { name, .. } = model.expr(asked) {
                asks |= name.as_str().to_ascii_lowercase().contains("cache");
            }
        });
        asks
    }

    /// Whether ranks part by their number in front of a function whose results are kept and that is called elsewhere in the
    /// file: where all have asked it the same there, it issues nothing here.
    pub(super) fn goes_through_a_cache(&self) -> bool {
        let engine = self.engine;
        let Some((cause, decision)) = self.cause.zip(self.decision).filter(|_| !self.is_opaque()) else { return false };
        let model = &engine.program.file(decision.site.file).model;
        let is_kept =
            |function: FunctionId| engine.is_cached(function) && calls_of(model, engine.function_name(function)) > 1;
        preorder(engine, cause.effect).into_iter().any(|effect| match engine.effects.get(effect) {
            Effect::Call { function, body, .. } => is_kept(*function) && contains(engine, *body, self.main),
            _ => false,
        })
    }

    /// Whether ranks ask for a group by its members, each for its own, and who makes it looks first whether it is kept under
    /// these, and has been asked by others before: where all have asked for all groups there, nobody makes one here.
    pub(super) fn asks_for_a_kept_group(&self) -> bool {
        let engine = self.engine;
        if self.kind != SplitKind::GroupCreation {
            return false;
        }
        let asked_before = self.is_asked_for_in_turn();
        // What its maker asks besides has been asked for every group then.
        let main = engine.effects.event(self.main).site;
        if self.decision.is_some_and(|decision| !asked_before || !engine.same_function(decision.site, main)) {
            return false;
        }
        let looks = |site: Site| {
            let Some((model, question)) = engine.written_at(site) else { return false };
            let sought = looks_up(model, question, engine.function_at(site));
            let maker = engine
                .function_at(site)
                .map(|local| engine.function_name(engine.program.function_id(site.file, local)));
            sought && (asked_before || maker.is_some_and(|maker| calls_of(model, maker) > 1))
        };
        preorder(engine, self.root).into_iter().any(|effect| match engine.effects.get(effect) {
            Effect::Choice { test, site, .. } => {
                contains(engine, effect, self.main) && looks(*site) && !asks_for_rank(engine, *test)
            }
            _ => false,
        })
    }

    /// Whether ranks ask for the very group that is made then, one of several that are dealt out to all ranks of the job in a
    /// loop over as many as it has: once that is done each has one, and before it none has.
    pub(super) fn asks_for_what_is_dealt_out(&self) -> bool {
        let engine = self.engine;
        let Some(test) = self.test.filter(|_| self.kind == SplitKind::GroupCreation) else { return false };
        let made_at = engine.effects.event(self.main).site;
        let is_it = |part: Value| matches!(engine.values.node(part), Node::MadeGroup(site, _) if *site == made_at);
        let counts = |part: Value| matches!(engine.values.node(part), Node::Size(_));
        let in_a_loop = |effect: EffectId| match engine.effects.get(effect) {
            Effect::Loop { kind: LoopKind::For { iter, .. }, body, .. } => {
                engine.values.any_part(*iter, MAX_PARTS, counts) && contains(engine, *body, self.main)
            }
            _ => false,
        };
        engine.values.any_part(test, MAX_PARTS, is_it) && preorder(engine, self.root).into_iter().any(in_a_loop)
    }

    /// Whether a loop before it, the same for all ranks, asks for a group in each of its turns, for another one in each.
    fn is_asked_for_in_turn(&self) -> bool {
        let engine = self.engine;
        let site = engine.effects.event(self.main).site;
        let here = preorder(engine, self.root);
        let comes_before = |&&effect: &&EffectId| *engine.effects.get(effect) != Effect::Event(self.main);
        here.iter().take_while(comes_before).any(|&effect| {
            let Effect::Loop { kind: LoopKind::For { iter, item }, body, .. } = *engine.effects.get(effect) else {
                return false;
            };
            let of_turn = |members: Value| {
                engine.values.vary(members).is_empty()
                    && engine.values.any_part(members, MAX_PARTS, |part| part == item)
            };
            engine.values.vary(iter).is_empty()
                && preorder(engine, body).into_iter().any(|below| match engine.effects.get(below) {
                    Effect::Event(event) if *event != self.main => {
                        let event = engine.effects.event(*event);
                        event.site == site && event.members.is_some_and(of_turn)
                    }
                    _ => false,
                })
        })
    }

    /// Whether the question is whether a path is a file or a folder: what somebody was given, not what a rank has left
    /// there for its peers.
    pub(super) fn asks_for_kind_of_file(&self) -> bool {
        let Some(born) = self.born_outside().filter(|_| self.is_opaque()) else { return false };
        let told = |(model, expr): (&File, ExprId)| {
            let Expr::Call(call) = model.expr(expr) else { return false };
            let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(model.call(call).callee) else {
                return false;
            };
            matches!(name.as_str(), "isdir" | "is_dir" | "isfile" | "is_file")
        };
        // Whoever makes it where it is not there asks whether somebody else has.
        let makes = |(model, question): (&File, ExprId)| {
            matches!(model.expr(question), Expr::Unary(crate::model::UnaryOp::Not, _))
        };
        self.engine.written_at(born).is_some_and(told)
            && !self.question().is_some_and(makes)
            && !self.is_made_meanwhile()
    }
}

/// Whether a question is whether this rank is one of several.
fn asks_for_rank(engine: &Engine<'_>, test: Value) -> bool {
    match *engine.values.node(test) {
        Node::Not(inner) => asks_for_rank(engine, inner),
        Node::Compare(CompareOp::In | CompareOp::NotIn, one, _) => matches!(engine.values.node(one), Node::Rank(_)),
        _ => false,
    }
}

/// Whether a question is whether something is in a mapping: `key not in kept`, or `found is None` of what it was asked for.
fn looks_up(model: &File, question: ExprId, function: Option<LocalFunction>) -> bool {
    let asked_for = |name: Symbol| {
        let mut asked = false;
        let body = function.map(|function| model.function(function).body);
        body.into_iter().for_each(|body| {
            each_statement(model, body, &mut |_, stmt| {
                let Some((targets, value)) = model.assigned(stmt) else { return };
                let Expr::Call(call) = model.expr(value) else { return };
                let gets = matches!(model.expr(model.call(call).callee), Expr::Attribute { name, .. } if name.as_str() == "get");
                asked |= gets && targets.iter().any(|&target| model.expr(target) == Expr::Name(name));
            });
        });
        asked
    };
    match model.expr(question) {
        Expr::Compare(CompareOp::In | CompareOp::NotIn, ..) => true,
        Expr::Compare(CompareOp::Is, found, none) => {
            matches!(model.expr(found), Expr::Name(name) if model.expr(none) == Expr::None && asked_for(name))
        }
        _ => false,
    }
}

/// How many calls of a function of that name a file holds.
fn calls_of(model: &File, name: Symbol) -> usize {
    let callees = model.functions.iter().flat_map(|function| &function.callees);
    callees.filter(|callee| model.last_name(callee.expr) == Some(name)).count()
}
