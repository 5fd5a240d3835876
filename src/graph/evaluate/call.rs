//! Calls: what is called, what that issues, what it returns.

use crate::base::{FunctionId, Span, Symbol};
use crate::catalog::Entry;
use crate::flow::{ChoiceForm, Effect, Effects, LoopKind, Node, Value};
use crate::model::{Call, Expr, ExprId};

use super::super::resolve::Target;
use super::super::runners::awaitable;
use super::arguments::Arguments;
use super::substitute::Substitution;
use super::wrapped::BACKWARD;
use super::{Engine, Frame};

/// What a call is whose function is not looked into.
pub(super) const UNFOLLOWED: &str = "unfollowed";

impl<'p> Engine<'p> {
    pub(super) fn call(&mut self, frame: &mut Frame<'p>, id: ExprId, call: Call) -> Value {
        let outer = std::mem::take(&mut frame.handed);
        let result = self.called(frame, id, call);
        self.may_fail(frame, id, frame.model.span(id));
        let handed = std::mem::replace(&mut frame.handed, outer);
        // Who hands a generator to a call that gives back no iterator has it run dry there.
        if !matches!(self.values.node(result), Node::Mapped(..) | Node::Generator(..) | Node::Instance(..)) {
            for (generator, span) in handed {
                self.run_dry(frame, generator, span);
            }
        }
        result
    }

    /// Pulls a generator to its end.
    fn run_dry(&mut self, frame: &mut Frame<'p>, generator: Value, span: Span) {
        let body = self.pulled(frame, generator, span);
        if body == Effects::NOTHING {
            return;
        }
        let item = self.values.make(Node::Item(frame.site(span), generator));
        let kind = LoopKind::For { iter: self.counted(frame, generator), item };
        let whole = Effect::Loop { kind, site: frame.site(span), body, orelse: Effects::NOTHING };
        let whole = self.effects.make(whole, &self.values);
        self.emit(frame, whole);
    }

    /// Whether a generator function is a context manager by its decorator, or has another one that may change what it is.
    pub(super) fn is_context(&self, function: FunctionId) -> bool {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        !model.list(model.function(local).decorators).is_empty()
    }

    fn called(&mut self, frame: &mut Frame<'p>, id: ExprId, call: Call) -> Value {
        let model = frame.model;
        let span = model.span(id);
        if let Some(value) = self.special_form(frame, call, span) {
            return value;
        }
        if let Expr::Attribute { value: object, name } = model.expr(call.callee)
            && let Some(applied) = self.applied(frame, object, name, span)
        {
            let arguments = self.arguments(frame, call);
            return self.call_value(frame, applied, arguments, span);
        }
        if let Expr::Attribute { value: object, name } = model.expr(call.callee)
            && !self.rooted_in_module(frame, call.callee)
        {
            let result = self.method_call(frame, object, name, call, span);
            if name.as_str() == BACKWARD {
                self.after_backward(frame, object, call);
            }
            return result;
        }
        let callee = self.callee(frame, call.callee);
        let mut arguments = self.arguments(frame, call);
        if matches!(self.values.node(callee), Node::Instance(..)) {
            arguments.holder = self.path(frame, call.callee);
        }
        self.call_value(frame, callee, arguments, span)
    }

    fn callee(&mut self, frame: &mut Frame<'p>, callee: ExprId) -> Value {
        match self.program.target(frame.file, frame.local, callee) {
            Some(target) if self.rooted_in_module(frame, callee) => match target {
                Target::Function(function) => {
                    let value = self.decorated(frame, function);
                    self.of_class(frame, callee, function, value)
                }
                target => self.target_value(target),
            },
            _ => self.expression(frame, callee),
        }
    }

    /// A class method, bound to the class that it is asked of.
    fn of_class(&mut self, frame: &Frame<'p>, callee: ExprId, function: FunctionId, value: Value) -> Value {
        let is_plain = *self.values.node(value) == Node::Function(function, None);
        let Expr::Attribute { value: object, .. } = frame.model.expr(callee) else { return value };
        match self.program.target(frame.file, frame.local, object) {
            Some(Target::Class(class)) if is_plain && self.is_class_method(function) => {
                let class = self.values.make(Node::Class(class));
                self.values.make(Node::Function(function, Some(class)))
            }
            _ => value,
        }
    }

    /// `await asyncio.to_thread(function, …)`, `await loop.run_in_executor(executor, function, …)`: who awaits it at once
    /// goes on when the function has run.
    pub(super) fn awaited(&mut self, frame: &mut Frame<'p>, awaited: ExprId) -> Value {
        let model = frame.model;
        let Expr::Call(call) = model.expr(awaited) else { return self.expression(frame, awaited) };
        let call = model.call(call);
        let Some(function) = awaitable(self.program, frame.file, frame.local, call) else {
            return self.expression(frame, awaited);
        };
        let callee = self.callee(frame, function);
        let mut arguments = self.arguments(frame, call);
        // What stands before the function, and the function itself, are not handed to it.
        let before = model.list(call.args).iter().position(|&arg| arg == function).map_or(0, |at| at + 1);
        arguments.positional.drain(..before.min(arguments.positional.len()));
        self.call_value(frame, callee, arguments, model.span(awaited))
    }

