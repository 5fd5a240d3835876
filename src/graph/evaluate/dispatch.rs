//! Which method a call on an object of unknown make runs: that of the class, or what a class below it has instead.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::base::{ClassId, FunctionId, Span, Symbol};
use crate::flow::{ChoiceForm, DISPATCH, Node, Value};
use crate::model::{Expr, ExprId, LocalClass};

use super::afterwards::agrees_by_name;
use super::arguments::Arguments;
use super::{Engine, Frame};

/// Methods of classes below that are looked into; more of them are as many programs.
const MAX_OVERRIDERS: usize = 4;

/// What classes below one have instead of a method of theirs.
#[derive(Clone)]
pub(in crate::graph) struct Overriders {
    /// Those that are looked into, the farthest below first.
    methods: Rc<[FunctionId]>,
    /// Whether there are no others.
    complete: bool,
}

impl<'p> Engine<'p> {
    /// A call of `method`, which is what `class` understands by its name: of the object's own class, if that is known;
    /// otherwise a choice between what the class has and what classes below it have instead. Which of them it is is the
    /// same for all ranks.
    pub(super) fn dispatched(
        &mut self,
        frame: &mut Frame<'p>,
        class: ClassId,
        method: FunctionId,
        arguments: Arguments,
        span: Span,
    ) -> Value {
        let receiver = arguments.receiver.filter(|&receiver| !matches!(self.values.node(receiver), Node::Instance(..)));
        let Some(receiver) = receiver else { return self.call_method(frame, method, arguments, span) };
        let name = self.program.function(method).name;
        let is_abstract = self.is_abstract(method);
        let overriders = self.overriders(class, name, is_abstract);
        let mut others: Vec<FunctionId> = overriders.methods.to_vec();
        others.retain(|&other| self.runs_with(frame, class, other));
        // A method that says nothing is not meant to run: it is the last of the others, or one that was left out.
        let own = match is_abstract {
            true if overriders.complete => others.pop(),
            true => None,
            false => Some(method),
        };
        let result = self.any_of(frame, receiver, (name, own), &others, arguments, span);
        // What is called so agrees, though the class for one process hands back what it is handed.
        let agrees = agrees_by_name(name) || name.as_str().starts_with("broadcast");
        match agrees && !others.is_empty() && !self.values.vary(result).is_empty() {
            true => self.unknown(frame, span),
            false => result,
        }
    }

    /// Either of several methods: the first whose class the object is of, or `own`; if there is none, one of that name of
    /// which nothing is known.
    fn any_of(
        &mut self,
        frame: &mut Frame<'p>,
        receiver: Value,
        own: (Symbol, Option<FunctionId>),
        others: &[FunctionId],
        arguments: Arguments,
        span: Span,
    ) -> Value {
        let Some((&other, rest)) = others.split_first() else {
            return match own {
                (_, Some(own)) => self.call_method(frame, own, arguments, span),
                (name, None) => self.opaque_call(name, &arguments, span, frame),
            };
        };
        let Some(class) = self.program.class_of(other) else {
            return self.any_of(frame, receiver, own, rest, arguments, span);
        };
        let kind = self.values.make(Node::Kind(receiver));
        let class = self.values.make(Node::Class(class));
        let test = self.values.make(Node::Apply(Symbol::new(DISPATCH), Box::from([kind, class])));
        let negated = self.values.make(Node::Not(test));
        let (none, given) = (self.none, arguments.clone());
        let mut results = [none; 2];
        let then = self.arm(frame, Some(test), |engine, frame| {
            results[0] = engine.call_method(frame, other, given, span);
        });
        let otherwise = self.arm(frame, Some(negated), |engine, frame| {
            results[1] = engine.any_of(frame, receiver, own, rest, arguments, span);
        });
        self.choose(frame, test, span, ChoiceForm::Expression, then.0, otherwise.0);
        self.merge(frame, test, span, (then.1, then.2), (otherwise.1, otherwise.2));
        match results {
            [one, other] if one == other => one,
            [one, other] => self.values.make(Node::If(test, one, other)),
        }
    }

    /// Whether an object of known class runs what a class below has instead of the method that was called: the answer to
    /// the question that `any_of` left open, once it is asked of that object.
    pub(super) fn runs_method_below(&self, question: Symbol, parts: &[Value]) -> Option<bool> {
        let &[kind, below] = parts else { return None };
        let (Node::Kind(object), Node::Class(below)) = (self.values.node(kind), self.values.node(below)) else {
            return None;
        };
        if question.as_str() != DISPATCH {
            return None;
        }
        let is_above = |class: ClassId, other: ClassId| self.program.lineage(other).contains(&class);
        match *self.values.node(*object) {
            Node::Instance(class, _) => Some(is_above(*below, class)),
            // An annotation says what the object is at least.
            Node::Parameter(function, position) => {
                let class = self.annotated_parameter(function, position)?;
                match is_above(*below, class) {
                    true => Some(true),
                    false => (!is_above(class, *below)).then_some(false),
                }
            }
            _ => None,
        }
    }

