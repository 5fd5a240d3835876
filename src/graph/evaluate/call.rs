//! Calls: what is called, what that issues, what it returns.

use rustc_hash::FxHashMap;

use crate::base::{ClassId, FunctionId, Site, Span, Symbol};
use crate::catalog::{Entry, Wrapper};
use crate::finding::Confidence;
use crate::flow::{Axes, ChoiceForm, Effect, EffectId, Effects, HandlerEffect, LoopKind, Node, Value};
use crate::model::{Call, Expr, ExprId, FunctionKind, Sink, Stmt, each_statement};

use super::super::resolve::Target;
use super::arguments::Arguments;
use super::substitute::Substitution;
use super::{Engine, Frame, MAX_INLINE};

/// Effects up to this weight are not told any shorter.
const SHORT: u32 = 4;

/// What entering a `with` statement's context means.
pub(super) struct Context {
    /// What `as` binds.
    pub(super) value: Value,
    /// What the manager does around the body, with a hole for it.
    pub(super) manager: EffectId,
    /// Whether differences in the number of collectives inside are evened out.
    pub(super) mutes: bool,
    /// Whether what a wrapped module's backward issues is suspended inside.
    pub(super) quiets: bool,
    /// The condition under which ranks run the body, if not all do.
    pub(super) guard: Option<Value>,
}

