//! Calls that can wait: what they issue is looked into when somebody asks, unless what is handed over makes it another thing.

use super::super::resolve::Target;
use super::{Engine, Frame};
use crate::base::{ClassId, FunctionId, Span, Symbol};
use crate::flow::{Effect, INITIALIZED, Node, Value};
use crate::model::{Expr, ExprId, Flow, Function, FunctionKind, LocalFunction, Stmt, each_expression, each_statement};

/// Objects that others were made with, one within the other.
const MAX_HELD: u8 = 3;

/// Longest list that is looked through for such objects.
const MAX_LISTED: usize = 8;

/// Names that a short function mentions at most which does no more than ask whether a job was started.
const MAX_MENTIONS: usize = 8;

/// Names that a function mentions at most which is looked into for what it makes.
const MAX_MAKER: usize = 60;

/// Weight of what a function issues up to which it is looked into anew for each object that it is handed.
const MAX_WEIGHT: u32 = 60;

impl<'p> Engine<'p> {
    /// Whether a function says in one sentence what an attribute comes to, and asks nobody: two questions of an object in
    /// these terms may settle each other. Or whether all that it says is a number, such as a root.
    fn is_said_at_once(&self, function: FunctionId) -> bool {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let is_number =
            |stmt: &Stmt| matches!(*stmt, Stmt::Return(Some(said)) if matches!(model.expr(said), Expr::Int(_)));
        let last = model.block(definition.body).last();
        if definition.guards.is_empty()
            && definition.callees.len() <= MAX_MENTIONS
            && last.is_some_and(|&last| is_number(model.stmt(last)))
        {
            return true;
        }
        let says = |stmt: &Stmt| match *stmt {
            Stmt::Return(Some(said)) if matches!(model.expr(said), Expr::Compare(..) | Expr::And(_) | Expr::Or(_)) => {
                let mut calls = false;
                each_expression(model, said, &mut |_, expr| calls |= matches!(expr, Expr::Call(_)));
                !calls
            }
            _ => false,
        };
        !model.list(definition.decorators).is_empty()
            && definition.callees.len() <= MAX_MENTIONS
            && model.block(definition.body).last().is_some_and(|&last| says(model.stmt(last)))
            && self.has_decorator(file, local, "property")
    }

    /// Whether a function is given nothing and does little else than return a variable of its module that its name calls a
    /// group: which one that is it says at once.
    fn hands_out_a_group(&self, function: FunctionId) -> bool {
        let definition = self.program.function(function);
        if !definition.parameters.is_empty()
            || definition.mentions.len() > MAX_MENTIONS
            || !definition.name.as_str().ends_with("group")
        {
            return false;
        }
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let last = model.block(model.function(local).body).last().map(|&last| model.stmt(last));
        matches!(last, Some(&Stmt::Return(Some(value))) if matches!(model.expr(value), Expr::Name(_)))
    }

    /// Whether a short function is handed nothing and returns an object that it makes of a class of the program, which ranks ask
    /// for what is their own: of which class it is it says at once.
    fn hands_out_an_object(&self, function: FunctionId) -> bool {
        let definition = self.program.function(function);
        if !definition.parameters.is_empty() || definition.mentions.len() > 2 * MAX_MENTIONS {
            return false;
        }
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let tells = |made: ExprId| {
            let Expr::Call(call) = model.expr(made) else { return false };
            let Some(Target::Class(class)) = self.program.target(file, local, model.call(call).callee) else {
                return false;
            };
            self.program.class(class).methods.iter().any(|&(name, _)| self.taint.holds(name))
        };
        let mut found = false;
        each_statement(model, model.function(local).body, &mut |_, stmt| {
            found |= matches!(*stmt, Stmt::Return(Some(made)) if tells(made));
        });
        found
    }

    /// Whether a function returns what it may have made of an object that deals its items out to ranks.
    fn hands_out_a_dealer(&self, function: FunctionId) -> bool {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let dealers = self.taint.dealers(self.program);
        if definition.mentions.len() > MAX_MAKER || !definition.mentions.iter().any(|name| dealers.contains(name)) {
            return false;
        }
        let mut returns = false;
        each_statement(model, definition.body, &mut |_, stmt| returns |= matches!(stmt, Stmt::Return(Some(_))));
        returns
    }