    /// The methods of that name below a class, the farthest from it first: those that communicate, or, if there are few,
    /// `all`.
    fn overriders(&mut self, class: ClassId, name: Symbol, all: bool) -> Overriders {
        if let Some(known) = self.memo.overriders.get(&(class, name)) {
            return known.clone();
        }
        let program = self.program;
        let mut found: Vec<(usize, bool, FunctionId)> = Vec::new();
        for &method in program.methods_named(name) {
            let Some(of) = program.class_of(method).filter(|&of| of != class) else { continue };
            let communicates = self.reaches(method);
            if (communicates || all) && program.lineage(of).contains(&class) && !self.is_abstract(method) {
                found.push((program.lineage(of).len(), communicates, method));
            }
        }
        let complete = found.len() <= MAX_OVERRIDERS;
        if !complete {
            found.retain(|&(_, communicates, _)| communicates);
        }
        found.sort_by_key(|&(depth, _, method)| (std::cmp::Reverse(depth), method));
        let methods = found.into_iter().take(MAX_OVERRIDERS).map(|(_, _, method)| method).collect();
        let found = Overriders { methods, complete };
        self.memo.overriders.insert((class, name), found.clone());
        found
    }

    /// The classes of the program that descend from a class.
    pub(super) fn classes_below(&mut self, class: ClassId) -> Rc<[ClassId]> {
        let program = self.program;
        let below = self.memo.below.get_or_insert_with(|| {
            let mut below: FxHashMap<ClassId, Vec<ClassId>> = FxHashMap::default();
            for file in program.file_ids() {
                for local in 0..program.file(file).model.classes.len() as u32 {
                    let id = program.class_id(file, LocalClass(local));
                    for &above in &program.lineage(id)[1..] {
                        below.entry(above).or_default().push(id);
                    }
                }
            }
            below.into_iter().map(|(class, below)| (class, below.into())).collect()
        });
        below.get(&class).cloned().unwrap_or_default()
    }

    /// Whether the function under evaluation, a method of `class`, runs for objects of the class that `other` is a method
    /// of: that class has no method of its own in its place, or one that comes back to it through `super()`.
    fn runs_with(&self, frame: &Frame<'p>, class: ClassId, other: FunctionId) -> bool {
        let program = self.program;
        let (Some(below), true) = (program.class_of(other), frame.class == Some(class)) else { return true };
        let name = program.function(frame.function).name;
        match program.method(below, name) {
            Some(instead) if instead != frame.function => {
                let (file, local) = program.locate(instead);
                let model = &program.file(file).model;
                let callees = &model.function(local).callees;
                model.function(local).skeleton || callees.iter().any(|callee| is_super(model, callee.expr, name))
            }
            _ => true,
        }
    }

    /// Whether a method's body says that subclasses define it.
    fn is_abstract(&self, method: FunctionId) -> bool {
        let (file, local) = self.program.locate(method);
        let model = &self.program.file(file).model;
        says_nothing(model, model.function(local).body)
    }
}

/// Whether the expression is `super().name`.
fn is_super(model: &crate::model::File, expr: ExprId, name: Symbol) -> bool {
    let Expr::Attribute { value, name: called } = model.expr(expr) else { return false };
    let Expr::Call(call) = model.expr(value) else { return false };
    called == name && matches!(model.expr(model.call(call).callee), Expr::Name(name) if name.as_str() == "super")
}

/// Whether a body says that it is for subclasses to fill: a documentation string, then nothing, `pass`, `...` or
/// `raise NotImplementedError`.
pub(super) fn says_nothing(model: &crate::model::File, body: crate::model::Block) -> bool {
    model.block(body).iter().all(|&stmt| match model.stmt(stmt) {
        crate::model::Stmt::Raise(Some(exception)) => is_not_implemented(model, *exception),
        crate::model::Stmt::Expr(expr) => matches!(model.expr(*expr), Expr::Str(_) | Expr::Missing),
        _ => false,
    })
}

fn is_not_implemented(model: &crate::model::File, exception: ExprId) -> bool {
    match model.expr(exception) {
        Expr::Call(call) => is_not_implemented(model, model.call(call).callee),
        Expr::Name(name) => name.as_str() == "NotImplementedError",
        _ => false,
    }
}
