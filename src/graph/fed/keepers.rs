//! Methods that put what they are given into a container of their object, or count by it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::takes;
use super::{FILLING, is_of};
use crate::base::{FileId, FunctionId, Symbol};
use crate::graph::context::each_in_context;
use crate::graph::program::Program;
use crate::graph::protocol::Types;
use crate::model::{
    Call, CompareOp, Expr, ExprId, File, Function, FunctionKind, LocalFunction, Stmt, each_expression, each_statement,
    names_in,
};

/// Methods of one name that a call on an object of unknown make may mean.
const MAX_NAMESAKES: usize = 6;

/// Which methods keep what they are given.
pub(super) struct Keepers<'p> {
    pub(super) program: &'p Program,
    types: Types<'p>,
    known: FxHashMap<(FunctionId, u16), bool>,
    /// Attributes that they hand on beside it.
    pub(super) handed: FxHashSet<Symbol>,
}

impl<'p> Keepers<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Keepers { program, types: Types::new(program), known: FxHashMap::default(), handed: FxHashSet::default() }
    }

    /// The methods that a call may mean: those of that name, where they stand for one thing, or that of the object's class and
    /// of those below it, where this is known.
    pub(super) fn meant(&self, file: FileId, local: LocalFunction, call: Call) -> Vec<FunctionId> {
        let program = self.program;
        let model = &program.file(file).model;
        let Expr::Attribute { value, name } = model.expr(call.callee) else { return Vec::new() };
        let named = program.methods_named(name);
        let mut near = named.iter().filter(|&&method| {
            program.same_tree(program.locate(method).0, file) && takes(program, model, call, method)
        });
        let methods: Vec<FunctionId> = near.by_ref().take(MAX_NAMESAKES).copied().collect();
        if near.next().is_none() && methods.iter().all(|&method| are_alike(program, methods[0], method)) {
            return methods;
        }
        let Some(class) = self.types.class_of(file, local, value) else { return Vec::new() };
        let own = program.method(class, name);
        let is_meant = |&method: &FunctionId| {
            let is_below = |below| program.lineage(below).contains(&class);
            Some(method) == own || program.class_of(method).is_some_and(is_below)
        };
        named.iter().copied().filter(is_meant).take(MAX_NAMESAKES).collect()
    }

    /// Whether a method puts something of its parameter into a container of its object, or hands it on to a method that
    /// may.
    pub(super) fn keeps(&mut self, method: FunctionId, position: u16) -> bool {
        if let Some(&known) = self.known.get(&(method, position)) {
            return known;
        }
        let (file, local) = self.program.locate(method);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let keeps = position > 0
            && !definition.skeleton
            && definition.kind == FunctionKind::Def
            && definition.parameters.get(usize::from(position)).is_some_and(|parameter| {
                let own = definition.parameters[0].name;
                keeps_in(model, definition, own, parameter.name, &mut self.handed)
                    || counts_by(model, local, own, parameter.name)
            });
        self.known.insert((method, position), keeps);
        keeps
    }
}

/// Whether two methods of one name stand for one thing: classes of one family have them, or they take the same.
fn are_alike(program: &Program, one: FunctionId, other: FunctionId) -> bool {
    let names = |method: FunctionId| {
        program.function(method).parameters.iter().skip(1).map(|parameter| parameter.name).collect::<Vec<_>>()
    };
    let related = || match (program.class_of(one), program.class_of(other)) {
        (Some(one), Some(other)) => program.lineage(one).iter().any(|base| program.lineage(other).contains(base)),
        _ => false,
    };
    one == other || names(one) == names(other) || related()
}

