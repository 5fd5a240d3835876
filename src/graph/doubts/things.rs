//! Doubts about things that are handed over: whether what is done with them communicates depends on what they are.

use super::super::confidence::Evidence;
use super::super::descent::{contains, preorder};
use super::super::evaluate::{Engine, WRAPPERS};
use super::super::program::{Program, folder};
use super::super::witness::SplitKind;
use super::MAX_PARTS;
use crate::base::{FileId, FunctionId, Symbol};
use crate::flow::{DISPATCH, Effect, LoopKind, Node, TOO_DEEP, Value};
use crate::model::{
    BinaryOp, CompareOp, Expr, ExprId, Stmt, StmtId, each_call, each_expression, each_statement, names_in,
};

/// Classes with a method of one name from which the one that is meant can no longer be guessed.
const LARGE_FAMILY: usize = 6;

impl Evidence<'_, '_> {
    /// Whether it is only supposed that a backward pass communicates, and something else than the loss itself parts ranks, or
    /// nothing around it wraps a model.
    pub(in crate::graph) fn goes_back_by_supposition(&self) -> bool {
        let event = self.engine.effects.event(self.main);
        let asks_the_loss = || {
            let asked = self.question().map(|(model, question)| names_in(model, question));
            asked.is_some_and(|names| names.iter().any(|name| name.as_str().contains("loss")))
        };
        self.engine.marks.supposed.contains(&event.site)
            && (!asks_the_loss() || !wraps_nearby(self.engine.program, event.site.file))
    }

    /// Whether an accelerator goes back through a model in a file that makes it and has it prepare nothing: each process
    /// trains a model of its own.
    pub(in crate::graph) fn is_prepared_nowhere(&self) -> bool {
        const PREPARES: [&str; 4] = ["prepare", "prepare_model", "DistributedDataParallel", "DDP"];
        let event = self.engine.effects.event(self.main);
        let model = &self.engine.program.file(event.site.file).model;
        let mentions = |words: &[&str]| {
            model.functions.iter().any(|one| one.mentions.iter().any(|name| words.contains(&name.as_str())))
        };
        event.op.as_str() == "backward" && mentions(&["Accelerator"]) && !mentions(&PREPARES)
    }

    /// Whether what is gathered is a copy that the function has made of a model and that is prepared for no job: it is whole
    /// on every rank.
    pub(in crate::graph) fn is_of_a_whole_copy(&self) -> bool {
        let event = self.engine.effects.event(self.main);
        let Some((model, Expr::Call(call))) =
            self.engine.written_at(event.site).filter(|_| event.sharded).map(|(model, at)| (model, model.expr(at)))
        else {
            return false;
        };
        let Some(local) = self.engine.function_at(event.site) else { return false };
        let Some(&given) = model.list(model.call(call).args).first() else { return false };
        let Expr::Name(name) = model.expr(given) else { return false };
        let named = |callee: ExprId, wanted: &str| model.last_name(callee).is_some_and(|name| name.as_str() == wanted);
        let value = self.engine.program.single_assignment(event.site.file, local, name);
        let is_copy = value.is_some_and(
            |value| matches!(model.expr(value), Expr::Call(call) if named(model.call(call).callee, "deepcopy")),
        );
        let mut prepared = false;
        each_call(model, local, &mut |_, call| {
            prepared |= named(call.callee, "prepare")
                && model.list(call.args).iter().any(|&given| model.expr(given) == Expr::Name(name));
        });
        is_copy && !prepared
    }

