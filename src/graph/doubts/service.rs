//! Doubts about services: the first rank takes in requests and hands each of them on, the others wait for that in a loop
//! of their own. Who hands on what may stand anywhere, and each side is said to go on without the other.

use rustc_hash::FxHashSet;

use super::super::blocks::function_around;
use super::super::communication::{Communication, Wanted, calls_in};
use super::super::confidence::{ANSWERED, Evidence, HAS_ROOT};
use super::super::descent::{contains, preorder};
use super::super::program::{Program, folder};
use super::super::witness::SplitKind;
use crate::base::{FileId, FunctionId, Span, Symbol};
use crate::flow::{Effect, EffectId, Event, LoopKind, Node};
use crate::model::{Block, Expr, File, LocalFunction, Stmt, each_statement, names_in};

/// Files of a folder that are looked through for such loops.
const MAX_FILES: usize = 100;

/// A loop that begins each turn with what the first rank hands on, and goes on for ever.
struct Service {
    function: FunctionId,
    /// What hands it on.
    command: Symbol,
    /// Names for what the function returns that waits for it.
    handed: Vec<Symbol>,
    /// What is called in a turn, beside that.
    called: Vec<Symbol>,
}

impl Evidence<'_, '_> {
    /// Whether it is the answer of an actor that is said to differ: as a rule one actor answers all ranks, and alike.
    pub(in crate::graph) fn is_told_by_an_actor(&self) -> bool {
        self.is_opaque() && self.birth.is_some_and(|birth| birth.reason.as_str() == ANSWERED)
    }

    /// Whether one side waits for commands, for ever: who gives them may stand anywhere, and takes its peers along. So does
    /// who scatters them, another one to each.
    pub(in crate::graph) fn follows_commands(&self) -> bool {
        let engine = self.engine;
        let main = engine.effects.event(self.main);
        let waits = |body: EffectId| {
            self.first_of_all(body).is_some_and(|first| {
                let has_root = first.root.is_some() || HAS_ROOT.contains(&first.op.as_str());
                has_root && (first.group == main.group || contains(engine, body, self.main))
            })
        };
        if self.is_opaque() {
            let Some(told) = self.birth.map(|birth| birth.site) else { return false };
            let tells = |body: EffectId| self.first_of_all(body).is_some_and(|first| first.site == told);
            return self.goes_round_for_ever(self.root, |body| waits(body) && tells(body));
        }
        self.cause.is_some_and(|cause| self.goes_round_for_ever(cause.effect, waits))
    }

    /// What a turn begins with, after a barrier or without one.
    fn first_of_all(&self, body: EffectId) -> Option<&Event> {
        let engine = self.engine;
        let mut events = preorder(engine, body).into_iter().filter_map(|effect| match engine.effects.get(effect) {
            Effect::Event(event) => Some(engine.effects.event(*event)),
            _ => None,
        });
        events.find(|event| event.op.as_str() != "barrier")
    }

    /// Whether an effect holds a loop without an end in itself, of which something holds.
    fn goes_round_for_ever(&self, effect: EffectId, holds: impl Fn(EffectId) -> bool) -> bool {
        let engine = self.engine;
        preorder(engine, effect).into_iter().any(|effect| match engine.effects.get(effect) {
            Effect::Loop { kind: LoopKind::While { test }, body, .. } => {
                *engine.values.node(*test) == Node::Bool(true) && holds(*body)
            }
            _ => false,
        })
    }

