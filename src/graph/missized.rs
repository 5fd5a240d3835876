//! Collectives that wait for all ranks where what stands beside them counts the ranks of one group: a sum over WORLD that is
//! divided by the size of a group, a list with a place for each member of a group that is gathered from all.

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::catalog::GroupOf;
use crate::finding::Confidence;
use crate::model::{
    BinaryOp, Call, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement, expressions_of,
};

use super::communication::{Communication, Wanted, argument, calls_in};
use super::conduct::bodies;
use super::program::Program;

/// What divides a tensor in place.
const DIVIDES: [&str; 3] = ["div_", "true_divide_", "divide_"];

/// A collective on all ranks whose result is counted for one group.
#[derive(Clone, Debug)]
pub struct Missized {
    /// The function.
    pub function: FunctionId,
    /// The operation.
    pub called: Symbol,
    /// The call of it.
    pub site: Site,
    /// Where the size of the group is asked for.
    pub sized: Site,
    /// The group, as the source spells it.
    pub group: String,
    /// Whether the result is divided by the size, not made with so many places.
    pub divided: bool,
    /// How sure.
    pub confidence: Confidence,
}

/// A question for the size of a group.
#[derive(Clone, Copy)]
struct Size {
    call: ExprId,
    group: ExprId,
}

/// The collectives of all ranks that are counted for one group, in order of files.
pub(super) fn missized(program: &Program, communication: &mut Communication<'_>) -> Vec<Missized> {
    let mut out = Vec::new();
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        let body = model.function(function).body;
        if !model.names().may_hold_any(&[Symbol::new("get_world_size"), Symbol::new("size")])
            || !communication.may_reach(file, function)
        {
            continue;
        }
        let calls = calls_in(model, body);
        if !calls.iter().any(|&(expr, call)| size_asked(program, (file, function), expr, call).is_some()) {
            continue;
        }
        let within = Within { program, file, function };
        for &(expr, call) in &calls {
            let Some(called) = on_all(communication, (file, function), call) else { continue };
            let buffers: Vec<ExprId> = model.list(call.args).to_vec();
            let found = match called.as_str() {
                "all_reduce" | "reduce" => {
                    buffers.first().and_then(|&buffer| within.divisor(buffer, expr)).map(|size| (size, true))
                }
                "all_gather" | "gather" | "all_gather_object" | "gather_object" => {
                    buffers.iter().find_map(|&buffer| within.places(buffer)).map(|size| (size, false))
                }
                _ => None,
            };
            let Some((size, divided)) = found else { continue };
            // What runs on the group as well is summed up in two steps.
            let twice = |&(other, call): &(ExprId, Call)| {
                let mut shared = model.list(call.args).iter().take(1).zip(buffers.first());
                other != expr
                    && shared.any(|(&one, &other)| within.text(one) == within.text(other))
                    && communication.operation(file, function, call).is_some()
            };
            if calls.iter().any(twice) || !program.has_subgroups(file) {
                continue;
            }
            out.push(Missized {
                function: program.function_id(file, function),
                called,
                site: Site { file, span: model.span(expr) },
                sized: Site { file, span: model.span(size.call) },
                group: within.text(size.group).to_owned(),
                divided,
                confidence: if program.file(file).is_test() { Confidence::Low } else { Confidence::Medium },
            });
        }
    }
    out
}

/// The operation that a call is, if it takes a group, is given none, and so runs on all ranks.
fn on_all(
    communication: &mut Communication<'_>,
    (file, function): (FileId, LocalFunction),
    call: Call,
) -> Option<Symbol> {
    let model = &communication.program().file(file).model;
    let (operation, sure) = communication.operation(file, function, call)?;
    let GroupOf::Operand(operand) = operation.group else { return None };
    let unseen = model.keywords(call).iter().any(|keyword| keyword.name.is_none())
        || model.list(call.args).iter().any(|&arg| matches!(model.expr(arg), Expr::Starred(_)));
    let given = argument(model, call, operand.position.map(usize::from), operand.parameter).is_some();
    let plain = sure == Confidence::High && !operation.implicit && Wanted::Collective.takes(operation.kind);
    (plain && !unseen && !given && !operand.is_receiver()).then_some(operation.op)
}