    /// Whether it is asked for something to be there that is one thing on one rank and another on the others, and of
    /// neither the program says that it is empty: a folder that rank 0 has put together, and the one that all were given.
    pub(in crate::graph) fn is_one_thing_or_another(&self) -> bool {
        let values = &self.engine.values;
        let Some(mut asked) = self.test.filter(|_| self.decision.is_some()) else { return false };
        while let Node::Not(inner) = *values.node(asked) {
            asked = inner;
        }
        let Node::If(_, one, other) = *values.node(asked) else { return false };
        let is_put_together =
            |value: Value| is_text_or_thing(self.engine, values.stored_before(value).unwrap_or(value));
        let is_given =
            |value: Value| matches!(values.node(value), Node::Parameter(..) | Node::Index(..) | Node::Attribute(..));
        let is_there = |value: Value| is_put_together(value) || is_given(value);
        is_there(one) && is_there(other) && (is_put_together(one) || is_put_together(other))
    }

    /// Whether a tensor that is sharded has gone another way before: `full_tensor` is asked of what has no `to_local`.
    pub(in crate::graph) fn is_taken_apart_before(&self) -> bool {
        let event = self.engine.effects.event(self.main);
        let Some((model, _)) = self.engine.written_at(event.site) else { return false };
        let Some(local) = self.engine.function_at(event.site) else { return false };
        let asks = |test: ExprId| {
            let mut asks = false;
            each_expression(model, test, &mut |_, expr| {
                asks |= matches!(expr, Expr::Str(text) if text.as_str() == "to_local");
            });
            asks
        };
        let mut apart = false;
        each_statement(model, model.function(local).body, &mut |_, stmt| {
            if let Stmt::If { test, orelse, .. } = stmt {
                let holds = |&inner: &StmtId| model.stmt_span(inner).holds(event.site.span);
                apart |= model.block(*orelse).iter().any(holds) && asks(*test);
            }
        });
        event.op.as_str() == "full_tensor" && apart
    }

    /// Whether the function has put something of its own in place of what gathers a sharded model:
    /// `accelerator.get_state_dict = copy_of_it`.
    pub(in crate::graph) fn is_replaced_before(&self) -> bool {
        let event = self.engine.effects.event(self.main);
        let Some((model, _)) = self.engine.written_at(event.site).filter(|_| event.sharded) else { return false };
        let Some(local) = self.engine.function_at(event.site) else { return false };
        let is_it = |&target: &ExprId| match model.expr(target) {
            Expr::Attribute { name, .. } => name.as_str() == "get_state_dict",
            _ => false,
        };
        let mut replaced = false;
        each_statement(model, model.function(local).body, &mut |id, stmt| {
            if let Stmt::Assign { targets, .. } = stmt {
                let before = model.stmt_span(id).end <= event.site.span.start;
                replaced |= before && model.list(*targets).iter().any(is_it);
            }
        });
        replaced
    }

    /// Whether the operation is that of one class out of a family of many, of which an object is that is handed over, and
    /// most of the others issue nothing there.
    pub(in crate::graph) fn is_of_one_class_of_many(&self) -> bool {
        let engine = self.engine;
        let program = engine.program;
        // Each class is the object's own somewhere; what is handed over is of one of them.
        let is_handed = |object: Value| match engine.values.node(object) {
            Node::Parameter(function, position) => *position > 0 || program.class_of(*function).is_none(),
            _ => false,
        };
        let dispatched = |test: Value| {
            let Node::Apply(question, parts) = engine.values.node(test) else { return None };
            let [kind, class] = parts[..] else { return None };
            match (engine.values.node(kind), engine.values.node(class)) {
                (Node::Kind(object), Node::Class(class)) if question.as_str() == DISPATCH && is_handed(*object) => {
                    Some(*class)
                }
                _ => None,
            }
        };
        preorder(engine, self.root).into_iter().any(|effect| {
            let Effect::Choice { test, then, otherwise, .. } = *engine.effects.get(effect) else { return false };
            let Some(class) = dispatched(test) else { return false };
            if !contains(engine, then, self.main) || contains(engine, otherwise, self.main) {
                return false;
            }
            let called = preorder(engine, then).into_iter().find_map(|effect| match engine.effects.get(effect) {
                Effect::Call { function, .. } => Some(*function),
                _ => None,
            });
            let Some(called) = called else { return false };
            let family: Vec<FunctionId> = program
                .methods_named(engine.function_name(called))
                .iter()
                .copied()
                .filter(|&method| {
                    let other = program.class_of(method);
                    other.is_some_and(|other| {
                        program.lineage(other).iter().any(|above| program.lineage(class).contains(above))
                    })
                })
                .collect();
            let issues = |method: &FunctionId| {
                engine.known_effects(*method).is_some_and(|effects| engine.effects.summed(effects).events)
            };
            family.len() >= LARGE_FAMILY && family.iter().filter(|method| issues(method)).count() * 4 <= family.len()
        })
    }

