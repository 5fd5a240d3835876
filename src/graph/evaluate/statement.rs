//! Statements: assignments into the environment, control flow into effects.

use crate::base::{Span, Symbol};
use crate::flow::{ChoiceForm, Effect, EffectId, Effects, Exit, Node, Value};
use crate::model::{BinaryOp, Block, Expr, Import, Stmt, StmtId, WithItem};

use super::super::bindings::ImportedName;
use super::super::resolve::Target;
use super::{Engine, Frame};

impl<'p> Engine<'p> {
    pub(super) fn statement(&mut self, frame: &mut Frame<'p>, id: StmtId) {
        let model = frame.model;
        let span = model.stmt_span(id);
        match model.stmt(id) {
            Stmt::Expr(expr) => {
                self.expression(frame, *expr);
            }
            Stmt::Assign { targets, value } => {
                let value = self.expression(frame, *value);
                for &target in model.list(*targets) {
                    self.assign(frame, target, value);
                }
            }
            Stmt::Annotated { target, annotation, value } => match value {
                Some(value) => {
                    let value = self.expression(frame, *value);
                    self.assign(frame, *target, value);
                }
                None => {
                    if let Some(typed) = self.annotated_type(frame, *annotation) {
                        self.assign(frame, *target, typed);
                    }
                }
            },
            Stmt::AugAssign { target, op, value: added } => {
                let old = self.expression(frame, *target);
                let value = self.expression(frame, *added);
                // `self.found += [x]` puts into the list what `extend` would.
                let is_list = matches!(model.expr(*added), Expr::ListDisplay(_) | Expr::Comprehension(_));
                let joined = if *op == BinaryOp::BitOr { self.joined_set(old, value) } else { None };
                let value = match *op == BinaryOp::Add && is_list {
                    true => self.extended(frame, old, value, span),
                    false => joined.unwrap_or_else(|| self.values.make(Node::Binary(*op, old, value))),
                };
                match model.expr(*target) {
                    Expr::Subscript(container, index) => {
                        let index = self.expression(frame, index);
                        self.update_element(frame, container, index, value, model.span(*target));
                    }
                    _ => self.assign(frame, *target, value),
                }
            }
            Stmt::Return(value) => {
                let value = value.map_or(self.none, |value| self.expression(frame, value));
                self.goes_back(frame, value, span);
                let guard = self.guard(frame);
                frame.returns.push((guard, value));
                self.note_left(frame, guard);
                self.note_returned(frame, value);
                self.leave(frame, Exit::Return, span);
            }
            Stmt::If { test, body, orelse } => {
                let value = self.asked(frame, *test);
                let site = model.span(*test);
                self.note_refusal(frame, *test, *body);
                self.branch(frame, value, site, *body, *orelse);
            }
            Stmt::While { test, body, orelse } => self.while_loop(frame, *test, *body, *orelse),
            Stmt::For { target, iter, body, orelse } => self.for_loop(frame, *target, *iter, *body, *orelse),
            Stmt::With { items, body } => self.with(frame, items, *body),
            Stmt::Match { subject, cases } => {
                self.expression(frame, *subject);
                self.cases(frame, cases);
            }
            Stmt::Try(parts) => self.protected(frame, parts),
            // A method for subclasses to define says nothing about what they do.
            Stmt::Raise(_) if super::dispatch::says_nothing(model, model.function(frame.local).body) => {}
            Stmt::Raise(exception) => {
                if let Some(exception) = exception {
                    self.expression(frame, *exception);
                }
                let names = exception.map_or_else(Vec::new, |exception| self.exception_names(frame, exception));
                self.leave(frame, Exit::Raise(names.into()), span);
            }
            Stmt::Assert(test) => {
                let test_value = self.expression(frame, *test);
                let names = vec![Symbol::new("AssertionError"), Symbol::new("Exception")];
                let fails = self.effects.make(Effect::Exit(Exit::Raise(names.into()), frame.site(span)), &self.values);
                let effect = Effect::Choice {
                    test: test_value,
                    site: frame.site(model.span(*test)),
                    form: ChoiceForm::Assertion,
                    then: Effects::NOTHING,
                    otherwise: fails,
                };
                let effect = self.effects.make(effect, &self.values);
                self.emit(frame, effect);
            }
            Stmt::Delete(targets) => {
                for &target in model.list(*targets) {
                    if let Some(path) = self.path(frame, target) {
                        let unknown = self.unknown(frame, span);
                        self.set_path(frame, path, unknown);
                    }
                }
            }
            Stmt::Break => self.leave(frame, Exit::Break, span),
            Stmt::Continue => self.leave(frame, Exit::Continue, span),
            Stmt::Function(function) => {
                let name = model.function(*function).name;
                let id = self.program.function_id(frame.file, *function);
                let value = self.decorated(frame, id);
                frame.set(name, value);
            }
            Stmt::Class(class) => {
                let id = self.program.class_id(frame.file, *class);
                let value = self.values.make(Node::Class(id));
                frame.set(model.class(*class).name, value);
            }
            Stmt::Import(import) => self.import(frame, import, span),
            Stmt::Outer(_) => {}
        }
    }