/// The group whose size a call asks for: `get_world_size(group)`, `group.size()`.
fn size_asked(program: &Program, place: (FileId, LocalFunction), expr: ExprId, call: Call) -> Option<Size> {
    let (file, function) = place;
    let model = &program.file(file).model;
    let group = match model.expr(call.callee) {
        Expr::Attribute { value, name } if name.as_str() == "size" && model.list(call.args).is_empty() => value,
        Expr::Attribute { name, .. } | Expr::Name(name) if name.as_str() == "get_world_size" => {
            argument(model, call, Some(0), Symbol::new("group"))?
        }
        _ => return None,
    };
    let name = match model.expr(group) {
        Expr::Call(call) => model.last_name(model.call(call).callee)?,
        _ => model.last_name(group)?,
    };
    let name = name.as_str();
    let named = name.ends_with("group") || name == "pg" || name.ends_with("_pg");
    let of_all = name.to_ascii_lowercase().contains("world") || name.contains("default") || name.contains("all_");
    let world = program.resolve(file, function, group).is_some_and(|name| name.as_str().ends_with("group.WORLD"));
    (named && !of_all && !world).then_some(Size { call: expr, group })
}

/// One function.
struct Within<'p> {
    program: &'p Program,
    file: FileId,
    function: LocalFunction,
}

impl<'p> Within<'p> {
    fn model(&self) -> &'p File {
        &self.program.file(self.file).model
    }

    fn text(&self, expr: ExprId) -> &'p str {
        self.program.text(self.file, self.model().span(expr))
    }

    /// What a name of the function holds, if it is assigned once.
    fn assigned(&self, name: Symbol) -> Option<ExprId> {
        let model = self.model();
        let mut found = Vec::new();
        each_statement(model, model.function(self.function).body, &mut |_, stmt| {
            if let Some((targets, value)) = model.assigned(stmt)
                && targets.iter().any(|&target| model.expr(target) == Expr::Name(name))
            {
                found.push(value);
            }
        });
        match found[..] {
            [value] => Some(value),
            _ => None,
        }
    }

    /// The size of a group that an expression is, or the name that holds it.
    fn size(&self, expr: ExprId) -> Option<Size> {
        let asked = |expr: ExprId| match self.model().expr(expr) {
            Expr::Call(index) => size_asked(self.program, (self.file, self.function), expr, self.model().call(index)),
            _ => None,
        };
        match self.model().expr(expr) {
            Expr::Name(name) => self.assigned(name).and_then(asked),
            _ => asked(expr),
        }
    }

    /// The size of a group by which a buffer is divided behind a call.
    fn divisor(&self, buffer: ExprId, behind: ExprId) -> Option<Size> {
        let model = self.model();
        let buffer = self.text(buffer);
        let is_buffer = |expr: ExprId| self.text(expr) == buffer;
        let behind = model.span(behind).end;
        let mut found = None;
        each_statement(model, model.function(self.function).body, &mut |id, stmt| {
            if model.stmt_span(id).start < behind || found.is_some() {
                return;
            }
            match *stmt {
                Stmt::AugAssign { target, op: BinaryOp::Div, value } if is_buffer(target) => found = self.size(value),
                _ => {}
            }
            for root in expressions_of(model, stmt) {
                each_expression(model, root, &mut |_, expr| match expr {
                    Expr::Binary(BinaryOp::Div, left, right) if is_buffer(left) => {
                        found = found.or_else(|| self.size(right));
                    }
                    Expr::Call(index) => {
                        let call = model.call(index);
                        if let Expr::Attribute { value, name } = model.expr(call.callee)
                            && DIVIDES.contains(&name.as_str())
                            && is_buffer(value)
                        {
                            let by = model.list(call.args).first();
                            found = found.or_else(|| by.and_then(|&by| self.size(by)));
                        }
                    }
                    _ => {}
                });
            }
        });
        found
    }

    /// The size of the group for whose members a list has places: `[… for _ in range(size)]`, `[None] * size`.
    fn places(&self, list: ExprId) -> Option<Size> {
        let model = self.model();
        let made = match model.expr(list) {
            Expr::Name(name) => self.assigned(name)?,
            _ => list,
        };
        match model.expr(made) {
            Expr::Comprehension(index) => {
                let iter = model.comprehension(index).clauses.first()?.iter;
                let Expr::Call(range) = model.expr(iter) else { return None };
                let range = model.call(range);
                let [bound] = *model.list(range.args) else { return None };
                (model.last_name(range.callee)?.as_str() == "range").then(|| self.size(bound))?
            }
            Expr::Binary(BinaryOp::Mul, left, right) => match model.expr(left) {
                Expr::ListDisplay(_) => self.size(right),
                _ => None,
            },
            _ => None,
        }
    }
}