    /// Whether a value is an object that deals its items out to ranks, or one that is made with such an object.
    fn is_dealer(&self, value: Value) -> bool {
        let dealers = self.taint.dealers(self.program);
        let mut pending = vec![value];
        for _ in 0..MAX_LISTED {
            let Some(value) = pending.pop() else { return false };
            let Node::Instance(class, given) = self.values.node(value) else { continue };
            let mut classes = self.program.lineage(*class).iter();
            if classes.any(|&class| dealers.contains(&self.program.class(class).name)) {
                return true;
            }
            pending.extend(given.iter().rev());
        }
        false
    }

    /// Whether a class method makes an object of its class out of what it is handed: what that holds is asked later.
    fn makes_its_own(&self, function: FunctionId) -> bool {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let Some(receiver) = definition.parameters.first().map(|parameter| parameter.name) else { return false };
        !model.list(definition.decorators).is_empty()
            && definition.callees.len() <= MAX_MENTIONS
            && definition.callees.iter().any(|callee| model.expr(callee.expr) == Expr::Name(receiver))
            && self.has_decorator(file, local, "classmethod")
    }

    /// Whether a call can be left unlooked into for now: by its names the callee neither returns nor keeps anything that
    /// differs between ranks, nor raises on some of them, and it is handed nothing that does.
    pub(super) fn may_wait(&self, function: FunctionId, bound: &[Value]) -> bool {
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
            || self.taint.raises(definition.name)
            || asks_for_job(definition)
            || may_leave_job(definition)
            || self.is_said_at_once(function)
            || self.makes_its_own(function)
            || self.hands_out_a_group(function)
            || self.hands_out_an_object(function)
            || self.hands_out_a_dealer(function)
            || self.ends_in_failure(function)
            || self.shards(definition)
            || self.makes_of_package(definition)
        {
            return false;
        }
        let mut flows = definition.flows.iter().filter(|flow| !flow.is_constant());
        if flows.any(|flow| flow.attribute().is_some_and(|name| self.taint.holds(name))) {
            return false;
        }
        !self.is_handed_objects(function, bound)
            && bound.iter().all(|&arg| {
                let facts = self.values.facts(arg);
                facts.vary.is_empty()
                    && facts.shape.is_empty()
                    && !facts.wrapped
                    && !self.yields_what_differs(arg)
                    && !self.is_handed_to_be_called(arg)
                    && !self.names_a_method(arg)
                    && !self.is_dealer(arg)
            })
    }

    /// Whether a value is a loader, the same everywhere, whose batches are not.
    fn yields_what_differs(&self, value: Value) -> bool {
        self.values.yielded(value).is_some_and(|batch| !self.values.vary(batch).is_empty())
    }

    /// Whether a method changes its object on some ranks alone, because they alone call it, or call a method in it that does:
    /// it is another one there, for a caller who asks.
    pub(super) fn writes_apart(&self, frame: &Frame<'p>, function: FunctionId) -> bool {
        let definition = self.program.function(function);
        if definition.class.is_none() {
            return false;
        }
        let caller = frame.model.function(frame.local);
        let (asked, told) = (&caller.mentions, self.taint.writes_apart(caller.name));
        if self.taint.writes_apart(definition.name).iter().any(|name| asked.contains(name)) {
            return true;
        }
        let mut written = definition.flows.iter().filter_map(Flow::attribute);
        frame.guards.iter().any(|&guard| !self.values.vary(guard).is_empty())
            && written.any(|name| asked.contains(&name) || told.contains(&name))
    }

    /// Whether a call hands over a wrapped model, or an object that holds a function, to who runs it on some ranks only: what
    /// it issues is known here, and who issues it there. Or an object that was made with something that differs, to who asks it before something is issued.
    pub(super) fn is_used_apart(&mut self, function: FunctionId, bound: &[Value]) -> bool {
        if !self.reaches(function) {
            return false;
        }
        let differs = bound.iter().any(|&arg| match self.values.node(arg) {
            Node::Instance(_, given) => given.iter().any(|&part| !self.values.vary(part).is_empty()),
            _ => false,
        });
        if !differs && !self.are_run(function, bound, true) {
            return false;
        }
        let Some(summary) = self.summary(function) else { return false };
        let summed = self.effects.summed(summary.effects);
        let invokes = summed.invokes && !summed.varies.is_empty();
        invokes && self.are_run(function, bound, summed.weight <= MAX_WEIGHT) || differs && summed.events && summed.open
    }

    /// Whether any of the arguments is something that is run, or holds it.
    fn are_run(&self, function: FunctionId, bound: &[Value], objects: bool) -> bool {
        let takes_object = self.program.function(function).takes_object();
        bound.iter().enumerate().any(|(at, &arg)| match self.values.node(arg) {
            // What its own methods issue a method knows by itself.
            Node::Instance(class, given) if at == 0 && takes_object => {
                let is_itself = |part: Value| matches!(self.values.node(part), Node::Instance(of, _) if of == class);
                given.iter().any(|&part| !is_itself(part) && self.holds_what_runs(part, objects, MAX_HELD - 1))
            }
            _ => self.holds_what_runs(arg, objects, MAX_HELD),
        })
    }