    /// What an import binds. Nobody comes past one of a module that is not there: a handler around takes it, or the job ends.
    fn import(&mut self, frame: &mut Frame<'p>, import: &Import, span: Span) {
        let is_left = frame.is_protected || frame.model.module() != frame.local;
        if is_left && self.program.cannot_import(frame.file, import) {
            let names = ["ModuleNotFoundError", "ImportError", "Exception"].map(Symbol::new);
            let exit = if frame.is_protected { Exit::Raise(names.into()) } else { Exit::Abort };
            return self.leave(frame, exit, span);
        }
        for alias in &import.names {
            let (bound, imported) = ImportedName::of(import, alias);
            if let Some(target) = self.program.imported(frame.file, imported) {
                let value = self.target_value(target);
                frame.set(bound, value);
            }
        }
    }

    /// What a resolved name is as a value.
    pub(super) fn target_value(&mut self, target: Target) -> Value {
        match target {
            Target::Function(function) => self.values.make(Node::Function(function, None)),
            Target::Class(class) => self.values.make(Node::Class(class)),
            Target::Module(file) => self.values.make(Node::Module(file)),
            Target::External(dotted) => self.external(dotted),
            Target::Variable(file, name) => self.global_variable(file, name),
        }
    }

    /// The conjunction of the conditions in force.
    pub(super) fn guard(&mut self, frame: &Frame<'p>) -> Option<Value> {
        let (&first, rest) = frame.guards.split_first()?;
        Some(rest.iter().fold(first, |whole, &guard| self.values.make(Node::And(whole, guard))))
    }

    pub(super) fn leave(&mut self, frame: &mut Frame<'p>, exit: Exit, span: Span) {
        let effect = self.effects.make(Effect::Exit(exit, frame.site(span)), &self.values);
        self.emit(frame, effect);
        frame.dead = true;
    }

    pub(super) fn detached(&mut self, frame: &mut Frame<'p>, block: Block) -> EffectId {
        if block.is_empty() {
            return Effects::NOTHING;
        }
        let (effect, changes, _) = self.arm(frame, None, |engine, frame| engine.block(frame, block));
        self.apply(frame, changes);
        effect
    }

    fn with(&mut self, frame: &mut Frame<'p>, items: &'p [WithItem], body: Block) {
        let Some((item, rest)) = items.split_first() else { return self.block(frame, body) };
        let context = self.context(frame, item.context);
        if let Some(target) = item.target {
            self.assign(frame, target, context.value);
        }
        if context.manager == Effects::NOTHING && !context.mutes {
            let around = frame.quiet_on_some.len();
            frame.quiet_on_some.extend(context.quiets_some.map(|when| (frame.model.span(item.context), when)));
            let quiets = context.quiets && context.quiets_some.is_none();
            frame.quiet += u32::from(quiets);
            self.with(frame, rest, body);
            frame.quiet -= u32::from(quiets);
            frame.quiet_on_some.truncate(around);
            return;
        }
        let outer = std::mem::take(&mut frame.sequence);
        self.with(frame, rest, body);
        let inner = self.take_sequence(frame);
        frame.sequence = outer;
        let dead = std::mem::replace(&mut frame.dead, false);
        if !context.mutes {
            let manager = context.manager;
            let scope = self.effects.make(Effect::Scope { manager, body: inner }, &self.values);
            self.emit(frame, scope);
        }
        frame.dead = dead;
    }
}
