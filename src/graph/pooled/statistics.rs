//! What a value is made of, and whether as a statistic: a number or a few, however much there is of it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::Symbol;
use crate::model::{Call, Expr, ExprId, File, LocalFunction, Stmt, UnaryOp, each_expression, each_statement};

/// Functions and methods that make a number of a list or a tensor.
const STATISTICS: [&str; 18] = [
    "sum",
    "mean",
    "norm",
    "max",
    "min",
    "numel",
    "nelement",
    "size",
    "len",
    "item",
    "any",
    "all",
    "float",
    "int",
    "prod",
    "count_nonzero",
    "var",
    "std",
];

/// Attributes that say of what make a tensor is, not what is in it.
const MAKES: [&str; 4] = ["dtype", "device", "ndim", "requires_grad"];

/// What makes a tensor of a size, to be filled.
const ALLOCATES: [&str; 10] =
    ["empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "new_empty", "new_zeros"];

/// Functions and methods that pick what a condition holds for: how many that are, the data say.
const PICKS: [&str; 5] = ["nonzero", "argwhere", "masked_select", "flatnonzero", "boolean_mask"];

/// What is pooled is made of.
#[derive(Default)]
pub(super) struct Chain {
    /// Variables by name, and whether only a statistic of them goes in.
    parts: FxHashMap<Symbol, bool>,
    /// Those that hold what was picked from data.
    picked: FxHashSet<Symbol>,
}

impl Chain {
    /// Whether it is made of the variable.
    pub(super) fn holds(&self, name: Symbol) -> bool {
        self.parts.contains_key(&name)
    }

    /// Whether it is made of the variable, and only a statistic of it goes in.
    pub(super) fn holds_statistic(&self, name: Symbol) -> bool {
        self.parts.get(&name) == Some(&true)
    }

    /// Whether how many elements the variable has is this rank's own.
    pub(super) fn counts(&self, name: Symbol) -> bool {
        self.holds_statistic(name) && self.picked.contains(&name)
    }
}

/// Whether a function or method of that name makes a number of what it is given.
fn is_statistic(name: Symbol) -> bool {
    STATISTICS.contains(&name.as_str()) || names_statistic(name)
}

/// Whether something is named as one: `total_norm`, `num_tokens`, `loss_sum`. What lies in a layer of that name is none, and
/// several things are not one.
pub(super) fn names_statistic(name: Symbol) -> bool {
    let of_layers = ["layer", "batch", "group", "instance", "rms"];
    let mut before = "";
    let is_one = name.as_str().split('_').any(|word| {
        let follows = std::mem::replace(&mut before, word);
        let is_norm = matches!(word, "norm" | "norms") && !of_layers.contains(&follows);
        is_norm || matches!(word, "l2norm" | "count" | "counts" | "total" | "sum" | "sums" | "num" | "loss")
    });
    is_one
        && !["_grads", "_gradients", "_params", "_parameters", "_weights"].iter().any(|of| name.as_str().ends_with(of))
}

/// The variables of a function that what it pools is made of: what it puts in, as a statistic already or not.
pub(super) fn chain_of(model: &File, local: LocalFunction, payloads: Vec<(ExprId, bool)>) -> Chain {
    let definitions = definitions(model, local);
    let mut chain = Chain::default();
    // What goes in, whether as a statistic, and the variable that is called one of what it is made of.
    let mut pending: Vec<(ExprId, bool, Option<Symbol>)> =
        payloads.into_iter().map(|(expr, statistic)| (expr, statistic, None)).collect();
    while let Some((expr, statistic, result)) = pending.pop() {
        for (name, statistic) in parts(model, expr, statistic) {
            let statistic = statistic || result.is_some_and(|result| result != name);
            let known = chain.parts.get(&name).copied();
            if known == Some(true) || known == Some(statistic) {
                continue;
            }
            chain.parts.insert(name, statistic);
            if definitions.get(&name).into_iter().flatten().any(|&made_of| picks(model, made_of)) {
                chain.picked.insert(name);
            }
            let made_of = definitions.get(&name).into_iter().flatten();
            let result = Some(name).filter(|&name| names_statistic(name));
            pending.extend(made_of.map(|&made_of| (made_of, statistic, result)));
        }
    }
    chain
}

/// Whether a value holds what a condition picks.
fn picks(model: &File, root: ExprId) -> bool {
    let mut picks = false;
    each_expression(model, root, &mut |_, expr| {
        if let Expr::Call(call) = expr {
            let name = model.last_name(model.call(call).callee);
            picks |= name.is_some_and(|name| PICKS.contains(&name.as_str()));
        }
    });
    picks
}

/// Whether a call reduces along one axis alone: `mask.sum(dim=1)`.
fn is_along_an_axis(model: &File, call: Call) -> bool {
    // A length along an axis is a number.
    if model.last_name(call.callee).is_some_and(|name| name.as_str() == "size") {
        return false;
    }
    let named = model.keywords(call).iter().filter_map(|keyword| keyword.name);
    let by_position = model.list(call.args).iter().any(|&argument| {
        matches!(model.expr(argument), Expr::Int(_) | Expr::Unary(UnaryOp::Minus, _) | Expr::Tuple(_))
    });
    by_position || named.into_iter().any(|name| matches!(name.as_str(), "dim" | "axis"))
}

/// What is assigned to each variable, or put into it.
fn definitions(model: &File, local: LocalFunction) -> FxHashMap<Symbol, Vec<ExprId>> {
    let mut out: FxHashMap<Symbol, Vec<ExprId>> = FxHashMap::default();
    let mut define = |target: ExprId, value: ExprId| match model.expr(target) {
        Expr::Name(name) => out.entry(name).or_default().push(value),
        Expr::Tuple(targets) | Expr::ListDisplay(targets) => {
            for &target in model.list(targets) {
                if let Expr::Name(name) = model.expr(target) {
                    out.entry(name).or_default().push(value);
                }
            }
        }
        _ => {}
    };
    each_statement(model, model.function(local).body, &mut |_, stmt| match stmt {
        Stmt::Assign { targets, value } => model.list(*targets).iter().for_each(|&target| define(target, *value)),
        Stmt::AugAssign { target, value, .. } | Stmt::For { target, iter: value, .. } => define(*target, *value),
        Stmt::Annotated { target, value: Some(value), .. } => define(*target, *value),
        Stmt::Expr(expr) => {
            if let Expr::Call(call) = model.expr(*expr)
                && let call = model.call(call)
                && let Expr::Attribute { value: object, name } = model.expr(call.callee)
                && matches!(name.as_str(), "append" | "extend")
            {
                model.list(call.args).iter().for_each(|&argument| define(object, argument));
            }
        }
        _ => {}
    });
    out
}

/// The variables that a value is made of, each with whether only a statistic of it goes in.
fn parts(model: &File, root: ExprId, statistic: bool) -> Vec<(Symbol, bool)> {
    let mut out = Vec::new();
    let mut pending = vec![(root, statistic)];
    while let Some((expr, statistic)) = pending.pop() {
        let mut all = |exprs: &[ExprId], statistic: bool| pending.extend(exprs.iter().map(|&expr| (expr, statistic)));
        match model.expr(expr) {
            Expr::Name(name) => out.push((name, statistic)),
            Expr::Attribute { name, .. } if MAKES.contains(&name.as_str()) => {}
            Expr::Attribute { value, name } => all(&[value], statistic || name.as_str() == "shape"),
            Expr::Call(call) => {
                let call = model.call(call);
                let name = model.last_name(call.callee);
                if name.is_some_and(|name| ALLOCATES.contains(&name.as_str())) {
                    continue;
                }
                let made = name.is_some_and(is_statistic) && !is_along_an_axis(model, call);
                if let Expr::Attribute { value, .. } = model.expr(call.callee) {
                    all(&[value], statistic || made);
                }
                all(model.list(call.args), statistic || made);
            }
            Expr::Unary(_, inner) | Expr::Starred(inner) | Expr::Await(inner) | Expr::Subscript(inner, _) => {
                all(&[inner], statistic);
            }
            Expr::Binary(_, left, right) => all(&[left, right], statistic),
            Expr::Compare(_, left, right) => all(&[left, right], true),
            Expr::IfElse(at) => all(&model.if_else(at)[1..], statistic),
            Expr::Tuple(items) | Expr::ListDisplay(items) | Expr::Set(items) => all(model.list(items), statistic),
            Expr::Comprehension(at) => {
                let comprehension = model.comprehension(at);
                all(&[comprehension.element], statistic);
                let over: Vec<ExprId> = comprehension.clauses.iter().map(|clause| clause.iter).collect();
                all(&over, statistic);
            }
            _ => {}
        }
    }
    out
}