    /// Whether ranks part by their number on the way to what such a loop does, or in it by what they were handed.
    pub(in crate::graph) fn hands_on_requests(&self) -> bool {
        let engine = self.engine;
        let parts = matches!(self.kind, SplitKind::Conditional | SplitKind::EarlyExit);
        if self.is_opaque() || !parts {
            return false;
        }
        let event = engine.effects.event(self.main);
        let name = |function: FunctionId| engine.program.function(function).name;
        let class = engine.program.class_of(self.function);
        let ways: FxHashSet<Symbol> =
            self.calls.iter().map(|call| call.1).chain(std::iter::once(name(self.function))).collect();
        let near = |service: &Service| {
            let of_same_class = class.is_some() && engine.program.class_of(service.function) == class;
            match service.function == self.function {
                true => self.asks_what_was_handed(&service.handed),
                false => {
                    ways.contains(&name(service.function))
                        || service.called.iter().any(|called| ways.contains(called))
                        || of_same_class && service.command == event.op
                }
            }
        };
        let here = engine.program.locate(self.function).0;
        let decided = self.decision.map_or(here, |decision| decision.site.file);
        let mut folders: Vec<&str> = Vec::new();
        for file in [here, decided, event.site.file] {
            let folder = folder(&engine.program.file(file).path);
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        services(engine.program, &folders).iter().any(near)
    }

    /// Whether what is asked came out of a queue of which it is said that whoever finds it empty tells its peers: one rank
    /// reads it, and hands on what it finds.
    pub(in crate::graph) fn hands_on_what_it_finds(&self) -> bool {
        let Some(taken) = self.birth.filter(|birth| birth.reason.as_str().ends_with("its own queue")) else {
            return false;
        };
        let (engine, site) = (self.engine, taken.site);
        let model = &engine.program.file(site.file).model;
        let Some(local) = function_around(model, site.span) else { return false };
        let mut hands_on = false;
        each_statement(model, model.function(local).body, &mut |id, stmt| {
            if let Stmt::Try(parts) = stmt
                && model.stmt_span(id).holds(site.span)
            {
                hands_on |=
                    parts.handlers.iter().any(|handler| engine.says_that_it_is_empty(site.file, local, handler));
            }
        });
        hands_on
    }

    /// Whether the question where ranks part names what the loop was handed: what a call in it that waits for it returns.
    fn asks_what_was_handed(&self, handed: &[Symbol]) -> bool {
        let Some((model, question)) = self.question() else { return false };
        names_in(model, question).iter().any(|name| handed.contains(name))
    }
}

/// The loops of that kind in some folders.
fn services(program: &Program, folders: &[&str]) -> Vec<Service> {
    let mut communication = Communication::new(program);
    let near = |file: &FileId| folders.contains(&folder(&program.file(*file).path));
    let mut out = Vec::new();
    for file in program.file_ids().filter(near).take(MAX_FILES) {
        if !program.file(file).text.contains("while True") {
            continue;
        }
        let model = &program.file(file).model;
        for local in (0..model.functions.len() as u32).map(LocalFunction) {
            for turn in endless(model, local) {
                let issues = communication.issued_in(file, local, turn, Wanted::Collective);
                let first = issues.iter().find(|issue| issue.op.as_str() != "barrier");
                if let Some(first) = first.filter(|first| HAS_ROOT.contains(&first.op.as_str())) {
                    let through = first.calls.first().map(|call| call.0.span);
                    let called = calls_in(model, turn).into_iter();
                    let called = called.filter(|(expr, _)| Some(model.span(*expr)) != through);
                    let called = called.filter_map(|(_, call)| model.last_name(call.callee)).collect();
                    let handed = through.map_or(Vec::new(), |call| names_given(model, turn, call));
                    out.push(Service { function: program.function_id(file, local), command: first.op, handed, called });
                }
            }
        }
    }
    out
}

/// The bodies of the loops of a function that nothing ends but what they do.
fn endless(model: &File, function: LocalFunction) -> Vec<Block> {
    let mut out = Vec::new();
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Stmt::While { test, body, .. } = stmt
            && model.expr(*test) == Expr::Bool(true)
        {
            out.push(*body);
        }
    });
    out
}

/// The names that what a call returns is assigned to.
fn names_given(model: &File, block: Block, call: Span) -> Vec<Symbol> {
    let mut out = Vec::new();
    each_statement(model, block, &mut |_, stmt| {
        if let Some((targets, value)) = model.assigned(stmt)
            && model.span(value) == call
        {
            out.extend(targets.iter().flat_map(|&target| names_in(model, target)));
        }
    });
    out
}
