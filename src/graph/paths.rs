//! Places on the disk that every rank names by itself, though all save there together: with the time, a name of its own,
//! or how many there are already.

use rustc_hash::FxHashSet;

use crate::base::{FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::flow::{Effect, EffectId, Node, Value};
use crate::model::{Expr, each_expression, each_statement, expressions_of};

use super::evaluate::Engine;
use super::resolve::Target;

/// Calls looked into, and parts of a name looked at.
const MAX_LOOKS: u32 = 24;

/// How far a place is followed to what it is made of.
const MAX_PARTS: usize = 64;

/// An operation of all ranks on a file or folder that each of them names by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnagreedPath {
    /// The function in whose terms it was found.
    pub function: FunctionId,
    /// The operation.
    pub op: Symbol,
    /// Where it is issued, or the call that hands it the name.
    pub site: Site,
    /// Where the part of the name was born that is each rank's own, and why it is.
    pub origin: (Site, Symbol),
    /// Where the function calls the one in which that is.
    pub named_in: Option<Site>,
    /// How sure.
    pub confidence: Confidence,
}

/// What has been looked at already.
#[derive(Default)]
pub(super) struct UnagreedPaths {
    seen: FxHashSet<EffectId>,
    /// Operations that were reported, with what goes into the name.
    told: FxHashSet<(Site, Value)>,
}

impl UnagreedPaths {
    /// Collects them from what a function issues. Callees come before their callers: what a caller hands down is found at
    /// its call.
    pub(super) fn collect(
        &mut self,
        engine: &mut Engine<'_>,
        function: FunctionId,
        root: EffectId,
        out: &mut Vec<UnagreedPath>,
    ) {
        if engine.marks.clocks.is_empty() && engine.marks.own_names.is_empty() && engine.marks.disks.is_empty() {
            return;
        }
        // Effects, with the outermost call around them.
        let mut pending: Vec<(EffectId, Option<Site>)> = vec![(root, None)];
        while let Some((effect, call)) = pending.pop() {
            if !engine.effects.summed(effect).events || !self.seen.insert(effect) {
                continue;
            }
            match engine.effects.get(effect) {
                Effect::Event(event) => {
                    let event = engine.effects.event(*event);
                    let Some(origin) = event.place.and_then(|place| named_by(engine, place)) else { continue };
                    let site = call.unwrap_or(event.site);
                    let Some(birth) = engine.birth(origin, function, Some(site)) else { continue };
                    // Who only counts finds the same as the others, as long as nobody makes anything.
                    if engine.marks.disks.contains(&origin) && !makes_folders(engine, birth.function) {
                        continue;
                    }
                    if !self.told.insert((event.site, origin)) {
                        continue;
                    }
                    let sure = event.confidence.min(birth.confidence).min(Confidence::Medium);
                    let confidence = if engine.is_test(function) { Confidence::Low } else { sure };
                    let (op, origin) = (event.op, (birth.site, birth.reason));
                    let named_in = (birth.function != function).then(|| call_of(engine, function, birth.function));
                    out.push(UnagreedPath { function, op, site, origin, named_in: named_in.flatten(), confidence });
                }
                // Where some ranks come alone they need no common name.
                Effect::Choice { test, .. } if !engine.values.vary(*test).is_empty() => {}
                // Nothing else asks for a look into this call: a name that goes down does.
                Effect::Pending { site, args, .. } => {
                    let site = *site;
                    if args.iter().all(|&given| named_by(engine, given).is_none()) {
                        continue;
                    }
                    let body = engine.looked_through(effect, MAX_LOOKS, true);
                    if body != effect {
                        pending.push((body, call.or(Some(site))));
                    }
                }
                Effect::Call { site, body, .. } => pending.push((*body, call.or(Some(*site)))),
                _ => pending.extend(engine.below(effect).into_iter().rev().map(|below| (below, call))),
            }
        }
    }
}

/// Whether a function makes a folder, by the names in it.
fn makes_folders(engine: &Engine<'_>, function: FunctionId) -> bool {
    engine.program.function(function).mentions.iter().any(|name| matches!(name.as_str(), "makedirs" | "mkdir"))
}

/// Where a function calls another one.
fn call_of(engine: &Engine<'_>, function: FunctionId, called: FunctionId) -> Option<Site> {
    let program = engine.program;
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let mut found = None;
    each_statement(model, model.function(local).body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |expr, part| {
                if let Expr::Call(call) = part
                    && found.is_none()
                    && program.target(file, local, model.call(call).callee) == Some(Target::Function(called))
                {
                    found = Some(Site { file, span: model.span(expr) });
                }
            });
        }
    });
    found
}

/// What in a name is each rank's own: a time, a name that nobody else gets, a number of things that were found.
fn named_by(engine: &Engine<'_>, place: Value) -> Option<Value> {
    let values = &engine.values;
    let mut found = None;
    values.search(place, MAX_PARTS, |part, further| {
        if values.vary(part).is_empty() {
            return false;
        }
        match values.node(part) {
            Node::Local(..) if engine.marks.clocks.contains(&part) || engine.marks.own_names.contains(&part) => {
                found = Some(part)
            }
            Node::Length(counted) => {
                found = found.or_else(|| leaf_of(engine, *counted).filter(|leaf| engine.marks.disks.contains(leaf)));
            }
            Node::Apply(name, parts) if !(is_format(name.as_str()) && of_days(engine, parts)) => further.extend(parts),
            Node::Binary(_, left, right) => further.extend([*left, *right]),
            // Whom a question about the rank has name it names it for itself: the others have no name for it.
            Node::If(test, then, otherwise)
                if !values.vary(*test).is_empty() && (values.is_absent(*then) || values.is_absent(*otherwise)) => {}
            Node::If(_, then, otherwise) => further.extend([*then, *otherwise]),
            Node::Attribute(whole, _) | Node::Index(whole, _) => further.push(*whole),
            Node::Sequence(parts) | Node::Mapped(_, parts) | Node::Invoked(_, parts) => further.extend(parts),
            Node::Carried(_, _, parts) => further.extend(parts.first()),
            _ => {}
        }
        found.is_some()
    });
    found
}

/// The fact of the outside world that something was made of, from its first part to its first part.
fn leaf_of(engine: &Engine<'_>, mut value: Value) -> Option<Value> {
    for _ in 0..MAX_PARTS {
        value = match engine.values.node(value) {
            Node::Local(..) => return Some(value),
            Node::Apply(_, parts) | Node::Mapped(_, parts) | Node::Changed(_, parts) | Node::Carried(_, _, parts) => {
                *parts.first()?
            }
            Node::Attribute(whole, _) | Node::Index(whole, _) => *whole,
            _ => return None,
        };
    }
    None
}

/// Whether a function writes a time as it is told.
fn is_format(name: &str) -> bool {
    name.rsplit('.').next() == Some("strftime")
}

/// Whether a time is written with nothing smaller than a day: ranks that start together write the same.
fn of_days(engine: &Engine<'_>, parts: &[Value]) -> bool {
    let smaller = ["%H", "%I", "%M", "%S", "%f", "%s", "%X", "%c", "%T", "%R", "%r"];
    parts.iter().any(|&part| match engine.values.node(part) {
        Node::Str(format) => {
            let format = format.as_str();
            format.contains('%') && !smaller.iter().any(|code| format.contains(code))
        }
        _ => false,
    })
}
