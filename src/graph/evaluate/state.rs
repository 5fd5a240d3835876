//! What classes, modules and enclosing functions hold.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::resolve::{Scope, Target};
use super::births::Asked;
use super::rebound::is_rebound;
use super::{Engine, Frame};
use crate::base::{ClassId, FileId, FunctionId, Site, Span, Symbol};
use crate::flow::{Node, Value};
use crate::model::{Expr, IN_PLACE, LocalFunction, Stmt, each_statement};

/// Choices in a value that are looked through.
const MAX_CHOICES: u8 = 6;

/// Classes below one that are asked what they leave in an attribute.
const MAX_BELOW: usize = 8;

impl<'p> Engine<'p> {
    /// A nested function that leaves its home takes along the variables it uses.
    pub(super) fn closed_over(&mut self, frame: &Frame<'p>, value: Value) -> Value {
        let Node::Function(nested, None) = *self.values.node(value) else { return value };
        let (file, local) = self.program.locate(nested);
        if file != frame.file || frame.model.function(local).parent != Some(frame.local) {
            return value;
        }
        let mut used: FxHashSet<Symbol> = FxHashSet::default();
        each_statement(frame.model, frame.model.function(local).body, &mut |_, stmt| {
            for root in crate::model::expressions_of(frame.model, stmt) {
                crate::model::each_expression(frame.model, root, &mut |_, expr| {
                    if let Expr::Name(name) = expr {
                        used.insert(name);
                    }
                });
            }
        });
        let mut captured: Vec<(FunctionId, Symbol, Value)> = Vec::new();
        for name in used {
            if let Some(value) = frame.get(name) {
                captured.push((frame.function, name, value));
            } else if let Scope::Local(owner) = self.program.scope_of(file, local, name)
                && owner != local
                && owner != frame.local
            {
                // What its home sees of a function around it.
                let owner = self.program.function_id(file, owner);
                captured.push((owner, name, self.values.make(Node::Capture(owner, name))));
            }
        }
        captured.sort_by_key(|(_, name, _)| name.as_str());
        self.values.make(Node::Closure(nested, captured.into()))
    }

    /// The value of a module's top-level variable.
    pub(super) fn global_variable(&mut self, file: FileId, name: Symbol) -> Value {
        self.births.asks(Asked::Global(file, name));
        if let Some(&known) = self.globals.get(&(file, name)) {
            return known;
        }
        let fallback = self.values.make(Node::External(self.program.dotted(Target::Variable(file, name))));
        self.globals.insert((file, name), fallback);
        let program = self.program;
        let model = &program.file(file).model;
        let mut value = fallback;
        if self.says_whether_joined(file, name) {
            value = self.whether_joined();
            self.globals.insert((file, name), value);
            return value;
        }
        if let Some(expr) = program.single_assignment(file, model.module(), name) {
            let only_begins = matches!(model.expr(expr), Expr::None | Expr::Int(_) | Expr::Bool(_) | Expr::Str(_));
            if !only_begins || !is_rebound(model, name) {
                let mut frame = self.module_frame(file);
                self.births.begin(Asked::Global(file, name));
                value = self.expression(&mut frame, expr);
                self.births.end();
            } else {
                self.marks.switches.insert(fallback, (file, name));
            }
        }
        let begins = matches!(
            self.values.node(value),
            Node::None | Node::Unknown(_) | Node::External(_) | Node::Int(_) | Node::Bool(_) | Node::Str(_)
        );
        if begins
            && program.catalog.convention(name).is_none()
            && let Some(left) = self.left_by_functions(file, name)
        {
            self.globals.insert((file, name), left);
            return left;
        }
        // While one of its writers is looked into nobody knows yet what that leaves.
        if begins && self.is_being_written(file, name) {
            self.globals.remove(&(file, name));
            return value;
        }
        let unhelpful = value == fallback || matches!(self.values.node(value), Node::None | Node::Unknown(_));
        if unhelpful && let Some(convention) = program.catalog.convention(name) {
            let frame = self.module_frame(file);
            value = self.meaning(&convention.value, &frame, Span::default()).unwrap_or(value);
        }
        self.globals.insert((file, name), value);
        value
    }