    /// Whether a value is something that is run, or holds it: a function, a wrapped model, and an object that issues something, if
    /// these are asked for.
    fn holds_what_runs(&self, value: Value, objects: bool, fuel: u8) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        match self.values.node(value) {
            Node::Typed(kind) => self.program.catalog.reduces_gradients(*kind),
            Node::Function(..) | Node::Closure(..) | Node::Partial(..) => true,
            Node::Instance(class, given) => {
                objects && self.has_method_that_issues(*class)
                    || given.iter().any(|&part| self.holds_what_runs(part, objects, fuel))
            }
            Node::Sequence(parts) if parts.len() <= MAX_LISTED => {
                parts.iter().any(|&part| self.holds_what_runs(part, objects, fuel))
            }
            Node::If(_, then, otherwise) => {
                [then, otherwise].iter().any(|&&arm| self.holds_what_runs(arm, objects, fuel))
            }
            _ => false,
        }
    }

    /// Whether an object of the class issues something when a method of it is called by a name that tells no class: one that
    /// several have, and that is no module's.
    fn has_method_that_issues(&self, class: ClassId) -> bool {
        let mut classes = self.program.lineage(class).iter();
        classes.any(|&class| {
            let (file, local) = self.program.locate_class(class);
            let methods = &self.program.file(file).model.class(local).methods;
            let issues = |function: LocalFunction| self.reaches(self.program.function_id(file, function));
            let tells_none = |name: Symbol| {
                !name.as_str().starts_with("__")
                    && name.as_str() != "forward"
                    && self.program.methods_named(name).len() > 1
            };
            methods.iter().any(|&(name, function)| tells_none(name) && issues(function))
        })
    }

    pub(super) fn pending_call(
        &mut self,
        frame: &mut Frame<'p>,
        function: FunctionId,
        bound: Vec<Value>,
        span: Span,
    ) -> Value {
        if self.reaches(function) {
            let effect = Effect::Pending { function, site: frame.site(span), args: bound.clone().into() };
            let effect = self.effects.make(effect, &self.values);
            self.emit(frame, effect);
        }
        if let Some(object) = self.made_by_its_class(function, &bound) {
            return object;
        }
        if bound.iter().any(|&arg| self.values.facts(arg).open) {
            let callee = self.values.make(Node::Function(function, None));
            return self.values.make(Node::Invoked(callee, bound.into()));
        }
        // What ranks have said to each other is another answer each time.
        match self.reaches(function) {
            true => self.unknown(frame, span),
            false => self.unfollowed(frame, function, bound, span),
        }
    }

    /// The object that a class method makes which returns nothing else, `return cls(…)`, and is too large to be looked into for what
    /// it is made of (`makes_its_own`).
    fn made_by_its_class(&mut self, function: FunctionId, bound: &[Value]) -> Option<Value> {
        let Node::Class(class) = *self.values.node(*bound.first()?) else { return None };
        if !self.is_class_method(function) {
            return None;
        }
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let receiver = definition.parameters.first()?.name;
        let (mut makes, mut otherwise) = (false, false);
        each_statement(model, definition.body, &mut |_, stmt| {
            if let Stmt::Return(said) = *stmt {
                let is_made = said.is_some_and(|said| match model.expr(said) {
                    Expr::Call(call) => model.expr(model.call(call).callee) == Expr::Name(receiver),
                    _ => false,
                });
                (makes, otherwise) = (makes || is_made, otherwise || !is_made);
            }
        });
        (makes && !otherwise).then(|| self.made_of(class, &[]))
    }
}

/// Whether a function is given nothing and asks for little more than whether a job of several ranks was started: where one
/// was, its answer is known.
fn asks_for_job(definition: &Function) -> bool {
    definition.parameters.is_empty()
        && definition.mentions.len() <= MAX_MENTIONS
        && definition.mentions.iter().any(|name| name.as_str() == INITIALIZED)
}

/// Whether a function is given nothing and does little more than tell this process its environment: what it says there may
/// take the process out of its job.
fn may_leave_job(definition: &Function) -> bool {
    definition.parameters.is_empty()
        && definition.mentions.len() <= MAX_MENTIONS
        && definition.mentions.iter().any(|name| name.as_str() == "environ")
}