    /// Whether a function that the way leads through issues the operation only if a thing that it is given is of some
    /// kind, or once for each of what an object holds: whoever calls it on some ranks has a thing of which that is not
    /// true, or nothing in it.
    pub(in crate::graph) fn depends_on_what_is_handed(&self) -> bool {
        let inside = self.kind != SplitKind::EarlyExit && (!self.is_opaque() || self.is_by_rank());
        let (Some(decision), Some(cause)) = (self.decision.filter(|_| inside), self.cause) else { return false };
        let engine = self.engine;
        let elsewhere = |site| !engine.same_function(decision.site, site);
        let on_the_way = preorder(engine, cause.effect);
        // Who asks whether it is sharded where models are means those that are.
        let is_for_shards = on_the_way.iter().any(|&effect| match engine.effects.get(effect) {
            Effect::Choice { test, site, then, otherwise, .. } => {
                contains(engine, *then, self.main) != contains(engine, *otherwise, self.main)
                    && engine.values.vary(*test).is_empty()
                    && asks_what_it_is(engine, *test)
                    && engine.speaks_of_shards(*site, decision.site)
            }
            _ => false,
        });
        if is_for_shards {
            return false;
        }
        on_the_way.into_iter().any(|effect| match engine.effects.get(effect) {
            Effect::Choice { test, site, then, otherwise, .. } if elsewhere(*site) => {
                let uniform = engine.values.vary(*test).is_empty();
                contains(engine, *then, self.main) != contains(engine, *otherwise, self.main)
                    && (uniform
                        && (asks_what_it_is(engine, *test)
                            || asks_a_switch(engine, *test)
                            || asks_whether_it_was_set(engine, *test, contains(engine, *then, self.main)))
                        || asks_for_a_mode(engine, *test))
            }
            Effect::Loop { kind: LoopKind::For { iter, .. }, site, body, .. } if elsewhere(*site) => {
                contains(engine, *body, self.main) && is_held(engine, *iter)
            }
            _ => false,
        })
    }
}

/// Whether the question lets in who was given nothing, where a setting is handed over: who names one has set it.
fn asks_whether_it_was_set(engine: &Engine<'_>, test: Value, then: bool) -> bool {
    match *engine.values.node(test) {
        Node::Not(inner) => asks_whether_it_was_set(engine, inner, !then),
        Node::Compare(CompareOp::Is, given, nothing) => {
            let is_setting = |value: Value| matches!(engine.values.node(value), Node::Attribute(..) | Node::Index(..));
            let of_object = |value: Value| match *engine.values.node(value) {
                Node::Attribute(of, _) | Node::Index(of, _) => is_setting(of),
                _ => false,
            };
            then && *engine.values.node(nothing) == Node::None && of_object(given)
        }
        _ => false,
    }
}

/// Whether the question is of what kind a thing is, or too deep to say of what it is.
fn asks_what_it_is(engine: &Engine<'_>, test: Value) -> bool {
    let look = |value: Value, further: &mut Vec<Value>| {
        match engine.values.node(value) {
            Node::Apply(name, _) if name.as_str() == DISPATCH => {}
            Node::Apply(_, parts) if parts.iter().any(|&part| is_kind(engine, part)) => return true,
            Node::Local(site, _) if site.file == TOO_DEEP => return true,
            Node::Not(inner) => further.push(*inner),
            Node::And(left, right) | Node::Or(left, right) => further.extend([*left, *right]),
            Node::If(test, then, otherwise) => further.extend([*test, *then, *otherwise]),
            Node::Apply(name, parts) if matches!(name.as_str(), "any" | "all") => further.extend(parts.iter()),
            Node::Mapped(_, parts) | Node::Sequence(parts) => further.extend(parts.iter()),
            _ => {}
        }
        false
    };
    engine.values.search(test, MAX_PARTS, look) == Some(true)
}

