//! What a split hangs on that was handed over elsewhere: groups in the arguments of a constructor, parameters that callers
//! set together with others in one mapping.

use rustc_hash::FxHashSet;

use crate::base::{FileId, Span, Symbol};
use crate::catalog::{Entry, ValueKind};
use crate::flow::{GroupKey, Node, Value};
use crate::model::{
    CompareOp, Expr, ExprId, File, LocalFunction, Stmt, UnaryOp, calls_by_name, each_expression, each_statement,
};

use super::blocks::{conditions_in, speaks_of_rank};
use super::communication::argument;
use super::confidence::Evidence;
use super::helpers::called;

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

    /// Whether whoever calls the function hands over what the job says of this rank where it has a parameter that is called so.
    pub(super) fn is_handed_the_rank(&self) -> bool {
        let program = self.engine.program;
        let Some(&Node::Parameter(function, position)) = self.leaf.map(|leaf| self.engine.values.node(leaf)) else {
            return false;
        };
        let definition = program.function(function);
        let Some(parameter) = definition.parameters.get(usize::from(position)) else { return false };
        let at = usize::from(position).checked_sub(usize::from(definition.class.is_some()));
        let names = FxHashSet::from_iter([definition.name]);
        let mut calls = 0;
        let says_rank = |file: FileId, local: LocalFunction, given: ExprId| {
            let model = &program.file(file).model;
            let Expr::Call(asked) = model.expr(given) else { return false };
            let asked = program.resolve(file, local, model.call(asked).callee);
            let entry = asked.and_then(|asked| program.catalog.entry(asked));
            matches!(entry, Some(Entry::Value(value)) if value.kind == ValueKind::Rank)
        };
        let all = program.file_ids().filter(|&file| program.same_tree(file, program.locate(function).0)).all(|file| {
            let model = &program.file(file).model;
            calls_by_name(model, &names).into_iter().all(|(local, _, call)| {
                if called(program, file, local, call.callee) != Some(function) {
                    return true;
                }
                calls += 1;
                argument(model, call, at, parameter.name).is_some_and(|given| says_rank(file, local, given))
            })
        });
        all && calls > 0
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

    /// Whether the question is whether an attribute has been filled, by the only method that ever fills it, behind the
    /// question, whichever the rank: all ranks do so at the same call.
    pub(super) fn is_filled_at_first_use(&self) -> bool {
        let engine = self.engine;
        let Some(decision) = self.decision.filter(|decision| !decision.is_loop && self.is_opaque()) else {
            return false;
        };
        let (Some((model, question)), Some(method)) =
            (engine.written_at(decision.site), engine.function_at(decision.site))
        else {
            return false;
        };
        let (Some(class), Some(receiver)) = (model.function(method).class, model.function(method).parameters.first())
        else {
            return false;
        };
        let asked = match model.expr(question) {
            Expr::Compare(CompareOp::Is | CompareOp::IsNot, asked, none) if model.expr(none) == Expr::None => asked,
            Expr::Unary(UnaryOp::Not, asked) => asked,
            _ => question,
        };
        let Expr::Attribute { value: object, name } = model.expr(asked) else { return false };
        if model.expr(object) != Expr::Name(receiver.name) {
            return false;
        }
        let fills = |function: LocalFunction| fillings(model, function, name);
        let conditions = conditions_in(model, model.function(method).body);
        let by_rank = |span: Span| {
            let around = |block: Span| block.start <= span.start && span.end <= block.end;
            conditions
                .iter()
                .any(|&(block, test)| around(block) && speaks_of_rank(&engine.program.catalog, model, test))
        };
        let own = fills(method);
        let elsewhere =
            model.class(class).methods.iter().any(|&(_, other)| other != method && !fills(other).is_empty());
        let behind = own.iter().any(|span| span.start > decision.site.span.end);
        behind && !elsewhere && !own.into_iter().any(by_rank)
    }
}

/// Where a method assigns something to an attribute of its object, other than nothing.
fn fillings(model: &File, method: LocalFunction, name: Symbol) -> Vec<Span> {
    let Some(receiver) = model.function(method).parameters.first() else { return Vec::new() };
    let mut out = Vec::new();
    each_statement(model, model.function(method).body, &mut |at, stmt| {
        let (targets, value) = match stmt {
            Stmt::Assign { targets, value } => (model.list(*targets).to_vec(), *value),
            Stmt::Annotated { target, value: Some(value), .. } => (vec![*target], *value),
            _ => return,
        };
        let is_it = |target: ExprId| match model.expr(target) {
            Expr::Attribute { value, name: assigned } => {
                assigned == name && model.expr(value) == Expr::Name(receiver.name)
            }
            _ => false,
        };
        if targets.into_iter().any(is_it) && model.expr(value) != Expr::None {
            out.push(model.stmt_span(at));
        }
    });
    out
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