impl<'p> Engine<'p> {
    pub(super) fn call(&mut self, frame: &mut Frame<'p>, id: ExprId, call: Call) -> Value {
        let outer = std::mem::take(&mut frame.handed);
        let result = self.called(frame, id, call);
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
        let kind = LoopKind::For { iter: generator, item };
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
            return self.method_call(frame, object, name, call, span);
        }
        let callee = match self.program.target(frame.file, frame.local, call.callee) {
            Some(target) if self.rooted_in_module(frame, call.callee) => match target {
                Target::Function(function) => self.decorated(frame, function),
                target => self.target_value(target),
            },
            _ => self.expression(frame, call.callee),
        };
        let arguments = self.arguments(frame, call);
        self.call_value(frame, callee, arguments, span)
    }

    /// `super().method(…)`, `getattr(object, "name")`, `functools.partial(f, …)`.
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
                match method {
                    Some(method) => Some(self.call_function(frame, method, arguments, span)),
                    None => Some(self.opaque_call(name, &arguments, span, frame)),
                }
            }
            Expr::Name(name) if name.as_str() == "getattr" => {
                let args = model.list(call.args);
                let Expr::Str(attribute) = model.expr(*args.get(1)?) else { return None };
                let object = args[0];
                let value = self.expression(frame, object);
                Some(self.member(frame, object, value, attribute, span))
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
                self.call_function(frame, function, arguments, span)
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
            Node::If(test, then, otherwise) if self.is_callable(then) || self.is_callable(otherwise) => {
                let outer = std::mem::take(&mut frame.sequence);
                let one = self.call_value(frame, then, arguments.clone(), span);
                let one_effect = self.take_sequence(frame);
                let other = self.call_value(frame, otherwise, arguments, span);
                let other_effect = self.take_sequence(frame);
                frame.sequence = outer;
                self.choose(frame, test, span, ChoiceForm::Expression, one_effect, other_effect);
                self.values.make(Node::If(test, one, other))
            }
            Node::Instance(class, _) => match self.program.method(class, Symbol::new("__call__")) {
                Some(method) => {
                    let mut arguments = arguments;
                    arguments.receiver = Some(callee);
                    self.call_function(frame, method, arguments, span)
                }
                None => match self.program.method(class, Symbol::new("forward")) {
                    Some(method) => {
                        let mut arguments = arguments;
                        arguments.receiver = Some(callee);
                        self.call_function(frame, method, arguments, span)
                    }
                    None => self.opaque_call(Symbol::new("__call__"), &arguments, span, frame),
                },
            },
            Node::Typed(kind) => {
                let dotted = Symbol::new(&format!("{kind}.__call__"));
                let mut arguments = arguments;
                arguments.receiver = Some(callee);
                self.call_external(frame, dotted, arguments, span)
            }
            _ if self.values.facts(callee).open => {
                let args = self.packed(&arguments);
                let effect = self.invoke_effect(callee, args.clone().into(), frame.site(span));
                self.emit(frame, effect);
                let result = self.values.make(Node::Invoked(callee, args.into()));
                let named = arguments.keywords.iter().map(|keyword| keyword.1);
                let differs: Vec<Value> = named
                    .chain(arguments.starred)
                    .chain(arguments.mapping)
                    .filter(|&value| self.is_share(value))
                    .collect();
                match differs.is_empty() {
                    true => result,
                    false => {
                        let parts: Vec<Value> = std::iter::once(result).chain(differs).collect();
                        self.values.make(Node::Apply(Symbol::new("call"), parts.into()))
                    }
                }
            }
            _ => self.opaque_call(Symbol::new("call"), &arguments, span, frame),
        }
    }

    fn is_callable(&self, value: Value) -> bool {
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

    /// Calls a function of the program.
    pub(super) fn call_function(
        &mut self,
        frame: &mut Frame<'p>,
        function: FunctionId,
        arguments: Arguments,
        span: Span,
    ) -> Value {
        if let Some(entry) = self.program.catalogued(function) {
            let entry = entry.clone();
            return self.catalogued_call(frame, &entry, self.program.function(function).name, arguments, span);
        }
        self.call_summary(frame, function, arguments, Substitution::default(), span)
    }

    fn call_summary(
        &mut self,
        frame: &mut Frame<'p>,
        function: FunctionId,
        arguments: Arguments,
        mut substitution: Substitution,
        span: Span,
    ) -> Value {
        let definition = self.program.function(function);
        let bound = self.bind(function, &arguments);
        let by_convention = self.conventional_result(frame, function, span);
        if self.may_wait(function, &bound) {
            return by_convention.unwrap_or_else(|| self.pending_call(frame, function, bound, span));
        }
        let Some(summary) = self.summary(function) else {
            self.after_filling(frame, function, &arguments, span);
            return by_convention.unwrap_or_else(|| {
                let name = definition.name;
                self.opaque_call(name, &Arguments::default(), span, frame)
            });
        };
        substitution.parameters(function, &bound);
        self.capture_environment(frame, function, &mut substitution);
        if let Some(receiver) = arguments.receiver
            && let Node::Instance(class, args) = self.values.node(receiver).clone()
            && let Some(constructor) = self.program.method(class, Symbol::new("__init__"))
        {
            substitution.parameters(constructor, &args);
        }
        if definition.is_generator {
            let result = self.replaced(summary.result, &mut substitution);
            return result;
        }
        let effects = self.condensed_summary(function, summary.effects);
        let weight = self.effects.summed(effects).weight;
        if weight > 0 && weight <= MAX_INLINE {
            let body = match substitution.is_empty() {
                true => effects,
                false => self.replaced_effect(effects, &mut substitution),
            };
            let call = Effect::Call { function, site: frame.site(span), body };
            let call = self.effects.make(call, &self.values);
            match self.missed(function, &bound) {
                Some(missed) => self.choose(frame, missed, span, ChoiceForm::Expression, call, Effects::NOTHING),
                None => self.emit(frame, call),
            }
        } else if weight > MAX_INLINE {
            let effect = self.abbreviated(summary.effects, function, frame, span);
            self.emit(frame, effect);
        }
        self.after_method(frame, &arguments, &summary.attributes, &mut substitution);
        self.after_filling(frame, function, &arguments, span);
        self.after_agreement(frame, function, &arguments, &summary.filled, &mut substitution);
        let result = self.replaced(summary.result, &mut substitution);
        let says_nothing = matches!(
            self.values.node(result),
            Node::None
                | Node::Unknown(_)
                | Node::Attribute(..)
                | Node::Apply(..)
                | Node::External(_)
                | Node::Capture(..)
        );
        // What is called an all-reduce and issues none agrees by other means: a message queue, a store, shared memory.
        let agrees = definition.name.as_str().trim_start_matches('_');
        let agrees = agrees.starts_with("all_reduce") || agrees.starts_with("allreduce");
        if agrees && !self.effects.summed(summary.effects).events && !self.values.vary(result).is_empty() {
            return self.unknown(frame, span);
        }
        let result = match agrees_by_name(definition.name) && !self.values.vary(result).is_empty() {
            true => self.agreed_by(summary.effects, result, &mut substitution, frame.site(span)),
            false => result,
        };
        // What is called a group getter returns a group, whatever could be made of its body.
        let group = by_convention.is_some_and(|meaning| matches!(self.values.node(meaning), Node::AxisGroup(_)))
            && !matches!(
                self.values.node(result),
                Node::AxisGroup(_) | Node::World | Node::MadeGroup(..) | Node::If(..) | Node::Index(..)
            );
        // A name can say along which axis something differs that its body only shows to differ somewhere.
        let narrower = |meaning: Value| {
            let (meant, known) = (self.values.vary(meaning), self.values.vary(result));
            known.is_all() && !meant.is_all() && !meant.is_empty()
        };
        match by_convention {
            Some(meaning) if says_nothing || group || narrower(meaning) => meaning,
            _ => result,
        }
    }

    /// The result of a function that gathers from all, whatever it unpacks that from: what the members of its group agree on.
    fn agreed_by(&mut self, effects: EffectId, result: Value, substitution: &mut Substitution, site: Site) -> Value {
        let mut pending = vec![effects];
        let mut steps = 0;
        while let Some(effect) = pending.pop() {
            steps += 1;
            if let Effect::Event(event) = self.effects.get(effect) {
                let group = self.effects.event(*event).group;
                let group = self.replaced(group, substitution);
                return self.values.make(Node::Agreed(site, result, group));
            }
            if steps < 200 {
                pending.extend(self.below(effect).into_iter().rev());
            }
        }
        result
    }

    /// Whether the result of a function that keeps its results is not there yet, where its arguments differ between
    /// ranks: a call with arguments that were seen before does nothing.
    fn missed(&mut self, function: FunctionId, bound: &[Value]) -> Option<Value> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let differs = bound.iter().any(|&arg| !self.values.vary(arg).is_empty());
        if !differs || model.list(definition.decorators).is_empty() {
            return None;
        }
        let scope = definition.parent.unwrap_or(local);
        let cached = model.list(definition.decorators).iter().any(|&decorator| {
            let callee = match model.expr(decorator) {
                Expr::Call(call) => model.call(call).callee,
                _ => decorator,
            };
            match self.program.target(file, scope, callee) {
                Some(Target::External(dotted)) => {
                    matches!(self.program.catalog.entry(dotted), Some(Entry::Wrapper(Wrapper::Cache)))
                }
                _ => false,
            }
        });
        // The first call finds nothing on any rank.
        let name = definition.name;
        let calls = model.functions.iter().flat_map(|function| &function.mentions).filter(|&&known| known == name);
        (cached && calls.count() > 1).then(|| self.values.make(Node::Apply(Symbol::new("missed"), bound.into())))
    }

    /// Whether a call can be left unlooked into for now: by its names the callee neither returns nor keeps anything that
    /// differs between ranks, and it is handed nothing that does.
    fn may_wait(&self, function: FunctionId, bound: &[Value]) -> bool {
        let definition = self.program.function(function);
        let nested = definition.parent.is_some_and(|parent| {
            let (file, _) = self.program.locate(function);
            !matches!(
                self.program.file(file).model.function(parent).kind,
                FunctionKind::Module | FunctionKind::ClassBody
            )
        });
        if nested
            || definition.is_generator
            || definition.kind != FunctionKind::Def
            || self.taint.holds(definition.name)
        {
            return false;
        }
        if definition.flows.iter().any(|flow| matches!(flow.to, Sink::Attribute(name) if self.taint.holds(name))) {
            return false;
        }
        bound.iter().all(|&arg| {
            let facts = self.values.facts(arg);
            facts.vary.is_empty()
                && facts.shape.is_empty()
                && !facts.wrapped
                && !matches!(self.values.node(arg), Node::Function(..) | Node::Closure(..) | Node::Partial(..))
        })
    }

    fn pending_call(&mut self, frame: &mut Frame<'p>, function: FunctionId, bound: Vec<Value>, span: Span) -> Value {
        if self.reaches(function) {
            let effect = Effect::Pending { function, site: frame.site(span), args: bound.clone().into() };
            let effect = self.effects.make(effect, &self.values);
            self.emit(frame, effect);
        }
        if bound.iter().any(|&arg| self.values.facts(arg).open) {
            let callee = self.values.make(Node::Function(function, None));
            return self.values.make(Node::Invoked(callee, bound.into()));
        }
        self.unknown(frame, span)
    }

    /// What the function's name says it returns: `get_tensor_parallel_rank`.
    fn conventional_result(&mut self, frame: &mut Frame<'p>, function: FunctionId, span: Span) -> Option<Value> {
        let name = self.program.function(function).name;
        let convention = self.program.catalog.convention(name).filter(|convention| !convention.variables_only)?;
        let meaning = convention.value.clone();
        let value = self.meaning(&meaning, frame, span)?;
        let reason = format!("`{name}()` is this rank's own, by its name");
        self.born(value, frame, span, &reason, Confidence::Medium);
        Some(value)
    }

    /// A nested function sees its home's variables as they are when it is called.
    fn capture_environment(&mut self, frame: &Frame<'p>, function: FunctionId, substitution: &mut Substitution) {
        let (file, local) = self.program.locate(function);
        if file != frame.file {
            return;
        }
        let mut home = frame.model.function(local).parent;
        while let Some(at) = home {
            if at == frame.local {
                for (&name, &value) in &frame.env {
                    substitution.capture(frame.function, name, value);
                }
                return;
            }
            home = frame.model.function(at).parent;
        }
    }

    /// What a method left on its object, when the object is this function's own.
    fn after_method(
        &mut self,
        frame: &mut Frame<'p>,
        arguments: &Arguments,
        written: &[(Symbol, Value)],
        substitution: &mut Substitution,
    ) {
        let Some(receiver) = frame.receiver else { return };
        if arguments.receiver.is_none() || arguments.receiver != frame.get(receiver) {
            return;
        }
        for &(name, value) in written {
            let value = self.replaced(value, substitution);
            if let Some(path) = self.path_of(receiver, name) {
                self.set_path(frame, path, value);
            }
        }
    }

    /// An empty container of this function's own that a call is handed to fill: what else the call is handed goes into it.
    fn after_filling(&mut self, frame: &mut Frame<'p>, function: FunctionId, arguments: &Arguments, span: Span) {
        let model = frame.model;
        let skipped = usize::from(arguments.receiver.is_some());
        for (at, &(value, expr)) in arguments.positional.iter().enumerate() {
            let Some(Expr::Name(name)) = expr.map(|expr| model.expr(expr)) else { continue };
            let empty = match self.values.node(value) {
                Node::Mapping(parts) => parts.is_empty(),
                Node::Sequence(parts) => parts.is_empty(),
                _ => false,
            };
            if !empty || frame.get(name) != Some(value) || !self.fills(function, at + skipped) {
                continue;
            }
            let rest: Vec<Value> = arguments.values().into_iter().filter(|&other| other != value).collect();
            if !rest.is_empty() {
                let filled = self.changed(frame, value, &rest, span);
                frame.set(name, filled);
            }
        }
    }

    /// What a function has had the ranks agree on, in what it was handed for that.
    fn after_agreement(
        &mut self,
        frame: &mut Frame<'p>,
        function: FunctionId,
        arguments: &Arguments,
        filled: &[(usize, Value)],
        substitution: &mut Substitution,
    ) {
        let skipped = usize::from(arguments.receiver.is_some());
        for &(at, value) in filled {
            let name = self.program.function(function).parameters[at].name;
            let by_position = at.checked_sub(skipped).and_then(|at| arguments.positional.get(at)).and_then(|arg| arg.1);
            let by_name = || arguments.keywords.iter().find(|keyword| keyword.0 == name).and_then(|keyword| keyword.2);
            let Some(expr) = by_position.or_else(by_name) else { continue };
            let value = self.replaced(value, substitution);
            self.store(frame, expr, value);
        }
    }

    /// Whether a function puts something into what it is given at the position.
    fn fills(&self, function: FunctionId, position: usize) -> bool {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let Some(parameter) = definition.parameters.get(position).map(|parameter| parameter.name) else { return false };
        let is_it = |expr: ExprId| model.expr(expr) == Expr::Name(parameter);
        let mut found = false;
        each_statement(model, definition.body, &mut |_, stmt| match stmt {
            Stmt::Assign { targets, .. } => {
                found |= model.list(*targets).iter().any(|&target| match model.expr(target) {
                    Expr::Subscript(container, _) => is_it(container),
                    _ => false,
                });
            }
            Stmt::Expr(expr) => {
                if let Expr::Call(call) = model.expr(*expr)
                    && let Expr::Attribute { value, name } = model.expr(model.call(call).callee)
                {
                    found |= is_it(value) && matches!(name.as_str(), "append" | "extend" | "update" | "add" | "insert");
                }
            }
            _ => {}
        });
        found
    }

    /// A callee too large to copy: one event on each group it uses.
    fn abbreviated(&mut self, effects: EffectId, function: FunctionId, frame: &mut Frame<'p>, span: Span) -> EffectId {
        self.abbreviated_at(effects, function, frame.site(span))
    }

    pub(super) fn abbreviated_at(&mut self, effects: EffectId, function: FunctionId, site: Site) -> EffectId {
        let body = self.gist(effects, function);
        match body {
            Effects::NOTHING => body,
            _ => self.effects.make(Effect::Call { function, site, body }, &self.values),
        }
    }

    /// What a function does, where that is too large to copy: what all ranks do alike told in short, the rest as it is.
    fn condensed_summary(&mut self, function: FunctionId, effects: EffectId) -> EffectId {
        if self.effects.summed(effects).weight <= MAX_INLINE {
            return effects;
        }
        if let Some(&known) = self.condensed.get(&function) {
            return known;
        }
        let short = self.condensed(effects, function, &mut FxHashMap::default());
        self.condensed.insert(function, short);
        short
    }

    /// The effect with all parts told in short that neither ranks nor callers decide.
    pub(super) fn condensed(
        &mut self,
        effect: EffectId,
        function: FunctionId,
        known: &mut FxHashMap<EffectId, EffectId>,
    ) -> EffectId {
        let summed = self.effects.summed(effect);
        if summed.weight <= SHORT {
            return effect;
        }
        if let Some(&short) = known.get(&effect) {
            return short;
        }
        let told = self.effects.get(effect).clone();
        let settled = summed.varies.is_empty() && !(summed.open || summed.hole || summed.invokes || summed.pending);
        let stays = !summed.exits || matches!(told, Effect::Call { .. });
        let short = if settled && stays {
            match told {
                Effect::Call { function, site, body } => self.abbreviated_at(body, function, site),
                _ => self.gist(effect, function),
            }
        } else {
            let below = match told {
                Effect::Call { function, .. } => function,
                _ => function,
            };
            let parts: Vec<EffectId> =
                self.below(effect).into_iter().map(|part| self.condensed(part, below, known)).collect();
            self.with_parts(told, &parts).unwrap_or(effect)
        };
        known.insert(effect, short);
        short
    }

    /// The effect with other parts, in the order in which it has them; absent for one without parts.
    pub(super) fn with_parts(&mut self, effect: Effect, parts: &[EffectId]) -> Option<EffectId> {
        let made = match effect {
            Effect::Seq(_) => return Some(self.effects.seq(parts, &self.values)),
            Effect::Choice { test, site, form, .. } => {
                Effect::Choice { test, site, form, then: parts[0], otherwise: parts[1] }
            }
            Effect::Loop { kind, site, .. } => Effect::Loop { kind, site, body: parts[0], orelse: parts[1] },
            Effect::Try { handlers, .. } => {
                let handled = handlers.len();
                let handlers = handlers
                    .iter()
                    .zip(&parts[1..])
                    .map(|(handler, &body)| HandlerEffect { catches: handler.catches.clone(), body })
                    .collect();
                Effect::Try { body: parts[0], handlers, orelse: parts[handled + 1], finally: parts[handled + 2] }
            }
            Effect::Scope { .. } => Effect::Scope { manager: parts[0], body: parts[1] },
            Effect::Call { function, site, .. } => Effect::Call { function, site, body: parts[0] },
            Effect::Nothing
            | Effect::Event(_)
            | Effect::Exit(..)
            | Effect::Hole
            | Effect::Invoke { .. }
            | Effect::Pending { .. } => return None,
        };
        Some(self.effects.make(made, &self.values))
    }

    /// One event on each group that the effect uses.
    fn gist(&mut self, effects: EffectId, function: FunctionId) -> EffectId {
        let mut groups: Vec<Value> = Vec::new();
        let mut pending = vec![effects];
        let mut steps = 0;
        let mut template = None;
        while let Some(effect) = pending.pop() {
            steps += 1;
            if steps > 5_000 || groups.len() >= 4 {
                break;
            }
            match self.effects.get(effect) {
                Effect::Seq(parts) => pending.extend(parts.iter().copied()),
                Effect::Event(event) => {
                    let event = self.effects.event(*event);
                    if !groups.contains(&event.group) && !self.values.facts(event.group).open {
                        groups.push(event.group);
                    }
                    template = template.or(Some(event.clone()));
                }
                Effect::Choice { then, otherwise, .. } => pending.extend([*then, *otherwise]),
                Effect::Loop { body, orelse, .. } => pending.extend([*body, *orelse]),
                Effect::Try { body, handlers, orelse, finally } => {
                    pending.extend([*body, *orelse, *finally]);
                    pending.extend(handlers.iter().map(|handler| handler.body));
                }
                Effect::Scope { manager, body } => pending.extend([*manager, *body]),
                Effect::Call { body, .. } => pending.push(*body),
                Effect::Nothing | Effect::Exit(..) | Effect::Hole | Effect::Invoke { .. } | Effect::Pending { .. } => {}
            }
        }
        let Some(template) = template else { return Effects::NOTHING };
        groups.sort();
        let name = self.program.function(function).name;
        let mut parts = Vec::new();
        for group in groups {
            let event = crate::flow::Event {
                op: Symbol::new(&format!("{name}()")),
                creates: false,
                implicit: true,
                group,
                root: None,
                root_parameter: None,
                operator: None,
                members: None,
                shaped: None,
                site: template.site,
                // What decides inside is left out, so that little can be said about who issues it.
                confidence: Confidence::Low,
            };
            parts.push(self.effects.issue(event, &self.values));
        }
        self.effects.seq(&parts, &self.values)
    }

    fn construct(&mut self, frame: &mut Frame<'p>, class: ClassId, arguments: Arguments, span: Span) -> Value {
        let bound = match self.program.method(class, Symbol::new("__init__")) {
            Some(constructor) => {
                let mut with_self = arguments.clone();
                let placeholder = self.values.make(Node::Instance(class, Box::from([])));
                with_self.receiver = Some(placeholder);
                let bound = self.bind(constructor, &with_self);
                let instance = self.values.make(Node::Instance(class, bound.into()));
                with_self.receiver = Some(instance);
                if self.reaches(constructor) {
                    self.call_summary(frame, constructor, with_self, Substitution::default(), span);
                }
                return instance;
            }
            // A dataclass takes its fields in order.
            None => arguments.values(),
        };
        if self.program.catalogued_class(class) {
            let (file, _) = self.program.locate_class(class);
            let dotted = self.program.class_name(file, class);
            return self.values.make(Node::Typed(dotted));
        }
        self.values.make(Node::Instance(class, bound.into()))
    }

    /// A function with its decorators applied: what its name is bound to.
    pub(super) fn decorated(&mut self, frame: &mut Frame<'p>, function: FunctionId) -> Value {
        let plain = self.values.make(Node::Function(function, None));
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        if definition.kind != FunctionKind::Def || model.list(definition.decorators).is_empty() {
            return plain;
        }
        let scope = definition.parent.unwrap_or(local);
        let mut value = plain;
        for &decorator in model.list(definition.decorators).iter().rev() {
            let callee = match model.expr(decorator) {
                Expr::Call(call) => model.call(call).callee,
                _ => decorator,
            };
            let Some(Target::Function(wrapper)) = self.program.target(file, scope, callee) else { continue };
            if self.program.catalogued(wrapper).is_some()
                || !matches!(model.expr(decorator), Expr::Name(_) | Expr::Attribute { .. })
            {
                continue;
            }
            // A decorator of the program: what it returns when it is given the function.
            let wrapper = self.values.make(Node::Function(wrapper, None));
            if let Some(result) = self.invoked_result(wrapper, &[value])
                && matches!(self.values.node(result), Node::Closure(..))
            {
                value = result;
            }
        }
        match self.wrapper_guard(frame, function, definition.span) {
            Some(first) => {
                let none = self.none;
                self.values.make(Node::If(first, value, none))
            }
            None => value,
        }
    }

    /// The condition under which a decorator of the catalogue lets the function run.
    pub(super) fn wrapper_guard(&mut self, frame: &mut Frame<'p>, function: FunctionId, span: Span) -> Option<Value> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        for &decorator in model.list(definition.decorators) {
            let callee = match model.expr(decorator) {
                Expr::Call(call) => model.call(call).callee,
                _ => decorator,
            };
            let scope = definition.parent.unwrap_or(local);
            let entry = match self.program.target(file, scope, callee) {
                Some(Target::External(dotted)) => self.program.catalog.entry(dotted),
                Some(Target::Function(wrapper)) => self.program.catalogued(wrapper),
                _ => self.method_of_variable(model, callee),
            };
            if let Some(Entry::Wrapper(Wrapper::FirstRankOnly)) = entry {
                let first = self.is_first(Axes::ALL);
                let rank = self.values.make(Node::Rank(Axes::ALL));
                self.born(rank, frame, span, "its decorator runs it on the first rank only", Confidence::High);
                return Some(first);
            }
        }
        None
    }

    /// `accelerator.on_main_process`: by the usual name of a variable of the type.
    fn method_of_variable(&self, model: &crate::model::File, callee: ExprId) -> Option<&'p Entry> {
        let Expr::Attribute { value, name } = model.expr(callee) else { return None };
        let (Expr::Name(object) | Expr::Attribute { name: object, .. }) = model.expr(value) else { return None };
        let kind = self.program.catalog.type_of_variable(object)?;
        self.program.catalog.entry(Symbol::new(&format!("{kind}.{name}")))
    }

    /// What entering `with expr` means.
    pub(super) fn context(&mut self, frame: &mut Frame<'p>, expr: ExprId) -> Context {
        let span = frame.model.span(expr);
        let value = self.expression(frame, expr);
        let mut out = Context { value, manager: Effects::NOTHING, mutes: false, quiets: false, guard: None };
        match self.values.node(value).clone() {
            Node::Generator(function, args) => {
                let mut substitution = Substitution::default();
                substitution.parameters(function, &args);
                self.capture_environment(frame, function, &mut substitution);
                if let Some(summary) = self.summary(function) {
                    let manager = self.replaced_effect(summary.effects, &mut substitution);
                    let summed = self.effects.summed(manager);
                    if summed.hole && summed.events {
                        out.manager = self
                            .effects
                            .make(Effect::Call { function, site: frame.site(span), body: manager }, &self.values);
                    }
                }
            }
            Node::Instance(class, _) => {
                let part = |engine: &mut Self, frame: &mut Frame<'p>, name: &str| {
                    let Some(method) = engine.program.method(class, Symbol::new(name)) else { return Effects::NOTHING };
                    let outer = std::mem::take(&mut frame.sequence);
                    let arguments = Arguments { receiver: Some(value), ..Arguments::default() };
                    engine.call_function(frame, method, arguments, span);
                    let effect = engine.take_sequence(frame);
                    frame.sequence = outer;
                    effect
                };
                let enter = part(self, frame, "__enter__");
                let exit = part(self, frame, "__exit__");
                if enter != Effects::NOTHING || exit != Effects::NOTHING {
                    let hole = self.effects.make(Effect::Hole, &self.values);
                    let inside =
                        Effect::Try { body: hole, handlers: Box::from([]), orelse: Effects::NOTHING, finally: exit };
                    let inside = self.effects.make(inside, &self.values);
                    out.manager = self.effects.seq(&[enter, inside], &self.values);
                }
            }
            Node::Apply(name, _) | Node::External(name) => {
                if let Some(Entry::Wrapper(wrapper)) = self.program.catalog.entry(name) {
                    out.mutes = *wrapper == Wrapper::EvensOut;
                    out.quiets = *wrapper == Wrapper::NoSync;
                }
            }
            _ => {}
        }
        out
    }

    /// What pulling elements out of an iterated value issues on each turn: generators run when they are pulled.
    pub(super) fn pulled(&mut self, frame: &mut Frame<'p>, iter: Value, span: Span) -> EffectId {
        match self.values.node(iter).clone() {
            Node::Generator(function, args) => {
                if !self.reaches(function) {
                    return Effects::NOTHING;
                }
                let mut substitution = Substitution::default();
                substitution.parameters(function, &args);
                self.capture_environment(frame, function, &mut substitution);
                let Some(summary) = self.summary(function) else { return Effects::NOTHING };
                let body = self.replaced_effect(summary.effects, &mut substitution);
                // The body of the generator's own loop is what one pull runs.
                let body = self.one_turn(body);
                self.effects.make(Effect::Call { function, site: frame.site(span), body }, &self.values)
            }
            Node::Mapped(_, parts) => {
                let parts: Vec<EffectId> = parts.iter().map(|&part| self.pulled(frame, part, span)).collect();
                self.effects.seq(&parts, &self.values)
            }
            _ => Effects::NOTHING,
        }
    }

    fn one_turn(&mut self, effect: EffectId) -> EffectId {
        match self.effects.get(effect).clone() {
            Effect::Loop { body, .. } if self.effects.summed(body).hole => body,
            Effect::Seq(parts) => {
                let parts: Vec<EffectId> = parts.iter().map(|&part| self.one_turn(part)).collect();
                self.effects.seq(&parts, &self.values)
            }
            _ => effect,
        }
    }
}

/// Whether a function's name says that every rank leaves with the same.
fn agrees_by_name(name: Symbol) -> bool {
    let name = name.as_str().trim_start_matches('_');
    ["all_gather", "allgather", "all_reduce", "allreduce", "broadcast_object", "sync_object"]
        .iter()
        .any(|start| name.starts_with(start))
}