    /// `super().method(…)`, `getattr(object, "name")`, `setattr(object, "name", value)`.
    fn special_form(&mut self, frame: &mut Frame<'p>, call: Call, span: Span) -> Option<Value> {
        let model = frame.model;
        match model.expr(call.callee) {
            Expr::Attribute { value, name } => {
                let Expr::Call(inner) = model.expr(value) else { return None };
                let Expr::Name(callee) = model.expr(model.call(inner).callee) else { return None };
                if callee.as_str() != "super" {
                    return None;
                }
                let class = frame.class?;
                let mut arguments = self.arguments(frame, call);
                arguments.receiver = frame.receiver.and_then(|receiver| frame.get(receiver));
                let lineage = self.program.lineage(class);
                let method = lineage.iter().skip(1).find_map(|&base| self.program.method(base, name));
                if let Some(method) = method {
                    return Some(self.call_function(frame, method, arguments, span));
                }
                Some(match self.inherited_entry(class, name) {
                    Some(entry) => self.catalogued_call(frame, &entry, name, arguments, span),
                    None => self.opaque_call(name, &arguments, span, frame),
                })
            }
            Expr::Name(name) if name.as_str() == "getattr" => {
                let args = model.list(call.args);
                let Expr::Str(attribute) = model.expr(*args.get(1)?) else {
                    return self.looked_up_by_name(frame, args);
                };
                let object = args[0];
                let value = self.expression(frame, object);
                Some(self.member(frame, object, value, attribute, span))
            }
            Expr::Name(name) if name.as_str() == "setattr" => {
                let &[object, attribute, value] = model.list(call.args) else { return None };
                let Expr::Str(attribute) = model.expr(attribute) else { return None };
                let base = self.path(frame, object)?;
                let value = self.expression(frame, value);
                if let Some(path) = self.path_of(base, attribute) {
                    self.set_path(frame, path, value);
                }
                Some(self.none)
            }
            _ => None,
        }
    }

    /// Calls a value.
    pub(super) fn call_value(
        &mut self,
        frame: &mut Frame<'p>,
        callee: Value,
        arguments: Arguments,
        span: Span,
    ) -> Value {
        match self.values.node(callee).clone() {
            Node::External(dotted) => self.call_external(frame, dotted, arguments, span),
            Node::Function(function, bound) => {
                let mut arguments = arguments;
                arguments.receiver = bound;
                // `handler = self.finish`: what a class below has instead of it.
                let name = self.program.function(function).name;
                let class = bound.and_then(|object| self.class_of_known(object));
                match class.filter(|&class| self.program.method(class, name) == Some(function)) {
                    Some(class) => self.dispatched(frame, class, function, arguments, span),
                    None => self.call_function(frame, function, arguments, span),
                }
            }
            Node::Closure(function, captured) => {
                let mut substitution = Substitution::default();
                for &(owner, name, value) in &captured {
                    substitution.capture(owner, name, value);
                }
                self.call_summary(frame, function, arguments, substitution, span)
            }
            Node::Class(class) => self.construct(frame, class, arguments, span),
            Node::Partial(inner, args, keywords) => {
                let mut whole = arguments.clone();
                whole.positional = args.iter().map(|&arg| (arg, None)).chain(arguments.positional).collect();
                whole.keywords.extend(keywords.iter().map(|&(name, value)| (name, value, None)));
                self.call_value(frame, inner, whole, span)
            }
            Node::If(test, then, otherwise)
                if [then, otherwise]
                    .into_iter()
                    .any(|arm| self.is_callable(arm) || self.meant_by_a_call(arm).is_some()) =>
            {
                let outer = std::mem::take(&mut frame.sequence);
                let one = self.call_value(frame, then, arguments.clone(), span);
                let one_effect = self.take_sequence(frame);
                let other = self.call_value(frame, otherwise, arguments, span);
                let other_effect = self.take_sequence(frame);
                frame.sequence = outer;
                self.choose(frame, test, span, ChoiceForm::Expression, one_effect, other_effect);
                self.values.make(Node::If(test, one, other))
            }
            // What is handed in, or else a function of the maker's own: that stands for both.
            Node::Or(given, default) if self.is_handed(given) && self.can_be_called(default) => {
                self.call_value(frame, default, arguments, span)
            }
            Node::Item(_, list) | Node::Index(list, _) if let Some(listed) = self.callables_in(list) => {
                self.call_one_listed(frame, (callee, &listed), arguments, span)
            }
            Node::Instance(class, _) => {
                self.passed_through(frame, callee, &arguments, span);
                let method = |name: &str| self.program.method(class, Symbol::new(name));
                let result = match method("__call__").or_else(|| method("forward")) {
                    Some(method) => {
                        let arguments = Arguments { receiver: Some(callee), ..arguments };
                        self.call_function(frame, method, arguments, span)
                    }
                    None => self.opaque_call(Symbol::new("__call__"), &arguments, span, frame),
                };
                self.forward_result(callee, result)
            }
            Node::Typed(kind) => {
                let dotted = Symbol::new(&format!("{kind}.__call__"));
                let mut arguments = arguments;
                arguments.receiver = Some(callee);
                self.call_external(frame, dotted, arguments, span)
            }
            // What is there where it is called.
            Node::Carried(..) if let Some(meant) = self.meant_by_a_call(callee) => {
                self.call_value(frame, meant, arguments, span)
            }
            // Who is handed a wrapped model runs it as one, whoever hands it over.
            Node::Parameter(function, position)
                if let Some((kind, confidence)) = self.kind_of_handed(function, position)
                    && let name = Symbol::new("__call__")
                    && let Some(entry) = self.program.catalog.entry(Symbol::new(&format!("{kind}.{name}"))) =>
            {
                let arguments = Arguments { receiver: Some(callee), ..arguments };
                self.catalogued(frame, &entry.clone(), name, arguments, span, confidence)
            }
            _ if self.values.facts(callee).open => {
                let args = self.packed(&arguments);
                let effect = self.invoke_effect(callee, args.clone().into(), frame.site(span));
                self.emit(frame, effect);
                let result = self.values.make(Node::Invoked(callee, args.into()));
                let result = self.forward_result(callee, result);
                let named = arguments.keywords.iter().map(|keyword| keyword.1);
                // Who is handed an iterator takes batches from it.
                let taken = arguments.positional.iter().filter_map(|given| self.values.yielded(given.0));
                let differs: Vec<Value> = named
                    .chain(arguments.starred)
                    .chain(arguments.mapping)
                    .filter(|&value| self.is_share(value))
                    .chain(taken)
                    .collect();
                match differs.is_empty() {
                    true => result,
                    false => {
                        let parts: Vec<Value> = std::iter::once(result).chain(differs).collect();
                        self.values.make(Node::Apply(Symbol::new("call"), parts.into()))
                    }
                }
            }
            _ => {
                let result = self.opaque_call(Symbol::new("call"), &arguments, span, frame);
                self.forward_result(callee, result)
            }
        }
    }

