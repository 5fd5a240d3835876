//! What a class of the program makes of a rank that it is made with: a share of something, or only who goes first.

use crate::base::{ClassId, FileId, Symbol};
use crate::graph::{Program, Target};
use crate::model::{
    Call, Expr, ExprId, File, Function, LocalFunction, Stmt, each_expression, each_statement, expressions_of,
};

/// Classes that hand the rank on to one another, at most.
const MAX_HANDED: u8 = 3;

/// Bases from elsewhere that make nothing of a rank.
const PLAIN_BASES: [&str; 6] = [
    "object",
    "abc.ABC",
    "torch.nn.Module",
    "torch.utils.data.Dataset",
    "torch.utils.data.IterableDataset",
    "typing.Generic",
];

/// Whether objects of the class may take a share by the number that they are made with under a name: they do more with it
/// than compare it with a constant, write it out, or hand it to a class that does no more.
pub(super) fn may_take_a_share(program: &Program, class: ClassId, name: Symbol) -> bool {
    !takes_none(program, class, name, MAX_HANDED)
}

fn takes_none(program: &Program, class: ClassId, name: Symbol, fuel: u8) -> bool {
    let Some(fuel) = fuel.checked_sub(1) else { return false };
    let is_plain = |base: &Symbol| PLAIN_BASES.contains(&base.as_str());
    let [own] = *program.lineage(class) else { return false };
    if !program.external_bases(class).iter().all(is_plain) {
        return false;
    }
    let (file, local) = program.locate_class(own);
    let model = &program.file(file).model;
    let methods = &model.class(local).methods;
    let constructor = methods.iter().find(|(method, _)| method.as_str() == "__init__");
    let takes = |function: &Function| function.parameters.iter().any(|parameter| parameter.name == name);
    if !constructor.is_some_and(|&(_, method)| takes(model.function(method))) {
        return false;
    }
    methods.iter().all(|&(_, method)| {
        let (mut reads, mut harmless) = (0, 0);
        each_statement(model, model.function(method).body, &mut |_, stmt| {
            if let Stmt::Assign { targets, value } = stmt {
                let is_kept = model.list(*targets).iter().all(|&target| is_attribute(model, target, name));
                harmless += usize::from(is_kept && is_it(model, *value, name));
                // The attribute that keeps it is a target, not a reading.
                reads -=
                    model.list(*targets).iter().filter(|&&target| is_attribute(model, target, name)).count() as i32;
            }
            for root in expressions_of(model, stmt) {
                each_expression(model, root, &mut |expr, part| {
                    reads += i32::from(is_it(model, expr, name));
                    harmless += harmless_in(program, (file, method), part, name, fuel);
                });
            }
        });
        !model.function(method).skeleton && usize::try_from(reads).is_ok_and(|reads| reads == harmless)
    })
}

/// How often an expression reads the number right within it, and makes no share of it.
fn harmless_in(
    program: &Program,
    (file, method): (FileId, LocalFunction),
    expr: Expr,
    name: Symbol,
    fuel: u8,
) -> usize {
    let model = &program.file(file).model;
    let is_constant = |part: ExprId| matches!(model.expr(part), Expr::Int(_) | Expr::None | Expr::Bool(_));
    match expr {
        Expr::Compare(_, left, right) => {
            usize::from(is_it(model, left, name) && is_constant(right))
                + usize::from(is_it(model, right, name) && is_constant(left))
        }
        Expr::Format(parts) => model.list(parts).iter().filter(|&&part| is_it(model, part, name)).count(),
        Expr::Call(call) => {
            let call = model.call(call);
            match program.target(file, method, call.callee) {
                Some(Target::Class(next)) => handed_to(program, model, next, call, name, fuel),
                _ => devices(model, call, name),
            }
        }
        _ => 0,
    }
}

/// How often a call hands the number to a class that takes no share by it.
fn handed_to(program: &Program, model: &File, class: ClassId, call: Call, name: Symbol, fuel: u8) -> usize {
    let named = model.keywords(call).iter().filter(|keyword| is_it(model, keyword.value, name));
    named.filter(|keyword| keyword.name.is_some_and(|parameter| takes_none(program, class, parameter, fuel))).count()
}

/// How often it is the device of a barrier: `barrier(device_ids=[self.rank])`.
fn devices(model: &File, call: Call, name: Symbol) -> usize {
    let ids =
        model.keywords(call).iter().find(|keyword| keyword.name.is_some_and(|name| name.as_str() == "device_ids"));
    match ids.map(|ids| model.expr(ids.value)) {
        Some(Expr::ListDisplay(parts)) => model.list(parts).iter().filter(|&&part| is_it(model, part, name)).count(),
        _ => 0,
    }
}

/// Whether an expression is the parameter of that name, or the attribute that keeps it.
fn is_it(model: &File, expr: ExprId, name: Symbol) -> bool {
    matches!(model.expr(expr), Expr::Name(read) if read == name) || is_attribute(model, expr, name)
}

fn is_attribute(model: &File, expr: ExprId, name: Symbol) -> bool {
    match model.expr(expr) {
        Expr::Attribute { value, name: read } => {
            read.as_str().trim_start_matches('_') == name.as_str()
                && matches!(model.expr(value), Expr::Name(object) if object.as_str() == "self")
        }
        _ => false,
    }
}
