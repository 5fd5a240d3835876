//! Parts of a model that only some ranks use: DDP's reducer waits for their gradients on every rank.

use rustc_hash::FxHashSet;

use crate::base::{ClassId, FileId, FunctionId, Site, Symbol};
use crate::catalog::{Entry, ValueKind};
use crate::model::{
    Block, Call, CompareOp, Expr, ExprId, File, LocalFunction, Stmt, each_call, each_expression, each_statement,
    expressions_of,
};

use super::communication::argument;
use super::conduct::bodies;
use super::program::Program;
use super::resolve::Target;

/// Names and methods between a model and its constructor.
const MAX_STEPS: u32 = 6;

/// A part of a model that takes part in `forward` on some ranks only.
#[derive(Clone, Debug)]
pub struct PartlyUsed {
    /// The function in which ranks part.
    pub function: FunctionId,
    /// The attribute that holds the part.
    pub part: Symbol,
    /// What differs between ranks: an argument of the call, or a test inside `forward`.
    pub differs: Site,
    /// The condition inside `forward`.
    pub test: Site,
    /// Where the model is handed to DDP.
    pub wrapped: Site,
}

/// A branch of `forward` that decides about a part, where only one arm uses it.
struct Switch {
    test: ExprId,
    part: Symbol,
}

/// The parts of models under DDP that only some ranks use, in order of files.
pub(super) fn partly_used(program: &Program) -> Vec<PartlyUsed> {
    let mut out = Vec::new();
    let spelled = ["DistributedDataParallel", "DDP"].map(Symbol::new);
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        if !model.function(function).mentions.iter().any(|name| spelled.contains(name)) {
            continue;
        }
        let mut wraps: Vec<(ExprId, Call)> = Vec::new();
        each_call(model, function, &mut |expr, call| {
            let named = program.resolve(file, function, call.callee);
            if named.is_some_and(|name| name.as_str().ends_with("parallel.DistributedDataParallel")) {
                wraps.push((expr, call));
            }
        });
        for (wrap, call) in wraps {
            // It looks for what was not used, or is told that this never changes.
            let looks = ["find_unused_parameters", "static_graph"].into_iter().any(|name| {
                argument(model, call, None, Symbol::new(name))
                    .is_some_and(|given| model.expr(given) != Expr::Bool(false))
            });
            let unseen = model.keywords(call).iter().any(|keyword| keyword.name.is_none());
            let Some(&first) = model.list(call.args).first() else { continue };
            let Some(class) = class_of(program, file, function, first, MAX_STEPS).filter(|_| !looks && !unseen) else {
                continue;
            };
            let wrapped = Site { file, span: model.span(wrap) };
            look(program, file, function, class, wrap, wrapped, &mut out);
        }
    }
    out
}

fn look(
    program: &Program,
    file: FileId,
    function: LocalFunction,
    class: ClassId,
    wrap: ExprId,
    wrapped: Site,
    out: &mut Vec<PartlyUsed>,
) {
    let Some(forward) = program.method(class, Symbol::new("forward")) else { return };
    let (home, local) = program.locate(forward);
    let own = &program.file(home).model;
    let parameters = &own.function(local).parameters;
    let model = &program.file(file).model;
    let handle = bound_to(model, function, wrap);
    for switch in switches(program, class, home, local) {
        let test = Site { file: home, span: own.span(switch.test) };
        // The other arm's part is the same matter.
        if out.iter().any(|known| known.test == test && known.wrapped == wrapped) {
            continue;
        }
        if own_rank(program, home, local, switch.test) {
            out.push(PartlyUsed { function: forward, part: switch.part, differs: test, test, wrapped });
            continue;
        }
        let Some(handle) = handle else { continue };
        // The parameters that decide, and what the calls of the wrapped model give for them.
        let asked = |name: Symbol| {
            let mut found = false;
            each_expression(own, switch.test, &mut |_, expr| found |= expr == Expr::Name(name));
            found
        };
        let mut reported = false;
        each_call(model, function, &mut |_, call| {
            if model.expr(call.callee) != Expr::Name(handle) || reported {
                return;
            }
            for (position, parameter) in parameters.iter().enumerate().skip(1).filter(|(_, p)| asked(p.name)) {
                let given = argument(model, call, Some(position - 1), parameter.name);
                let Some(given) = given.filter(|&given| own_rank(program, file, function, given)) else { continue };
                let differs = Site { file, span: model.span(given) };
                let function = program.function_id(file, function);
                out.push(PartlyUsed { function, part: switch.part, differs, test, wrapped });
                reported = true;
                return;
            }
        });
    }
}

/// The class of this program that a model is of: constructed here, or bound to a name by one statement.
fn class_of(program: &Program, file: FileId, function: LocalFunction, value: ExprId, fuel: u32) -> Option<ClassId> {
    let fuel = fuel.checked_sub(1)?;
    let model = &program.file(file).model;
    match model.expr(value) {
        Expr::Call(call) => {
            let call = model.call(call);
            match (program.target(file, function, call.callee), model.expr(call.callee)) {
                (Some(Target::Class(class)), _) => Some(class),
                // `Net().to(device)`
                (_, Expr::Attribute { value, name }) if matches!(name.as_str(), "to" | "cuda" | "half" | "train") => {
                    class_of(program, file, function, value, fuel)
                }
                _ => None,
            }
        }
        Expr::Name(name) => {
            let mut values = Vec::new();
            each_statement(model, model.function(function).body, &mut |_, stmt| {
                if let Some((targets, value)) = model.assigned(stmt)
                    && targets.iter().any(|&target| model.expr(target) == Expr::Name(name))
                {
                    values.push(value);
                }
            });
            let calls = values.iter().filter(|&&value| matches!(model.expr(value), Expr::Call(_)));
            calls.filter(|&&one| one != value).find_map(|&value| match model.expr(value) {
                Expr::Call(call)
                    if model.list(model.call(call).args).iter().any(|&arg| model.expr(arg) == Expr::Name(name)) =>
                {
                    None
                }
                _ => class_of(program, file, function, value, fuel),
            })
        }
        _ => None,
    }
}

