//! What those who make objects of a class hand its constructor: `Stage(module, dist.get_rank())`, and the stage asks for its
//! index wherever it has come to.
//!
//! Who makes an object and calls its methods knows what it was given: findings stand there. Here it is about objects that are
//! handed on, kept and returned, so that those who call them know nothing of them.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::communication::{argument, calls_in, is_super};
use super::super::resolve::Target;
use super::substitute::Substitution;
use super::{Engine, Frame};
use crate::base::{ClassId, FileId, FunctionId, Symbol};
use crate::flow::{Node, Value};
use crate::model::{
    Call, Expr, ExprId, LocalFunction, Stmt, calls_by_name, each_call, each_expression, each_statement, names_in,
};

/// Calls of one constructor that are looked at.
const MAX_MAKERS: usize = 12;

/// Parts of a value that are looked through for parameters.
const MAX_PARTS: usize = 40;

/// Variables of a maker that are followed to what they were given, one after the other.
const MAX_STEPS: u8 = 3;

/// A call of a constructor.
pub(super) struct Maker {
    file: FileId,
    local: LocalFunction,
    call: Call,
    /// Whether it is the constructor of a class below that runs the one above it.
    is_below: bool,
}

impl<'p> Engine<'p> {
    /// What an attribute holds that hangs on what its constructor is given, where all who make such an object give it something
    /// that differs between ranks.
    pub(super) fn as_made_everywhere(&mut self, value: Value) -> Option<Value> {
        let facts = self.values.facts(value);
        if !facts.open || !facts.vary.is_empty() {
            return None;
        }
        let mut asked: Vec<(FunctionId, u16)> = Vec::new();
        self.values.search(value, MAX_PARTS, |part, _| {
            if let Node::Parameter(function, position) = *self.values.node(part) {
                asked.push((function, position));
            }
            false
        });
        asked.sort_unstable();
        asked.dedup();
        let &[(constructor, position)] = &asked[..] else { return None };
        let given = self.given_everywhere(constructor, position)?;
        let mut substitution = Substitution::default();
        substitution.given([((constructor, position), given)].into_iter().collect());
        let made = self.replaced(value, &mut substitution);
        (!self.values.vary(made).is_empty()).then_some(made)
    }

    /// What all calls of a constructor give a parameter, if that differs between ranks: what the first one gives stands for them.
    fn given_everywhere(&mut self, constructor: FunctionId, position: u16) -> Option<Value> {
        let at = usize::from(position).checked_sub(1)?;
        let definition = self.program.function(constructor);
        if definition.name.as_str() != "__init__" {
            return None;
        }
        if let Some(&known) = self.memo.given_everywhere.get(&(constructor, position)) {
            return known;
        }
        self.memo.given_everywhere.insert((constructor, position), None);
        let name = definition.parameters.get(usize::from(position))?.name;
        let makers = self.makers(constructor);
        if !makers.iter().any(|maker| maker.is_below || self.lets_go(maker)) {
            return None;
        }
        let given = |maker: &Maker| argument(&self.program.file(maker.file).model, maker.call, Some(at), name);
        let given: Vec<ExprId> = makers.iter().map(given).collect::<Option<_>>()?;
        let may_differ =
            |(maker, given): (&Maker, &ExprId)| self.may_differ(maker.file, maker.local, *given, MAX_STEPS);
        if !makers.iter().zip(&given).all(may_differ) {
            return None;
        }
        let mut first = None;
        for (&Maker { file, local, .. }, given) in makers.iter().zip(given) {
            let mut frame = self.entered(self.program.function_id(file, local));
            self.assign_what_is_named(&mut frame, given);
            let value = self.expression(&mut frame, given);
            let differs = |value: &Value| self.is_place_alone(*value);
            let value = Some(value).filter(differs).or_else(|| self.as_made_everywhere(value))?;
            first = first.or(Some(value));
        }
        self.memo.given_everywhere.insert((constructor, position), first);
        first
    }

