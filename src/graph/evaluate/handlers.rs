//! `try`: what its body may raise, and which handler takes it.

use super::super::resolve::Target;
use super::branch::Changes;
use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::flow::{Effect, HandlerEffect, Node, Value};
use crate::model::{Expr, ExprId, Handler, Stmt, Try};

impl<'p> Engine<'p> {
    /// The iterator whose end `try: x = next(it)` / `except StopIteration:` asks for.
    fn exhaustible(&mut self, frame: &mut Frame<'p>, parts: &'p Try) -> Option<(Value, Span)> {
        let model = frame.model;
        let [handler] = &parts.handlers[..] else { return None };
        let Expr::Name(kind) = model.expr(handler.kind?) else { return None };
        if kind.as_str() != "StopIteration" || !parts.orelse.is_empty() || !parts.finally.is_empty() {
            return None;
        }
        let first = *model.block(parts.body).first()?;
        let (Stmt::Assign { value, .. } | Stmt::Expr(value) | Stmt::Return(Some(value))) = model.stmt(first) else {
            return None;
        };
        let Expr::Call(call) = model.expr(*value) else { return None };
        let call = model.call(call);
        if model.expr(call.callee) != Expr::Name(Symbol::new("next")) {
            return None;
        }
        let [iterator] = model.list(call.args) else { return None };
        let value = self.expression(frame, *iterator);
        Some((self.counted(frame, value), model.span(*iterator)))
    }

    pub(super) fn protected(&mut self, frame: &mut Frame<'p>, parts: &'p Try) {
        if let Some((iterator, span)) = self.exhaustible(frame, parts) {
            let length = self.values.make(Node::Length(iterator));
            let ended = self.values.make(Node::Apply(Symbol::new("ended"), Box::from([length])));
            return self.branch(frame, ended, span, parts.handlers[0].body, parts.body);
        }
        let failing = self.failing(frame, parts);
        let around = frame.failing.clone();
        frame.failing = failing.clone().or(frame.failing.take());
        // What the body returns it returns where nothing has failed.
        let fine = failing.as_ref().map(|failing| self.values.make(Node::Not(failing.happened())));
        let was_protected = frame.is_protected;
        frame.is_protected |= !parts.handlers.is_empty();
        let (body, body_changes, body_dead) = self.arm(frame, fine, |engine, frame| engine.block(frame, parts.body));
        frame.failing = around;
        frame.is_protected = was_protected;
        let happened = match failing {
            Some(failing) => failing.happened(),
            None => self.unknown(frame, parts.handlers.first().map_or(Span::default(), |handler| handler.span)),
        };
        let handled: Vec<(HandlerEffect, Changes, bool)> =
            parts.handlers.iter().map(|handler| self.handler(frame, handler, happened)).collect();
        frame.dead = body_dead;
        self.apply(frame, body_changes);
        let (orelse, orelse_changes, orelse_dead) =
            self.arm(frame, None, |engine, frame| engine.block(frame, parts.orelse));
        self.apply(frame, orelse_changes);
        let normal_dead = body_dead || orelse_dead;
        frame.dead = false;
        let mut all_dead = normal_dead;
        let mut effects = Vec::new();
        for (effect, changes, dead) in handled {
            effects.push(effect);
            if dead {
                continue;
            }
            if all_dead {
                self.apply(frame, changes);
                all_dead = false;
                continue;
            }
            for (name, value) in changes {
                let merged = match (frame.get(name), value) {
                    (Some(before), Some(value)) if before != value => {
                        self.values.make(Node::If(happened, value, before))
                    }
                    (None, Some(value)) => value,
                    _ => continue,
                };
                frame.set(name, merged);
            }
        }
        let (finally, finally_changes, finally_dead) =
            self.arm(frame, None, |engine, frame| engine.block(frame, parts.finally));
        self.apply(frame, finally_changes);
        let effect = Effect::Try { body, handlers: effects.into(), orelse, finally };
        let effect = self.effects.make(effect, &self.values);
        self.emit(frame, effect);
        frame.dead = all_dead || finally_dead;
    }

    pub(super) fn handler(
        &mut self,
        frame: &mut Frame<'p>,
        handler: &'p Handler,
        happened: Value,
    ) -> (HandlerEffect, Changes, bool) {
        let catches = handler.kind.map_or_else(Vec::new, |kind| self.caught_names(frame, kind));
        let (body, changes, dead) = self.arm(frame, Some(happened), |engine, frame| {
            if let Some(name) = handler.name {
                let unknown = engine.unknown(frame, handler.span);
                frame.set(name, unknown);
            }
            engine.block(frame, handler.body);
        });
        (HandlerEffect { catches: catches.into(), body }, changes, dead)
    }

    /// The names of the exception classes that a handler catches; none for all of them.
    pub(super) fn caught_names(&mut self, frame: &Frame<'p>, kind: ExprId) -> Vec<Symbol> {
        let model = frame.model;
        let kinds: Vec<ExprId> = match model.expr(kind) {
            Expr::Tuple(parts) => model.list(parts).to_vec(),
            _ => vec![kind],
        };
        let mut names = Vec::new();
        for kind in kinds {
            match model.expr(kind) {
                Expr::Name(name) | Expr::Attribute { name, .. } => match name.as_str() {
                    "BaseException" => return Vec::new(),
                    _ => names.push(name),
                },
                _ => return Vec::new(),
            }
        }
        names
    }

    /// The name of a raised exception's class and of its bases.
    pub(super) fn exception_names(&mut self, frame: &Frame<'p>, exception: ExprId) -> Vec<Symbol> {
        let model = frame.model;
        let class = match model.expr(exception) {
            Expr::Call(call) => model.call(call).callee,
            _ => exception,
        };
        let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(class) else { return Vec::new() };
        // `raise error` of a variable says nothing of its class.
        if !name.as_str().starts_with(|first: char| first.is_uppercase()) {
            return Vec::new();
        }
        let mut names = vec![name];
        if let Some(Target::Class(class)) = self.program.target(frame.file, frame.local, class) {
            for &class in self.program.lineage(class) {
                names.push(self.program.class(class).name);
            }
            for base in self.program.external_bases(class) {
                names.push(Symbol::new(base.as_str().rsplit('.').next().unwrap_or_default()));
            }
        }
        let mut index = 0;
        while index < names.len() {
            if let Some(base) = builtin_base(names[index].as_str()) {
                names.push(Symbol::new(base));
            }
            index += 1;
        }
        names
    }
}

fn builtin_base(name: &str) -> Option<&'static str> {
    Some(match name {
        "OSError" | "RuntimeError" | "ValueError" | "TypeError" | "LookupError" | "ArithmeticError"
        | "AssertionError" | "AttributeError" | "ImportError" | "StopIteration" | "MemoryError" | "NameError"
        | "EOFError" | "BufferError" | "SyntaxError" => "Exception",
        "FileNotFoundError" | "FileExistsError" | "PermissionError" | "TimeoutError" | "ConnectionError"
        | "InterruptedError" | "IsADirectoryError" | "NotADirectoryError" | "BlockingIOError" | "BrokenPipeError" => {
            "OSError"
        }
        "NotImplementedError" | "RecursionError" | "OutOfMemoryError" => "RuntimeError",
        "KeyError" | "IndexError" => "LookupError",
        "UnicodeError" | "UnicodeDecodeError" | "JSONDecodeError" => "ValueError",
        "ModuleNotFoundError" => "ImportError",
        "ZeroDivisionError" | "OverflowError" | "FloatingPointError" => "ArithmeticError",
        _ => return None,
    })
}