/// The name that a value is bound to.
fn bound_to(model: &File, function: LocalFunction, wanted: ExprId) -> Option<Symbol> {
    let mut found = None;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Some((targets, value)) = model.assigned(stmt)
            && value == wanted
            && let &[target] = targets
            && let Expr::Name(name) = model.expr(target)
        {
            found = Some(name);
        }
    });
    found
}

/// The conditions in `forward` under which one part of the model is used that is used nowhere else in it.
fn switches(program: &Program, class: ClassId, file: FileId, forward: LocalFunction) -> Vec<Switch> {
    let model = &program.file(file).model;
    let parts = parts_of(program, class);
    let mut every: Vec<Symbol> = Vec::new();
    let body = model.function(forward).body;
    each_statement(model, body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            used_in(model, root, &mut every);
        }
    });
    let mut out = Vec::new();
    let mut judge = |test: ExprId, used: Vec<Symbol>| {
        let mut seen: FxHashSet<Symbol> = FxHashSet::default();
        for part in used.iter().copied().filter(|part| parts.contains(part)) {
            let count = |all: &[Symbol]| all.iter().filter(|&&other| other == part).count();
            if seen.insert(part) && count(&used) == count(&every) {
                out.push(Switch { test, part });
            }
        }
    };
    each_statement(model, body, &mut |_, stmt| {
        if let Stmt::If { test, body, orelse } = stmt {
            for arm in [*body, *orelse] {
                judge(*test, used_by(model, arm));
            }
        }
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| {
                if let Expr::IfElse(at) = expr {
                    let [test, then, otherwise] = model.if_else(at);
                    for arm in [then, otherwise] {
                        let mut used = Vec::new();
                        used_in(model, arm, &mut used);
                        judge(test, used);
                    }
                }
            });
        }
    });
    out
}

/// The attributes of `self` that are called.
fn used_in(model: &File, root: ExprId, out: &mut Vec<Symbol>) {
    each_expression(model, root, &mut |_, expr| {
        if let Expr::Call(call) = expr
            && let Expr::Attribute { value, name } = model.expr(model.call(call).callee)
            && matches!(model.expr(value), Expr::Name(object) if matches!(object.as_str(), "self" | "s"))
        {
            out.push(name);
        }
    });
}

fn used_by(model: &File, block: Block) -> Vec<Symbol> {
    let mut out = Vec::new();
    each_statement(model, block, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            used_in(model, root, &mut out);
        }
    });
    out
}

/// The attributes that the constructor fills with what it constructs, and that are no functions of the class.
fn parts_of(program: &Program, class: ClassId) -> FxHashSet<Symbol> {
    let mut out = FxHashSet::default();
    let Some(constructor) = program.method(class, Symbol::new("__init__")) else { return out };
    let (file, local) = program.locate(constructor);
    let model = &program.file(file).model;
    each_statement(model, model.function(local).body, &mut |_, stmt| {
        let Some((targets, value)) = model.assigned(stmt) else { return };
        let Expr::Call(call) = model.expr(value) else { return };
        let made = match program.target(file, local, model.call(call).callee) {
            Some(Target::Class(_)) => true,
            Some(Target::External(name)) => {
                let last = name.as_str().rsplit('.').next().unwrap_or_default();
                name.as_str().starts_with("torch.nn.") && last.starts_with(|first: char| first.is_ascii_uppercase())
            }
            _ => false,
        };
        for &target in targets {
            if let Expr::Attribute { name, .. } = model.expr(target)
                && made
            {
                out.insert(name);
            }
        }
    });
    out
}

/// Whether the value depends on which rank this is: a test of the rank, by the catalogue or by its conventional name.
fn own_rank(program: &Program, file: FileId, function: LocalFunction, value: ExprId) -> bool {
    let model = &program.file(file).model;
    let of_rank = |kind: &ValueKind| matches!(kind, ValueKind::Rank | ValueKind::First | ValueKind::Last);
    let is_rank = |expr: ExprId| match model.expr(expr) {
        Expr::Call(call) => {
            let named = program.resolve(file, function, model.call(call).callee);
            named.is_some_and(|named| {
                matches!(program.catalog.entry(named), Some(Entry::Value(known)) if of_rank(&known.kind) && known.axis.as_str() == "world")
            })
        }
        Expr::Name(name) | Expr::Attribute { name, .. } => program
            .catalog
            .convention(name)
            .is_some_and(|known| of_rank(&known.value.kind) && known.value.axis.as_str() == "world"),
        _ => false,
    };
    match model.expr(value) {
        Expr::Unary(_, inner) => own_rank(program, file, function, inner),
        Expr::Compare(op, left, right) if !matches!(op, CompareOp::Is | CompareOp::IsNot) => {
            own_rank(program, file, function, left) || own_rank(program, file, function, right)
        }
        Expr::Binary(_, left, right) => {
            own_rank(program, file, function, left) || own_rank(program, file, function, right)
        }
        Expr::And(parts) | Expr::Or(parts) => {
            model.list(parts).iter().any(|&part| own_rank(program, file, function, part))
        }
        _ => is_rank(value),
    }
}
