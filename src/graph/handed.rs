//! What a split hangs on that was handed over elsewhere: groups in the arguments of a constructor, parameters that callers
//! set together with others in one mapping.

use crate::base::Symbol;
use crate::flow::{GroupKey, Node, Value};
use crate::model::{Expr, ExprId, File, Stmt, each_expression, each_statement};

use super::confidence::Evidence;

/// Parts of a question that are looked at.
const MAX_PARTS: usize = 40;

impl Evidence<'_, '_> {
    /// Whether the object whose method communicates was made with a group, as an argument or in one: it communicates on
    /// that one.
    pub(super) fn has_a_group_of_its_own(&self) -> bool {
        let event = self.engine.effects.event(self.main);
        if !event.implicit || self.found.group != GroupKey::World {
            return false;
        }
        let engine = self.engine;
        let Some((model, Expr::Call(call))) =
            engine.written_at(event.site).map(|(model, expr)| (model, model.expr(expr)))
        else {
            return false;
        };
        let Expr::Attribute { value: object, .. } = model.expr(model.call(call).callee) else { return false };
        let (Expr::Name(object), Some(local)) = (model.expr(object), engine.function_at(event.site)) else {
            return false;
        };
        let Some(made) = engine.program.single_assignment(event.site.file, local, object) else { return false };
        let mut given = false;
        each_expression(model, made, &mut |_, expr| {
            if let Expr::Call(call) = expr {
                given |= model.keywords(model.call(call)).iter().any(|keyword| {
                    keyword.name.is_some_and(|name| name.as_str() == "process_group")
                        && model.expr(keyword.value) != Expr::None
                });
            }
        });
        given
    }

    /// Whether ranks part where a parameter is set that is not set by default, and whoever sets it in this file does so by
    /// its name in a mapping: what else is in there, and decides behind it, nobody has seen.
    pub(super) fn is_set_in_a_mapping(&self) -> bool {
        let engine = self.engine;
        let Some(test) = self.test else { return false };
        let mut found = None;
        let parameter = |value: Value, further: &mut Vec<Value>| {
            match *engine.values.node(value) {
                Node::Parameter(function, position) => {
                    let definition = engine.program.function(function);
                    let declared = definition.parameters.get(usize::from(position));
                    let model = &engine.program.file(engine.program.locate(function).0).model;
                    let unset = declared
                        .and_then(|declared| declared.default)
                        .is_some_and(|default| matches!(model.expr(default), Expr::Bool(false) | Expr::None));
                    if unset && let Some(declared) = declared {
                        found = Some((function, declared.name));
                    }
                }
                Node::Not(inner) => further.push(inner),
                Node::And(left, right) | Node::Or(left, right) => further.extend([left, right]),
                _ => {}
            }
            false
        };
        engine.values.search(test, MAX_PARTS, parameter);
        let Some((function, name)) = found.filter(|&(function, _)| function == self.function) else { return false };
        let model = &engine.program.file(engine.program.locate(function).0).model;
        is_key_in(model, name) && !is_keyword_in(model, name)
    }
}

/// Whether `mapping["name"] = …` stands somewhere in the file.
fn is_key_in(model: &File, name: Symbol) -> bool {
    let is_it = |target: ExprId| match model.expr(target) {
        Expr::Subscript(_, key) => matches!(model.expr(key), Expr::Str(text) if text == name),
        _ => false,
    };
    model.functions.iter().any(|function| {
        let mut found = false;
        each_statement(model, function.body, &mut |_, stmt| {
            if let Stmt::Assign { targets, .. } = stmt {
                found |= model.list(*targets).iter().any(|&target| is_it(target));
            }
        });
        found
    })
}

/// Whether some call of the file names it.
fn is_keyword_in(model: &File, name: Symbol) -> bool {
    (0..model.expr_count() as u32).any(|expr| match model.expr(ExprId(expr)) {
        Expr::Call(call) => model.keywords(model.call(call)).iter().any(|keyword| keyword.name == Some(name)),
        _ => false,
    })
}
