//! Raises at what only some ranks have found out: one rank asks for all, and raises where they wait for it.

use crate::base::{Site, Span, Symbol};
use crate::flow::{ChoiceForm, Effect, EffectId, Exit, Node, Value};
use crate::graph::evaluate::Engine;
use crate::graph::resolve::Target;
use crate::model::{Block, Expr, ExprId, File, Stmt, StmtId, blocks_of, each_expression};

use super::{MAX_PARTS, first_event};

/// Where an arm raises because of what only who comes there has worked out, in the function that the `guard` stands in. That
/// may be wrong wherever it is asked, as a setting is: who does not ask goes on all the same.
pub(super) fn found_out(engine: &Engine<'_>, arm: EffectId, guard: Guard) -> Option<Site> {
    below(engine, arm, guard, false)
}

/// What lets only some ranks come to an arm.
#[derive(Clone, Copy)]
pub(super) struct Guard {
    pub(super) test: Value,
    pub(super) site: Site,
}

/// The same, where the disk has been `asked` already on the way from the guard: whatever is asked besides, who does not come
/// here has not looked there.
fn below(engine: &Engine<'_>, arm: EffectId, guard: Guard, asked: bool) -> Option<Site> {
    let summed = engine.effects.summed(arm);
    if !summed.raises {
        return None;
    }
    match engine.effects.get(arm) {
        Effect::Seq(parts) => {
            // Who has met the peers before is no longer alone.
            let mut alone = parts.iter().take_while(|&&part| !meets_peers(engine, part, guard.test));
            alone.find_map(|&part| below(engine, part, guard, asked))
        }
        Effect::Choice { test, site, form: ChoiceForm::Statement, then, otherwise } => {
            let arms = [*then, *otherwise];
            let raised = arms.into_iter().find_map(|arm| ends_in_failure(engine, arm));
            let found = raised.filter(|&raised| {
                let found = asked && is_plain(engine, *site) || is_found(engine, *test, *site, guard.site, raised);
                found && engine.same_function(guard.site, raised)
            });
            let asked = asked || asks_the_disk(engine, *test, *site);
            found.or_else(|| arms.into_iter().find_map(|arm| below(engine, arm, guard, asked)))
        }
        Effect::Loop { body, orelse, .. } => {
            below(engine, *body, guard, asked).or_else(|| below(engine, *orelse, guard, asked))
        }
        Effect::Scope { body, .. } => below(engine, *body, guard, asked),
        Effect::Try { body, handlers, finally, .. } => {
            let open = handlers.is_empty() && !engine.effects.summed(*finally).events;
            open.then(|| below(engine, *body, guard, asked)).flatten()
        }
        _ => None,
    }
}

/// Whether all who come to the effect issue something there; who has passed the guard is let in by the same question again.
fn meets_peers(engine: &Engine<'_>, effect: EffectId, guard: Value) -> bool {
    first_event(engine, effect, None).is_some()
        || match engine.effects.get(effect) {
            Effect::Seq(parts) => parts.iter().any(|&part| meets_peers(engine, part, guard)),
            Effect::Call { body, .. } | Effect::Scope { body, .. } => meets_peers(engine, *body, guard),
            Effect::Choice { test, then, otherwise, .. } if *test == guard => {
                [*then, *otherwise].into_iter().any(|arm| meets_peers(engine, arm, guard))
            }
            _ => false,
        }
}

/// Where an arm without a word to its peers ends in a failure. What is not installed or not written yet is that for all;
/// who gives up waiting has waited for a peer.
pub(super) fn ends_in_failure(engine: &Engine<'_>, arm: EffectId) -> Option<Site> {
    let last = match engine.effects.get(arm) {
        Effect::Seq(parts) if !engine.effects.summed(arm).events => *parts.last()?,
        _ => arm,
    };
    let Effect::Exit(Exit::Raise(names), site) = engine.effects.get(last) else { return None };
    let is_no_failure_alone = |name: &Symbol| {
        matches!(name.as_str(), "ImportError" | "ModuleNotFoundError" | "NotImplementedError" | "TimeoutError")
    };
    (!names.iter().any(is_no_failure_alone)).then_some(*site)
}

/// Whether a question at `asked` is about what is this rank's own or lies on the disk, or about something that was worked
/// out between the guard and the place where it raises.
fn is_found(engine: &Engine<'_>, test: Value, asked: Site, guard: Site, raised: Site) -> bool {
    let (Some((model, question)), Some(function)) = (engine.written_at(asked), engine.function_at(asked)) else {
        return asks_the_disk(engine, test, asked);
    };
    let names = names_asked(model, question);
    if names.is_empty() {
        return false;
    }
    let mut worked_out: Vec<Symbol> = Vec::new();
    collect_worked_out(model, model.function(function).body, guard, raised, &mut worked_out);
    asks_the_disk(engine, test, asked) || names.iter().any(|name| worked_out.contains(name))
}

/// Whether a question at `asked` is about what is this rank's own or lies on the disk, or is put to a function of the
/// program that opens files.
fn asks_the_disk(engine: &Engine<'_>, test: Value, asked: Site) -> bool {
    let is_own = |part: Value| matches!(engine.values.node(part), Node::Local(..));
    if engine.values.any_part(test, MAX_PARTS, is_own) {
        return true;
    }
    let (Some((model, question)), Some(function)) = (engine.written_at(asked), engine.function_at(asked)) else {
        return false;
    };
    let opens = |callee: ExprId| match engine.program.target(asked.file, function, callee) {
        Some(Target::Function(called)) => {
            engine.program.function(called).mentions.iter().any(|name| name.as_str() == "open")
        }
        _ => false,
    };
    let mut asks = false;
    each_expression(model, question, &mut |_, expr| match expr {
        Expr::Attribute { name, .. } => asks |= looks_at_the_disk(name.as_str()),
        Expr::Call(call) => asks |= opens(model.call(call).callee),
        _ => {}
    });
    asks
}

