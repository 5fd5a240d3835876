//! What a class of the program makes of a rank that it is made with: a share of something, or only who goes first.

use crate::base::{ClassId, Symbol};
use crate::graph::{Program, Target};
use crate::model::{Call, Expr, ExprId, File, each_expression, each_statement, expressions_of};

/// Classes that hand the rank on to one another, at most.
const MAX_HANDED: u8 = 3;

/// Functions whose arguments say which of many things are taken.
const TAKES: [&str; 2] = ["range", "islice"];

/// Whether objects of the class may take a share by the number that they are made with under a name: they count with it,
/// or hand it to somebody of whom nothing is known.
pub(super) fn may_take_a_share(program: &Program, class: ClassId, name: Symbol) -> bool {
    within(program, class, name, MAX_HANDED)
}

fn within(program: &Program, class: ClassId, name: Symbol, fuel: u8) -> bool {
    let Some(fuel) = fuel.checked_sub(1) else { return true };
    // What a base from elsewhere does with it nobody knows.
    if !program.external_bases(class).is_empty() && hands_to_its_base(program, class, name) {
        return true;
    }
    program.lineage(class).iter().any(|&class| {
        let (file, local) = program.locate_class(class);
        let model = &program.file(file).model;
        model.class(local).methods.iter().any(|&(_, method)| {
            let definition = model.function(method);
            if definition.skeleton {
                return true;
            }
            let mut found = false;
            each_statement(model, definition.body, &mut |_, stmt| {
                for root in expressions_of(model, stmt) {
                    each_expression(model, root, &mut |_, expr| {
                        found |= match expr {
                            Expr::Binary(_, left, right) => [left, right].iter().any(|&part| is_it(model, part, name)),
                            // `index % self.count == self.rank`
                            Expr::Compare(_, left, right) => {
                                let counts = |part: ExprId| matches!(model.expr(part), Expr::Binary(..));
                                is_it(model, left, name) && counts(right) || is_it(model, right, name) && counts(left)
                            }
                            Expr::Slice(parts) => model.list(parts).iter().any(|&part| is_it(model, part, name)),
                            Expr::Call(call) => {
                                let call = model.call(call);
                                let handed = given_as(model, call, name);
                                handed.into_iter().any(|parameter| match program.target(file, method, call.callee) {
                                    Some(Target::Class(next)) => {
                                        parameter.is_none_or(|parameter| within(program, next, parameter, fuel))
                                    }
                                    Some(Target::Function(_)) => true,
                                    _ => parameter.is_some() || takes(model, call),
                                })
                            }
                            _ => false,
                        };
                    });
                }
            });
            found
        })
    })
}

/// Whether a method calls its base with the number.
fn hands_to_its_base(program: &Program, class: ClassId, name: Symbol) -> bool {
    let (file, local) = program.locate_class(class);
    let model = &program.file(file).model;
    let mut found = false;
    for &(_, method) in &model.class(local).methods {
        each_statement(model, model.function(method).body, &mut |_, stmt| {
            for root in expressions_of(model, stmt) {
                each_expression(model, root, &mut |_, expr| {
                    let Expr::Call(call) = expr else { return };
                    let call = model.call(call);
                    let of_base = model.last_name(call.callee).is_some_and(|called| called.as_str() == "__init__");
                    found |= of_base && !given_as(model, call, name).is_empty();
                });
            }
        });
    }
    found
}

fn takes(model: &File, call: Call) -> bool {
    model.last_name(call.callee).is_some_and(|called| TAKES.contains(&called.as_str()))
}

/// Under which names a call is given the number; nothing stands for a place.
fn given_as(model: &File, call: Call, name: Symbol) -> Vec<Option<Symbol>> {
    let named = model.keywords(call).iter().filter(|keyword| is_it(model, keyword.value, name));
    let placed = model.list(call.args).iter().filter(|&&arg| is_it(model, arg, name));
    named.map(|keyword| keyword.name).chain(placed.map(|_| None)).collect()
}

/// Whether an expression is the parameter of that name, or the attribute that keeps it.
fn is_it(model: &File, expr: ExprId, name: Symbol) -> bool {
    match model.expr(expr) {
        Expr::Name(read) => read == name,
        Expr::Attribute { value, name: read } => {
            read.as_str().trim_start_matches('_') == name.as_str()
                && matches!(model.expr(value), Expr::Name(object) if object.as_str() == "self")
        }
        _ => false,
    }
}