    /// Whether a value is a rank's place, or a question about it, and nothing else.
    fn is_place_alone(&self, value: Value) -> bool {
        let is_other = |part: Value| {
            !matches!(
                self.values.node(part),
                Node::Rank(_)
                    | Node::Size(_)
                    | Node::Int(_)
                    | Node::Bool(_)
                    | Node::Str(_)
                    | Node::None
                    | Node::Not(_)
                    | Node::And(..)
                    | Node::Or(..)
                    | Node::If(..)
                    | Node::Compare(..)
                    | Node::Binary(..)
            )
        };
        !self.values.vary(value).is_empty() && !self.values.any_part(value, MAX_PARTS, is_other)
    }

    /// Whether an expression, or what its variables are assigned, mentions what may differ between ranks.
    fn may_differ(&self, file: FileId, local: LocalFunction, expr: ExprId, fuel: u8) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        // What a constructor hands up may be what it was given by those who make objects of its class.
        let is_handed = |name: Symbol| {
            definition.name.as_str() == "__init__"
                && definition.parameters.iter().any(|parameter| parameter.name == name)
        };
        let mut differs = false;
        let mut names: Vec<Symbol> = Vec::new();
        each_expression(model, expr, &mut |_, part| match part {
            Expr::Name(name) | Expr::Attribute { name, .. } if self.taint.holds(name) => differs = true,
            Expr::Name(name) if is_handed(name) => differs = true,
            Expr::Name(name) => names.push(name),
            _ => {}
        });
        let assigned = |name: Symbol| self.program.single_assignment(file, local, name);
        differs || names.into_iter().filter_map(assigned).any(|assigned| self.may_differ(file, local, assigned, fuel))
    }

    /// Gives the variables that an expression names what they are assigned, once in the whole function.
    pub(super) fn assign_what_is_named(&mut self, frame: &mut Frame<'p>, expr: ExprId) {
        self.assign_named(frame, expr, MAX_STEPS);
    }

    fn assign_named(&mut self, frame: &mut Frame<'p>, expr: ExprId, fuel: u8) {
        let Some(fuel) = fuel.checked_sub(1) else { return };
        for name in names_in(frame.model, expr) {
            if frame.get(name).is_none()
                && let Some(assigned) = self.program.single_assignment(frame.file, frame.local, name)
            {
                self.assign_named(frame, assigned, fuel);
                let value = self.expression(frame, assigned);
                frame.set(name, value);
            }
        }
    }

    /// The calls that run a constructor: of its class, of classes below that have none of their own, and by the constructors of
    /// others. Nothing where there are many.
    fn makers(&mut self, constructor: FunctionId) -> Rc<[Maker]> {
        if let Some(known) = self.memo.makers.get(&constructor) {
            return known.clone();
        }
        let found: Rc<[Maker]> = self.find_makers(constructor).into();
        self.memo.makers.insert(constructor, found.clone());
        found
    }

    fn find_makers(&mut self, constructor: FunctionId) -> Vec<Maker> {
        let program = self.program;
        let Some(class) = program.class_of(constructor) else { return Vec::new() };
        let (home, _) = program.locate(constructor);
        let mut made: Vec<ClassId> = vec![class];
        let mut found: Vec<Maker> = Vec::new();
        for &below in self.classes_below(class).iter() {
            match program.method(below, Symbol::new("__init__")) {
                Some(inherited) if inherited == constructor => made.push(below),
                Some(own) if program.class_of(own) == Some(below) => found.extend(self.hands_up(own, constructor)),
                _ => {}
            }
        }
        let names: FxHashSet<Symbol> = made.iter().map(|&class| program.class(class).name).collect();
        let calling = self.calling_classes();
        let mut files: Vec<FileId> = names.iter().filter_map(|name| calling.get(name)).flatten().copied().collect();
        files.sort_unstable();
        files.dedup();
        files.retain(|&file| program.same_tree(file, home));
        // What is not read in full tells no arguments.
        let is_skeleton = |&file: &FileId| {
            let model = &program.file(file).model;
            model.function(model.module()).skeleton
        };
        if files.len() > MAX_MAKERS || files.iter().any(is_skeleton) {
            return Vec::new();
        }
        for file in files {
            let model = &program.file(file).model;
            for (local, _, call) in calls_by_name(model, &names) {
                match program.target(file, local, call.callee) {
                    Some(Target::Class(class)) if made.contains(&class) => {
                        found.push(Maker { file, local, call, is_below: false });
                    }
                    _ => {}
                }
            }
        }
        if found.len() > MAX_MAKERS { Vec::new() } else { found }
    }

    /// The files in which something is called that bears the name of a class.
    fn calling_classes(&mut self) -> Rc<FxHashMap<Symbol, Vec<FileId>>> {
        if let Some(known) = &self.memo.calling_classes {
            return known.clone();
        }
        let program = self.program;
        let mut calling: FxHashMap<Symbol, Vec<FileId>> = FxHashMap::default();
        for file in program.file_ids() {
            calling.extend(program.file(file).model.classes.iter().map(|class| (class.name, Vec::new())));
        }
        for file in program.file_ids() {
            let model = &program.file(file).model;
            for call in model.calls() {
                if let Some(files) = model.last_name(call.callee).and_then(|name| calling.get_mut(&name))
                    && files.last() != Some(&file)
                {
                    files.push(file);
                }
            }
        }
        let calling = Rc::new(calling);
        self.memo.calling_classes = Some(calling.clone());
        calling
    }

    /// The call by which a constructor runs the one above it.
    fn hands_up(&self, own: FunctionId, above: FunctionId) -> Option<Maker> {
        let program = self.program;
        let class = program.class_of(own)?;
        let next = program.lineage(class).iter().skip(1);
        if next.copied().find_map(|base| program.method(base, Symbol::new("__init__"))) != Some(above) {
            return None;
        }
        let (file, local) = program.locate(own);
        let model = &program.file(file).model;
        let runs_above = |call: &Call| match model.expr(call.callee) {
            Expr::Attribute { value, name } => name.as_str() == "__init__" && is_super(model, value),
            _ => false,
        };
        let call = calls_in(model, model.function(local).body).into_iter().map(|(_, call)| call).find(runs_above)?;
        Some(Maker { file, local, call, is_below: true })
    }

    /// Whether the function that makes an object returns it, keeps it in another one or hands it over.
    fn lets_go(&self, &Maker { file, local, call, .. }: &Maker) -> bool {
        let model = &self.program.file(file).model;
        let is_made =
            |value: ExprId| matches!(model.expr(value), Expr::Call(made) if model.call(made).callee == call.callee);
        let mut names: Vec<Symbol> = Vec::new();
        let mut goes = false;
        each_statement(model, model.function(local).body, &mut |_, stmt| {
            let Some((targets, value)) = model.assigned(stmt) else { return };
            if is_made(value) || matches!(model.expr(value), Expr::Name(name) if names.contains(&name)) {
                for &target in targets {
                    match model.expr(target) {
                        Expr::Name(name) => names.push(name),
                        _ => goes = true,
                    }
                }
            }
        });
        let is_it =
            |value: ExprId| is_made(value) || matches!(model.expr(value), Expr::Name(name) if names.contains(&name));
        each_statement(model, model.function(local).body, &mut |_, stmt| {
            goes |= matches!(*stmt, Stmt::Return(Some(value)) if is_it(value));
        });
        each_call(model, local, &mut |_, call| {
            let by_name = model.keywords(call).iter().map(|keyword| keyword.value);
            goes |= model.list(call.args).iter().copied().chain(by_name).any(is_it);
        });
        goes
    }
}