/// Whether a method fills a container of its object `own` from the parameter, or from what is made of it.
fn keeps_in(
    model: &File,
    definition: &Function,
    own: Symbol,
    parameter: Symbol,
    handed: &mut FxHashSet<Symbol>,
) -> bool {
    let mut held = FxHashSet::default();
    held.insert(parameter);
    let mut keeps = false;
    let is_own = |expr: ExprId| is_attribute_of(model, expr, own);
    // The container itself, or an entry of it.
    let is_container = |expr: ExprId| match model.expr(expr) {
        Expr::Subscript(container, _) => is_own(container),
        _ => is_own(expr),
    };
    // `self.found[key]`, `self.found.setdefault(key, [])`: there is an entry for each key.
    let has_entry_of = |expr: ExprId, held: &FxHashSet<Symbol>| match model.expr(expr) {
        Expr::Subscript(container, key) => is_own(container) && is_of(model, key, held),
        Expr::Call(call) => {
            let call = model.call(call);
            let fills = |name: Symbol| FILLING.contains(&name.as_str());
            matches!(model.expr(call.callee), Expr::Attribute { value, name } if fills(name) && is_own(value))
                && model.list(call.args).first().is_some_and(|&key| is_of(model, key, held))
        }
        _ => false,
    };
    each_statement(model, definition.body, &mut |_, stmt| match stmt {
        Stmt::For { target, iter, .. } if is_of(model, *iter, &held) => held.extend(names_in(model, *target)),
        Stmt::Assign { targets, value } => {
            let comes_in = is_of(model, *value, &held);
            for &target in model.list(*targets) {
                keeps |= has_entry_of(target, &held);
                match model.expr(target) {
                    Expr::Subscript(container, _) => keeps |= comes_in && is_own(container),
                    Expr::Attribute { .. } => {}
                    _ if comes_in => held.extend(names_in(model, target)),
                    _ => {}
                }
            }
        }
        Stmt::AugAssign { target, .. } if has_entry_of(*target, &held) => keeps = true,
        Stmt::AugAssign { target, value, .. } if is_own(*target) && is_of(model, *value, &held) => {
            keeps |= matches!(model.expr(*value), Expr::ListDisplay(_) | Expr::Comprehension(_) | Expr::Call(_));
        }
        Stmt::Expr(expr) => {
            let Expr::Call(call) = model.expr(*expr) else { return };
            let call = model.call(call);
            let parts = || model.list(call.args).iter().copied().filter(|&part| is_of(model, part, &held));
            match model.expr(call.callee) {
                Expr::Attribute { value, .. } if has_entry_of(value, &held) => keeps = true,
                Expr::Attribute { value, name } if FILLING.contains(&name.as_str()) && is_container(value) => {
                    keeps |= parts().next().is_some();
                }
                // `collect(outputs, self.found)`
                Expr::Name(_) if parts().next().is_some() => {
                    keeps = true;
                    handed.extend(model.list(call.args).iter().filter_map(|&part| match model.expr(part) {
                        Expr::Attribute { name, .. } if is_own(part) => Some(name),
                        _ => None,
                    }));
                }
                // `self._keep(outputs)`, `part.process(outputs)`
                _ => keeps |= parts().next().is_some(),
            }
        }
        _ => {}
    });
    keeps
}

/// Whether a method counts, sets or fills something of its object `own` where it asks what is in the parameter: how many losses
/// were finite.
fn counts_by(model: &File, local: LocalFunction, own: Symbol, parameter: Symbol) -> bool {
    let mut held = FxHashSet::default();
    held.insert(parameter);
    let mut counts = false;
    let is_own = |expr: ExprId| is_attribute_of(model, expr, own);
    each_in_context(model, local, &mut |_, stmt, context| {
        let asked = context.conditions.iter().any(|&condition| asks_contents(model, condition, &held));
        match stmt {
            Stmt::Assign { targets, value } => {
                let targets = || model.list(*targets).iter().copied();
                counts |= asked && targets().any(is_own);
                if is_of(model, *value, &held) {
                    held.extend(targets().flat_map(|target| names_in(model, target)).filter(|&name| name != own));
                }
            }
            Stmt::AugAssign { target, .. } => counts |= asked && is_own(*target),
            Stmt::Expr(expr) => {
                if let Expr::Call(call) = model.expr(*expr)
                    && let Expr::Attribute { value, name } = model.expr(model.call(call).callee)
                {
                    counts |= asked && FILLING.contains(&name.as_str()) && is_own(value);
                }
            }
            _ => {}
        }
    });
    counts
}

/// Whether an expression is an attribute of the object that a method is called on.
fn is_attribute_of(model: &File, expr: ExprId, own: Symbol) -> bool {
    matches!(model.expr(expr), Expr::Attribute { value, .. } if model.expr(value) == Expr::Name(own))
}

/// Whether a condition is about what is in one of the variables, not about its kind, or whether it was given.
fn asks_contents(model: &File, condition: ExprId, held: &FxHashSet<Symbol>) -> bool {
    let mut of_kind = false;
    each_expression(model, condition, &mut |_, expr| match expr {
        Expr::Compare(CompareOp::Is | CompareOp::IsNot | CompareOp::In | CompareOp::NotIn, ..) => of_kind = true,
        Expr::Call(call) => {
            let called = model.last_name(model.call(call).callee);
            of_kind |= called.is_some_and(|called| OF_KIND.contains(&called.as_str()));
        }
        _ => {}
    });
    let is_bare = matches!(model.expr(condition), Expr::Name(_) | Expr::Attribute { .. });
    !of_kind && !is_bare && is_of(model, condition, held)
}

/// Functions that ask for the kind of a thing, or how large it is.
const OF_KIND: [&str; 6] = ["isinstance", "hasattr", "callable", "issubclass", "len", "dim"];