/// Whether a question calls nobody: it asks for a setting, `if not args.overwrite`.
fn is_plain(engine: &Engine<'_>, asked: Site) -> bool {
    engine.written_at(asked).is_some_and(|(model, question)| {
        let mut calls = false;
        each_expression(model, question, &mut |_, expr| calls |= matches!(expr, Expr::Call(_)));
        !calls
    })
}

/// Methods of a path, of whatever make, that look at the disk.
fn looks_at_the_disk(method: &str) -> bool {
    matches!(method, "exists" | "is_dir" | "isdir" | "is_file" | "isfile" | "listdir" | "iterdir")
}

/// The variables that are given the result of a call on the way from the guard to the place where it raises.
fn collect_worked_out(model: &File, block: Block, guard: Site, raised: Site, out: &mut Vec<Symbol>) {
    for &id in model.block(block) {
        let at = model.stmt_span(id);
        if at.start > raised.span.start {
            return;
        }
        let holds =
            |id: StmtId| model.stmt_span(id).start <= raised.span.start && raised.span.end <= model.stmt_span(id).end;
        if holds(id) {
            // What stands in another arm is not on the way.
            let mut blocks = blocks_of(model.stmt(id)).into_iter();
            let way = blocks.find(|&block| model.block(block).iter().any(|&id| holds(id)));
            return way.into_iter().for_each(|block| collect_worked_out(model, block, guard, raised, out));
        }
        match model.stmt(id) {
            Stmt::Assign { targets, value }
                if at.start >= guard.span.end
                    && (calls_something(model, *value) || mentions_any(model, *value, out)) =>
            {
                for &target in model.list(*targets) {
                    match model.expr(target) {
                        Expr::Tuple(parts) => {
                            out.extend(model.list(parts).iter().filter_map(|&part| named(model, part)))
                        }
                        _ => out.extend(named(model, target)),
                    }
                }
            }
            Stmt::With { body, .. } => collect_worked_out(model, *body, guard, raised, out),
            _ => {}
        }
    }
}

/// Whether a question is answered by this rank's place, whatever the settings are.
pub(super) fn asks_for_place(engine: &Engine<'_>, test: Value) -> bool {
    match *engine.values.node(test) {
        Node::Not(inner) => asks_for_job(engine, inner) || asks_for_place(engine, inner),
        Node::And(left, right) => asks_for_place(engine, left) || asks_for_place(engine, right),
        Node::Or(left, right) => asks_for_place(engine, left) && asks_for_place(engine, right),
        _ => !engine.values.vary(test).is_empty(),
    }
}

/// Whether a question is answered with yes only where a job of several ranks was started.
fn asks_for_job(engine: &Engine<'_>, test: Value) -> bool {
    match engine.values.node(test) {
        Node::And(left, right) => asks_for_job(engine, *left) || asks_for_job(engine, *right),
        _ => engine.values.distributed(test) == Some(true),
    }
}

/// Calls that only look into what is there: nothing that may come out otherwise on one rank.
const LOOKING: [&str; 12] =
    ["getattr", "hasattr", "isinstance", "type", "len", "str", "int", "set", "sorted", "keys", "values", "items"];

/// What a tensor is like whatever is in it: the code fixes that, and every rank would raise.
const KINDS: [&str; 7] = ["shape", "dtype", "ndim", "numel", "size", "dim", "layout"];

fn calls_something(model: &File, value: ExprId) -> bool {
    let mut calls = false;
    each_expression(model, value, &mut |_, expr| {
        let Expr::Call(call) = expr else { return };
        let called = model.last_name(model.call(call).callee);
        calls |= !called.is_some_and(|name| LOOKING.contains(&name.as_str()));
    });
    calls
}

/// Whether an expression asks for one of the names.
fn mentions_any(model: &File, value: ExprId, names: &[Symbol]) -> bool {
    let mut mentions = false;
    each_expression(model, value, &mut |_, expr| mentions |= matches!(expr, Expr::Name(name) if names.contains(&name)));
    mentions
}

/// The names that a question asks for, but for those of which it asks no more than what kind of thing they are.
fn names_asked(model: &File, question: ExprId) -> Vec<Symbol> {
    let mut kinds: Vec<Span> = Vec::new();
    each_expression(model, question, &mut |id, expr| {
        let is_kind = match expr {
            Expr::Attribute { name, .. } => KINDS.contains(&name.as_str()),
            Expr::Call(call) => model
                .last_name(model.call(call).callee)
                .is_some_and(|name| matches!(name.as_str(), "isinstance" | "callable")),
            _ => false,
        };
        kinds.extend(is_kind.then(|| model.span(id)));
    });
    let mut names = Vec::new();
    each_expression(model, question, &mut |id, expr| match expr {
        Expr::Name(name) if !kinds.iter().any(|kind| kind.holds(model.span(id))) => names.push(name),
        _ => {}
    });
    names
}

fn named(model: &File, target: ExprId) -> Option<Symbol> {
    match model.expr(target) {
        Expr::Name(name) => Some(name),
        _ => None,
    }
}