fn is_kind(engine: &Engine<'_>, value: Value) -> bool {
    matches!(engine.values.node(value), Node::Kind(_))
}

/// Whether the question is also which of several modes it is of one element that a loop takes from somewhere: of the
/// `("train", …)` or `("test", …)` that a list holds.
fn asks_for_a_mode(engine: &Engine<'_>, test: Value) -> bool {
    match *engine.values.node(test) {
        Node::And(left, right) => asks_for_a_mode(engine, left) || asks_for_a_mode(engine, right),
        Node::Compare(CompareOp::Eq, left, right) => {
            let item = |value: Value| match *engine.values.node(value) {
                Node::Item(..) => true,
                Node::Index(whole, _) => matches!(engine.values.node(whole), Node::Item(..)),
                _ => false,
            };
            let text = |value: Value| matches!(engine.values.node(value), Node::Str(_));
            engine.values.vary(test).is_empty() && (item(left) && text(right) || text(left) && item(right))
        }
        _ => false,
    }
}

/// Whether the question is of a variable of a module of the program, a switch that somebody turns.
fn asks_a_switch(engine: &Engine<'_>, test: Value) -> bool {
    let look = |value: Value, further: &mut Vec<Value>| {
        match engine.values.node(value) {
            Node::Not(inner) => further.push(*inner),
            Node::And(left, right) | Node::Or(left, right) | Node::Compare(_, left, right) => {
                further.extend([*left, *right]);
            }
            Node::If(test, then, otherwise) => further.extend([*test, *then, *otherwise]),
            _ => {}
        }
        engine.marks.switches.contains_key(&value)
    };
    engine.values.search(test, MAX_PARTS, look) == Some(true)
}

/// Whether a loop goes over what an object holds, or what was gathered in a variable: how much that is nobody has
/// shown.
fn is_held(engine: &Engine<'_>, iter: Value) -> bool {
    let mut value = iter;
    for _ in 0..MAX_PARTS {
        value = match engine.values.node(value) {
            Node::Mapped(_, parts) | Node::Apply(_, parts) if !parts.is_empty() => parts[0],
            Node::Changed(..) | Node::Carried(..) | Node::Mapping(_) => return true,
            _ => return false,
        };
    }
    false
}

/// Whether some file of the folder speaks of what wraps models, by its own name or in short.
fn wraps_nearby(program: &Program, file: FileId) -> bool {
    let home = folder(&program.file(file).path);
    let is_word = |name: &Symbol| {
        let name = name.as_str();
        WRAPPERS.contains(&name) || ["ddp", "DDP", "fsdp", "FSDP"].iter().any(|short| name.contains(short))
    };
    let speaks = |other: FileId| program.file(other).model.functions.iter().any(|one| one.mentions.iter().any(is_word));
    program.file_ids().filter(|&other| folder(&program.file(other).path) == home).any(speaks)
}

/// Whether a value is a thing, or a text that says something: no answer to a question, nor anything that may be empty.
fn is_text_or_thing(engine: &Engine<'_>, value: Value) -> bool {
    match engine.values.node(value) {
        Node::Typed(_) | Node::Instance(..) => true,
        Node::Binary(BinaryOp::Div, folder, _) => is_text_or_thing(engine, *folder),
        Node::Str(text) => !text.as_str().is_empty(),
        Node::Apply(name, _) => {
            let made = matches!(name.last_part().as_str(), "as_posix" | "join" | "format" | "strftime");
            made || engine.values.is_path(value)
        }
        _ => false,
    }
}
