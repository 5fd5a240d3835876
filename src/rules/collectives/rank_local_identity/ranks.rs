//! What an expression is: the rank within the node, the rank of the job, or the number of ranks.

use rustc_hash::FxHashSet;

use crate::base::Symbol;
use crate::catalog::{self, Entry, ValueKind};
use crate::graph::{Program, Scope, Target};
use crate::model::{Call, CompareOp, Expr, ExprId, Function, LocalFunction, Stmt, calls_by_name, each_statement};
use crate::rules::calls::{argument, bodies};

use super::{FUEL, Place};

impl Place<'_> {
    /// Whether the expression is the rank within the node, or the index of the current device.
    pub(super) fn is_local(&self, expr: ExprId, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        match self.model.expr(expr) {
            Expr::Name(name) => match self.value_of(name) {
                Value::One(owner, value) => Place { function: owner, ..*self }.is_local(value, fuel),
                Value::Several => false,
                Value::Unknown => is_local_name(self.program, name) && !self.is_handed_otherwise(name, fuel),
            },
            Expr::Attribute { name, .. } => is_local_name(self.program, name) && !self.is_given_the_rank(name, FUEL),
            _ => match self.asked(expr) {
                Asked::Plain(inner) => self.is_local(inner, fuel),
                Asked::Value(value) => is_local_rank(value),
                Asked::CurrentDevice => true,
                Asked::Other => false,
            },
        }
    }

    /// What an expression stands for: where it is a name that is given one value, that value, in the function that gives it.
    pub(super) fn stands_for(&self, expr: ExprId) -> (Self, ExprId) {
        let (mut place, mut expr) = (*self, expr);
        for _ in 0..FUEL {
            let Expr::Name(name) = place.model.expr(expr) else { break };
            let Value::One(function, value) = place.value_of(name) else { break };
            (place, expr) = (Place { function, ..place }, value);
        }
        (place, expr)
    }

    /// Whether the expression is the rank within the node as the launcher tells it, in the environment.
    pub(super) fn is_told_local(&self, expr: ExprId, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        let (place, expr) = self.stands_for(expr);
        match place.asked(expr) {
            Asked::Plain(inner) => place.is_told_local(inner, fuel),
            Asked::Value(value) => is_local_rank(value),
            Asked::CurrentDevice | Asked::Other => false,
        }
    }

    /// Whether the expression is the number of devices of this node: `torch.cuda.device_count()`.
    pub(super) fn counts_devices(&self, expr: ExprId) -> bool {
        let (place, expr) = self.stands_for(expr);
        let Expr::Call(index) = place.model.expr(expr) else { return false };
        let called = place.program.resolve(place.file, place.function, place.model.call(index).callee);
        called.is_some_and(|called| called.last_part().as_str() == "device_count")
    }

    /// Whether the name is a parameter, and all callers that the program has hand something else over: the rank of the job,
    /// whatever the parameter is called. Who runs a function that it is handed gives it what it likes.
    fn is_handed_otherwise(&self, name: Symbol, fuel: u32) -> bool {
        let definition = self.model.function(self.function);
        let Some(at) = definition.parameters.iter().position(|parameter| parameter.name == name) else { return false };
        let this = self.program.function_id(self.file, self.function);
        let bound = usize::from(definition.class.is_some());
        // A constructor is called by the name of its class.
        let called = match definition.class.map(|class| self.model.class(class)) {
            Some(class) if definition.name.as_str() == "__init__" => class.name,
            _ => definition.name,
        };
        let names = FxHashSet::from_iter([called]);
        let mut handed = false;
        for file in self.program.file_ids() {
            let model = &self.program.file(file).model;
            if !model.names().may_hold(called) {
                continue;
            }
            let calls = calls_by_name(model, &names);
            let is_callee = |expr: ExprId| calls.iter().any(|(_, _, call)| call.callee == expr);
            let is_handed_on = |(index, function): (usize, &Function)| {
                let mut mentions = function.callees.iter().map(|callee| callee.expr);
                mentions.any(|expr| {
                    model.last_name(expr) == Some(called)
                        && !is_callee(expr)
                        && self.program.target(file, LocalFunction(index as u32), expr) == Some(Target::Function(this))
                })
            };
            let mut keywords = model.calls().iter().flat_map(|&call| model.keywords(call));
            if keywords.any(|keyword| model.last_name(keyword.value) == Some(called))
                || model.functions.iter().enumerate().any(is_handed_on)
            {
                return false;
            }
            for &(function, _, call) in &calls {
                let runs = match self.program.target(file, function, call.callee) {
                    Some(Target::Function(found)) => Some(found),
                    Some(Target::Class(class)) => self.program.method(class, Symbol::new("__init__")),
                    _ => None,
                };
                if runs != Some(this) {
                    continue;
                }
                let Some(given) = argument(model, call, at.checked_sub(bound), name.as_str()) else { return false };
                if (Place { file, model, function, ..*self }).is_local(given, fuel) {
                    return false;
                }
                handed = true;
            }
        }
        handed
    }

    /// Whether the file gives an attribute of this name the rank of the job, whatever the name says.
    fn is_given_the_rank(&self, attribute: Symbol, fuel: u32) -> bool {
        let mut given = false;
        for function in bodies(self.model) {
            each_statement(self.model, self.model.function(function).body, &mut |_, stmt| {
                let Stmt::Assign { targets, value } = stmt else { return };
                let names = |target: &ExprId| matches!(self.model.expr(*target), Expr::Attribute { name, .. } if name == attribute);
                if !given && self.model.list(*targets).iter().any(names) {
                    given = Place { function, ..*self }.is_the_rank(*value, fuel);
                }
            });
        }
        given
    }

    /// Whether the function asserts that a name, here the rank within the node, is the rank of the job: other jobs end there.
    pub(super) fn is_held_to_the_rank(&self, local: ExprId) -> bool {
        let Expr::Name(name) = self.model.expr(local) else { return false };
        let mut held = false;
        each_statement(self.model, self.model.function(self.function).body, &mut |_, stmt| {
            let Stmt::Assert(test) = stmt else { return };
            let Expr::Compare(CompareOp::Eq, left, right) = self.model.expr(*test) else { return };
            let says =
                |one: ExprId, other: ExprId| self.model.expr(one) == Expr::Name(name) && self.is_the_rank(other, FUEL);
            held |= says(left, right) || says(right, left);
        });
        held
    }

    /// Whether the expression is the rank of the job, where there is one.
    pub(super) fn is_the_rank(&self, expr: ExprId, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        let whole = |value: &catalog::Value| value.kind == ValueKind::Rank && value.axis.as_str() == "world";
        match self.model.expr(expr) {
            Expr::Name(name) => match self.program.scope_of(self.file, self.function, name) {
                Scope::Local(owner) => {
                    let mut rank = false;
                    each_statement(self.model, self.model.function(owner).body, &mut |_, stmt| {
                        let Stmt::Assign { targets, value } = stmt else { return };
                        let names = |target: &ExprId| self.model.expr(*target) == Expr::Name(name);
                        rank |= self.model.list(*targets).iter().any(names) && self.is_the_rank(*value, fuel);
                    });
                    rank
                }
                Scope::Global => false,
            },
            Expr::Attribute { name, .. } => self.is_given_the_rank(name, fuel),
            Expr::IfElse(at) => self.model.if_else(at)[1..].iter().any(|&arm| self.is_the_rank(arm, fuel)),
            _ => match self.asked(expr) {
                Asked::Plain(inner) => self.is_the_rank(inner, fuel),
                Asked::Value(value) => whole(value),
                Asked::CurrentDevice | Asked::Other => false,
            },
        }
    }

    /// Whether the file has anything to do with a job of several ranks: otherwise a name alone says too little.
    pub(super) fn is_of_a_job(&self) -> bool {
        const WORDS: [&str; 6] = ["distributed", "accelerate", "deepspeed", "lightning", "horovod", "megatron"];
        self.model
            .imports
            .iter()
            .flat_map(|(_, import)| import.module.into_iter().chain(import.names.iter().map(|alias| alias.name)))
            .any(|name| WORDS.iter().any(|word| name.as_str().contains(word)))
    }

    /// Whether the expression is the number of ranks of the job.
    pub(super) fn is_world_size(&self, expr: ExprId, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        let whole = |value: &catalog::Value| value.kind == ValueKind::Size && value.axis.as_str() == "world";
        let by_name = |name: Symbol| {
            // The number of ranks of the node has a name of its own.
            !name.as_str().to_ascii_lowercase().contains("local")
                && self.program.catalog.convention(name).is_some_and(|convention| whole(&convention.value))
        };
        match self.model.expr(expr) {
            Expr::Name(name) => match self.value_of(name) {
                Value::One(owner, value) => Place { function: owner, ..*self }.is_world_size(value, fuel),
                Value::Several => false,
                Value::Unknown => by_name(name),
            },
            Expr::Attribute { name, .. } => by_name(name),
            _ => match self.asked(expr) {
                Asked::Plain(inner) => self.is_world_size(inner, fuel),
                Asked::Value(value) => whole(value),
                Asked::CurrentDevice | Asked::Other => false,
            },
        }
    }

    /// What a call or an entry of a mapping asks for.
    fn asked(&self, expr: ExprId) -> Asked<'_> {
        match self.model.expr(expr) {
            Expr::Call(index) => {
                let call = self.model.call(index);
                let first = self.model.list(call.args).first().copied();
                match (self.program.resolve(self.file, self.function, call.callee), first) {
                    (Some(dotted), Some(inner)) if dotted.as_str() == "int" => Asked::Plain(inner),
                    (Some(dotted), None) if dotted.as_str() == "torch.cuda.current_device" => Asked::CurrentDevice,
                    (Some(dotted), None) => match self.program.catalog.entry(dotted) {
                        Some(Entry::Value(value)) => Asked::Value(value),
                        _ => Asked::Other,
                    },
                    _ => self.environment(call).map_or(Asked::Other, Asked::Value),
                }
            }
            Expr::Subscript(..) => self.key_of(expr).map_or(Asked::Other, Asked::Value),
            _ => Asked::Other,
        }
    }

    pub(super) fn value_of(&self, name: Symbol) -> Value {
        let owner = match self.program.scope_of(self.file, self.function, name) {
            Scope::Local(owner) => owner,
            Scope::Global => match self.program.global(self.file, name) {
                Some(Target::Variable(file, _)) if file == self.file => self.model.module(),
                _ => return Value::Unknown,
            },
        };
        if let Some(value) = self.program.single_assignment(self.file, owner, name) {
            return Value::One(owner, value);
        }
        match self.model.function(owner).parameters.iter().any(|parameter| parameter.name == name) {
            true => Value::Unknown,
            false => Value::Several,
        }
    }

    /// `os.environ.get("LOCAL_RANK")`, `os.getenv(…)`
    fn environment(&self, call: Call) -> Option<&catalog::Value> {
        let callee = self.program.resolve(self.file, self.function, call.callee)?;
        if !matches!(callee.as_str(), "os.environ.get" | "os.getenv" | "os.environ.__getitem__") {
            return None;
        }
        match self.model.expr(*self.model.list(call.args).first()?) {
            Expr::Str(key) => self.program.catalog.environment_key(key.as_str()),
            _ => None,
        }
    }

    /// `os.environ["LOCAL_RANK"]`
    fn key_of(&self, expr: ExprId) -> Option<&catalog::Value> {
        let Expr::Subscript(value, index) = self.model.expr(expr) else { return None };
        let environ = self.program.resolve(self.file, self.function, value)?;
        match self.model.expr(index) {
            Expr::Str(key) if environ.as_str() == "os.environ" => self.program.catalog.environment_key(key.as_str()),
            _ => None,
        }
    }
}

/// What an expression that is no name asks for.
enum Asked<'a> {
    /// Nothing but another expression, as a whole number.
    Plain(ExprId),
    /// A value of the catalogue, from a function or the environment.
    Value(&'a catalog::Value),
    /// The index of the current device.
    CurrentDevice,
    Other,
}

/// What a name was given.
pub(super) enum Value {
    One(LocalFunction, ExprId),
    Several,
    Unknown,
}

pub(super) fn is_local_rank(value: &catalog::Value) -> bool {
    value.kind == ValueKind::Rank && value.axis.as_str() == "local"
}

pub(super) fn is_local_name(program: &Program, name: Symbol) -> bool {
    program.catalog.convention(name).is_some_and(|convention| is_local_rank(&convention.value))
}