    pub(super) fn module_frame(&self, file: FileId) -> Frame<'p> {
        let model = &self.program.file(file).model;
        Frame::empty(self.program.function_id(file, model.module()), file, model.module(), model)
    }

    /// What an attribute of objects of the class holds, as its methods leave it; absent when none writes it.
    pub(super) fn attribute(&mut self, class: ClassId, name: Symbol) -> Option<Value> {
        self.births.asks(Asked::Attribute(class, name));
        if let Some(known) = self.attributes.get(&(class, name)) {
            return *known;
        }
        self.births.begin(Asked::Attribute(class, name));
        let value = self.left_in(class, name);
        self.births.end();
        value
    }

    fn left_in(&mut self, class: ClassId, name: Symbol) -> Option<Value> {
        self.attributes.insert((class, name), None);
        let program = self.program;
        let mut found: Vec<Value> = Vec::new();
        // A writer that asks for the attribute itself sees what the others leave; that is not the whole answer.
        let mut partial = false;
        for &owner in program.lineage(class) {
            let writers = self.writers_of(owner);
            let Some(methods) = writers.get(&name) else { continue };
            // A constructor speaks first; a few other writers are enough to know whether ranks differ.
            let writers = methods.iter().take(6).copied().chain(self.writers_apart(owner, name));
            for method in writers.collect::<Vec<_>>() {
                partial |= self.cycles.is_active(method);
                let Some(summary) = self.summary(method) else { continue };
                let written = summary.attributes.iter().find(|(written, _)| *written == name);
                let Some(&(_, value)) = written else { continue };
                if !methods.contains(&method) && self.is_made(value, MAX_CHOICES) {
                    continue;
                }
                let value = match (self.let_in_by(method), found.first()) {
                    (Some(test), Some(&begun)) => self.values.make(Node::If(test, value, begun)),
                    _ => value,
                };
                if !found.contains(&value) {
                    found.push(value);
                    // What the constructor leaves is what the other writers go by.
                    let begun = self.begun(class, name, found[0]);
                    self.attributes.insert((class, name), Some(begun));
                }
            }
        }
        let of_class = if found.is_empty() { self.class_variable(class, name) } else { None };
        if found.is_empty() && of_class.is_none() {
            found.extend(self.left_below(class, name));
        }
        // What the constructor begins with is for those whom nobody tells.
        if let [begun] = [&found[..], of_class.as_slice()].concat()[..]
            && self.only_begins(begun)
            && let Some(told) = self.left_from_outside(class, name, begun)
        {
            found = vec![told];
        }
        let value = match found[..] {
            [] => of_class,
            [one] if !(partial && self.only_begins(one)) => Some(one),
            // A writer that is on its way will leave something else.
            _ => {
                let site = self.site_of_class(class);
                Some(self.values.make(Node::Carried(site, name, found.into())))
            }
        };
        let value = value.map(|value| self.as_made_everywhere(value).unwrap_or(value));
        match partial {
            true => self.attributes.remove(&(class, name)),
            false => self.attributes.insert((class, name), value),
        };
        value
    }

    /// What an attribute holds that a class asks for and leaves to those below it, where it differs between ranks in all of
    /// them that have it.
    fn left_below(&mut self, class: ClassId, name: Symbol) -> Option<Value> {
        if !self.taint.holds(name) {
            return None;
        }
        let below = self.classes_below(class);
        let mut first = None;
        for &below in below.iter().take(MAX_BELOW) {
            if !self.program.lineage(below).iter().any(|&owner| self.writers_of(owner).contains_key(&name)) {
                continue;
            }
            let held = self.attribute(below, name)?;
            if self.values.vary(held).is_empty() {
                return None;
            }
            first = first.or(Some(held));
        }
        first
    }

    /// Methods of the class that have some ranks alone write an attribute, by calling one of its writers.
    fn writers_apart(&self, class: ClassId, name: Symbol) -> Vec<FunctionId> {
        let (file, local) = self.program.locate_class(class);
        let methods = self.program.file(file).model.class(local).methods.iter();
        let methods = methods.filter(|(method, _)| self.taint.writes_apart(*method).contains(&name));
        methods.map(|(_, method)| self.program.function_id(file, *method)).collect()
    }

    /// Whether a value is an object, or something that nobody knows, on some ranks at least: who has none does without it, or
    /// makes its own.
    fn is_made(&self, value: Value, fuel: u8) -> bool {
        match *self.values.node(value) {
            Node::If(_, then, otherwise) => {
                fuel.checked_sub(1).is_some_and(|fuel| [then, otherwise].into_iter().any(|arm| self.is_made(arm, fuel)))
            }
            Node::Instance(..)
            | Node::Typed(_)
            | Node::Mesh(_)
            | Node::World
            | Node::NonMember
            | Node::AxisGroup(_)
            | Node::MadeGroup(..)
            | Node::Unknown(_)
            | Node::Apply(..) => true,
            _ => false,
        }
    }

    /// Whether a value is what something begins with, and nobody has asked anything for it.
    fn only_begins(&self, value: Value) -> bool {
        matches!(self.values.node(value), Node::None | Node::Int(_) | Node::Bool(_) | Node::Str(_))
    }

    /// What an attribute holds for those who write it again: a number is only what it begins with.
    pub(super) fn begun(&mut self, class: ClassId, name: Symbol, first: Value) -> Value {
        match self.values.node(first) {
            Node::Int(_) => {
                let site = self.site_of_class(class);
                self.values.make(Node::Carried(site, name, Box::from([first])))
            }
            _ => first,
        }
    }

    fn site_of_class(&self, class: ClassId) -> Site {
        let (file, local) = self.program.locate_class(class);
        Site { file, span: self.program.file(file).model.class(local).span }
    }

    fn class_variable(&mut self, class: ClassId, name: Symbol) -> Option<Value> {
        for &owner in self.program.lineage(class) {
            let (file, local) = self.program.locate_class(owner);
            let body = self.program.file(file).model.class(local).body;
            if let Some(expr) = self.program.single_assignment(file, body, name) {
                let mut frame = self.module_frame(file);
                (frame.local, frame.function) = (body, self.program.function_id(file, body));
                let value = self.expression(&mut frame, expr);
                // What a field holds that nobody gives is only what it begins with: settings are made so. What is on
                // unless somebody turns it off is on.
                let is_on = *self.values.node(value) == Node::Bool(true);
                let is_default = self.is_constant(value) && !is_on && self.fields(class).contains(&name);
                // Which group an object was made for is asked of the object.
                if is_default && value == self.none && name.as_str().ends_with("group") {
                    return None;
                }
                let is_switch = matches!(self.values.node(value), Node::Bool(_));
                return Some(match is_default || is_switch && self.is_set_below(class, name) {
                    true => self.unknown(&frame, frame.model.span(expr)),
                    false => value,
                });
            }
        }
        None
    }

    /// Whether a class below this one begins with something else under the name.
    fn is_set_below(&mut self, class: ClassId, name: Symbol) -> bool {
        self.classes_below(class).iter().any(|&below| {
            let (file, local) = self.program.locate_class(below);
            let body = self.program.file(file).model.class(local).body;
            self.program.single_assignment(file, body, name).is_some()
        })
    }

    /// Which methods of the class write which attributes of their first parameter, constructors first.
    pub(super) fn writers_of(&mut self, class: ClassId) -> Rc<FxHashMap<Symbol, Vec<FunctionId>>> {
        if let Some(known) = self.memo.writers.get(&class) {
            return known.clone();
        }
        let program = self.program;
        let (file, local) = program.locate_class(class);
        let model = &program.file(file).model;
        let mut out: FxHashMap<Symbol, Vec<FunctionId>> = FxHashMap::default();
        let mut methods: Vec<(Symbol, LocalFunction)> = model.class(local).methods.clone();
        methods.sort_by_key(|(name, method)| (name.as_str() != "__init__", *method));
        for (_, method) in methods {
            let Some(receiver) = model.function(method).parameters.first().map(|first| first.name) else { continue };
            let id = program.function_id(file, method);
            let mut wrote = |target| {
                if let Expr::Attribute { value, name } = model.expr(target)
                    && model.expr(value) == Expr::Name(receiver)
                {
                    let writers = out.entry(name).or_default();
                    if !writers.contains(&id) {
                        writers.push(id);
                    }
                }
            };
            each_statement(model, model.function(method).body, &mut |_, stmt| match stmt {
                Stmt::Assign { targets, .. } => {
                    for &target in model.list(*targets) {
                        match model.expr(target) {
                            Expr::Tuple(parts) | Expr::ListDisplay(parts) => {
                                model.list(parts).iter().for_each(|&part| wrote(part))
                            }
                            // `self.groups[name] = group` changes what `groups` holds.
                            Expr::Subscript(container, _) => wrote(container),
                            _ => wrote(target),
                        }
                    }
                }
                // `self.sums[name] += x`
                Stmt::AugAssign { target, .. } if let Expr::Subscript(container, _) = model.expr(*target) => {
                    wrote(container);
                }
                Stmt::Annotated { target, value: Some(_), .. } | Stmt::AugAssign { target, .. } => wrote(*target),
                Stmt::Expr(expr) => {
                    // `self.items.append(x)` changes what `items` holds, as `self.shard.copy_(x).div_(n)` does.
                    let Expr::Call(call) = model.expr(*expr) else { return };
                    let call = model.call(call);
                    let mut changed = call;
                    while let Expr::Attribute { value, name } = model.expr(changed.callee) {
                        if IN_PLACE.contains(&name.as_str()) {
                            wrote(value);
                        }
                        let Expr::Call(inner) = model.expr(value) else { break };
                        changed = model.call(inner);
                    }
                    match model.expr(call.callee) {
                        Expr::Attribute { value, name } if super::container::changes_receiver(name.as_str()) => {
                            wrote(match model.expr(value) {
                                // `self.found[key].append(x)`
                                Expr::Subscript(container, _) if matches!(name.as_str(), "append" | "extend") => {
                                    container
                                }
                                // `self.found.setdefault(key, []).append(x)`
                                Expr::Call(inner)
                                    if let Expr::Attribute { value: container, name } =
                                        model.expr(model.call(inner).callee)
                                        && name.as_str() == "setdefault" =>
                                {
                                    container
                                }
                                _ => value,
                            });
                        }
                        // `collect(x, self.items)` may fill them.
                        Expr::Name(_) => model.list(call.args).iter().for_each(|&arg| wrote(arg)),
                        _ => {}
                    }
                }
                _ => {}
            });
        }
        let out = Rc::new(out);
        self.memo.writers.insert(class, out.clone());
        out
    }
}