    pub(super) fn is_callable(&self, value: Value) -> bool {
        matches!(
            self.values.node(value),
            Node::Function(..) | Node::Closure(..) | Node::Partial(..) | Node::Class(_) | Node::External(_)
        )
    }

    /// A call of which nothing is known but its arguments.
    pub(super) fn opaque_call(
        &mut self,
        name: Symbol,
        arguments: &Arguments,
        span: Span,
        frame: &mut Frame<'p>,
    ) -> Value {
        let mut parts: Vec<Value> = arguments.receiver.into_iter().collect();
        parts.extend(arguments.values());
        if parts.is_empty() {
            return self.unknown(frame, span);
        }
        self.opaque_result(frame, name, parts, span)
    }

    /// What a function returns that is not looked into. One that is given nothing but its object answers alike each time.
    pub(super) fn unfollowed(
        &mut self,
        frame: &Frame<'p>,
        function: FunctionId,
        given: Vec<Value>,
        span: Span,
    ) -> Value {
        if given.iter().any(|&value| self.values.facts(value).wrapped) {
            // A loss, most likely: gradients still go back through the model.
            let unknown = self.unknown(frame, span);
            return self.values.make(Node::Forward(unknown));
        }
        let alike = given.len() <= 1 && given.iter().all(|&value| self.values.vary(value).is_empty());
        if !alike && self.classes_made(function).is_empty() {
            return self.unknown(frame, span);
        }
        let called = self.values.make(Node::Function(function, None));
        // What it makes of several things is another one each time; of which class it is it says all the same.
        let rest = if alike { given } else { vec![self.unknown(frame, span)] };
        let parts = std::iter::once(called).chain(rest).collect();
        self.values.make(Node::Apply(Symbol::new(UNFOLLOWED), parts))
    }

    /// `accelerator.on_main_process`: by the usual name of a variable of the type.
    pub(super) fn method_of_variable(&self, model: &crate::model::File, callee: ExprId) -> Option<&'p Entry> {
        let Expr::Attribute { value, name } = model.expr(callee) else { return None };
        let (Expr::Name(object) | Expr::Attribute { name: object, .. }) = model.expr(value) else { return None };
        let kind = self.program.catalog.type_of_variable(object)?;
        self.program.catalog.entry(Symbol::new(&format!("{kind}.{name}")))
    }
}
