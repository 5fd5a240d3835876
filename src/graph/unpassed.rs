//! Groups that a function is handed and does not hand on: one of its collectives runs on the group, another, which is given
//! none, waits for all ranks.

use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::catalog::GroupOf;
use crate::finding::Confidence;
use crate::model::{
    BinaryOp, Block, Call, CompareOp, Expr, ExprId, File, LocalClass, LocalFunction, Stmt, UnaryOp, each_call,
    each_expression, each_statement, expressions_of, names_in,
};

use super::communication::{Communication, Wanted, argument, calls_in};
use super::conduct::bodies;
use super::context::each_in_context;
use super::program::Program;

/// Functions that ask how large a group is.
const ASKS_SIZE: [&str; 2] = ["get_world_size", "size"];

/// A group that is handed to a function and not to one of its collectives.
#[derive(Clone, Debug)]
pub struct Unpassed {
    /// The function.
    pub function: FunctionId,
    /// The parameter that holds the group.
    pub group: Symbol,
    /// The operation, or the function of the program, that is given no group.
    pub called: Symbol,
    /// The call of it.
    pub site: Site,
    /// Where the function uses the group, or is handed it.
    pub used: Site,
    /// What it uses it for: another operation, or how large it is; absent where it uses it nowhere.
    pub used_for: Option<Symbol>,
    /// How sure.
    pub confidence: Confidence,
}

/// What a call has to do with a group that the function is handed.
enum Use {
    /// It runs on the group, or asks for its size.
    Passed(ExprId, Symbol),
    /// It runs on a group and is given none.
    Left(Symbol),
    Other,
}

/// The groups that are not handed on, in order of files.
pub(super) fn unpassed(program: &Program, communication: &mut Communication<'_>) -> Vec<Unpassed> {
    let mut out = Vec::new();
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        let definition = model.function(function);
        let handed = || definition.parameters.iter().map(|parameter| parameter.name).filter(|&name| holds_group(name));
        if handed().count() != 1 || !communication.may_reach(file, function) {
            continue;
        }
        let is_group = |&group: &Symbol| !is_assigned(model, function, group) && !is_indexed(model, function, group);
        let Some(group) = handed().next().filter(is_group) else { continue };
        let mut used: Vec<(ExprId, Symbol)> = Vec::new();
        let mut left: Vec<(ExprId, Symbol)> = Vec::new();
        for (expr, call) in calls_in(model, definition.body) {
            match use_of(program, communication, (file, function), (expr, call), group) {
                Use::Passed(given, by) => used.push((given, by)),
                Use::Left(called) => left.push((expr, called)),
                Use::Other => {}
            }
        }
        let confidence = if program.file(file).is_test() { Confidence::Low } else { Confidence::Medium };
        if let Some(parameter) = definition.parameters.iter().find(|parameter| parameter.name == group)
            && !is_of_a_family(model, definition.class)
            && !is_named(model, function, group)
            && let Some(&(expr, called)) = left.first()
        {
            let id = program.function_id(file, function);
            let is_handed = is_handed_by_some(program, communication, id, group);
            out.push(Unpassed {
                function: id,
                group,
                called,
                site: Site { file, span: model.span(expr) },
                used: Site { file, span: parameter.span },
                used_for: None,
                confidence: if is_handed { confidence } else { Confidence::Low },
            });
            continue;
        }
        for (expr, called) in left {
            // All ranks may well wait for each other around what a group does.
            if called.as_str().contains("barrier")
                || !is_given(model, function, expr, group)
                || goes_on_over_all(model, function, (expr, called), &used)
            {
                continue;
            }
            let mut is_handed =
                || is_handed_by_some(program, communication, program.function_id(file, function), group);
            let is_doubtful = is_shared_by_all(model, function, expr) || !is_handed();
            let confidence = if is_doubtful { Confidence::Low } else { confidence };
            let beside = |&&(given, _): &&(ExprId, Symbol)| !are_alternatives(model, function, given, expr);
            let Some(&(given, used_for)) = used.iter().find(beside) else { continue };
            out.push(Unpassed {
                function: program.function_id(file, function),
                group,
                called,
                site: Site { file, span: model.span(expr) },
                used: Site { file, span: model.span(given) },
                used_for: Some(used_for),
                confidence,
            });
        }
    }
    out
}

/// Whether what a call communicates has come out of the same operation on the group: first the members of each, then all.
fn goes_on_over_all(
    model: &File,
    function: LocalFunction,
    (left, called): (ExprId, Symbol),
    used: &[(ExprId, Symbol)],
) -> bool {
    let Some(tensor) = communicated(model, left) else { return false };
    let mut set: Vec<Span> = Vec::new();
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Stmt::Assign { targets, value } = stmt
            && model.list(*targets).iter().any(|&target| model.expr(target) == Expr::Name(tensor))
            && !names_in(model, *value).contains(&tensor)
        {
            set.push(model.span(*value));
        }
    });
    let mut found = false;
    each_call(model, function, &mut |expr, _| {
        let is_on_group = |&(given, by): &(ExprId, Symbol)| by == called && model.span(expr).holds(model.span(given));
        let between = |place: Span| place.start >= model.span(expr).end && place.end <= model.span(left).start;
        found |= model.span(expr).end <= model.span(left).start
            && !set.iter().any(|&place| between(place))
            && !are_alternatives(model, function, expr, left)
            && communicated(model, expr) == Some(tensor)
            && used.iter().any(is_on_group);
    });
    found
}

/// Whether the function divides what a call communicates by the number of all ranks: it is meant for them.
fn is_shared_by_all(model: &File, function: LocalFunction, left: ExprId) -> bool {
    let Some(tensor) = communicated(model, left) else { return false };
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| {
                if let Expr::Binary(BinaryOp::Div, sum, count) = expr
                    && model.span(sum).start > model.span(left).start
                    && names_in(model, sum).contains(&tensor)
                    && let Expr::Call(count) = model.expr(count)
                {
                    let count = model.call(count);
                    let is_size = model.last_name(count.callee).is_some_and(|name| name.as_str() == ASKS_SIZE[0]);
                    found |= is_size && model.list(count.args).is_empty() && model.keywords(count).is_empty();
                }
            });
        }
    });
    found
}

/// The variable that a call is given first.
fn communicated(model: &File, call: ExprId) -> Option<Symbol> {
    let Expr::Call(call) = model.expr(call) else { return None };
    let given = *model.list(model.call(call).args).first()?;
    if let Expr::Name(name) = model.expr(given) { Some(name) } else { None }
}

/// Whether anybody hands the function a group, as far as it is known who calls it: where all leave it out, all ranks are
/// meant.
fn is_handed_by_some(
    program: &Program,
    communication: &mut Communication<'_>,
    function: FunctionId,
    group: Symbol,
) -> bool {
    let definition = program.function(function);
    let bound = usize::from(definition.takes_object());
    let at = definition.parameters.iter().position(|parameter| parameter.name == group);
    let position = at.and_then(|at| at.checked_sub(bound));
    let (home, _) = program.locate(function);
    let mut is_called = false;
    for (file, caller) in bodies(program).filter(|&(file, _)| program.same_tree(home, file)) {
        let model = &program.file(file).model;
        if !model.function(caller).mentions.contains(&definition.name) {
            continue;
        }
        let itself = program.function_id(file, caller) == function;
        let mut called_there = 0;
        for (_, call) in calls_in(model, model.function(caller).body) {
            let is_named = model.last_name(call.callee) == Some(definition.name);
            called_there += usize::from(is_named);
            let given = argument(model, call, position, group);
            let is_spread = model.keywords(call).iter().any(|keyword| keyword.name.is_none())
                || model.list(call.args).iter().any(|&arg| matches!(model.expr(arg), Expr::Starred(_)));
            let is_it = match communication.callee(file, caller, call) {
                Some((called, _)) => called == function,
                // What is called on an object that nobody knows is told by its name, and by that of the parameter.
                None => is_named && model.keywords(call).iter().any(|keyword| keyword.name == Some(group)),
            };
            if is_it && !itself {
                if is_spread || given.is_some_and(|given| model.expr(given) != Expr::None) {
                    return true;
                }
                is_called = true;
            }
        }
        // Handed on as a thing, it may be called with anything.
        let mentioned = model.function(caller).mentions.iter().filter(|&&name| name == definition.name).count();
        if mentioned > called_there {
            return true;
        }
    }
    !is_called
}

/// Whether a parameter of that name holds a group.
fn holds_group(name: Symbol) -> bool {
    let name = name.as_str();
    name == "group" || name == "pg" || name.ends_with("process_group") || name.ends_with("_pg")
}

/// Whether the function puts something else into its parameter, not only where it was handed nothing: `group or WORLD`.
fn is_assigned(model: &File, function: LocalFunction, parameter: Symbol) -> bool {
    let is_it = |expr: ExprId| model.expr(expr) == Expr::Name(parameter);
    let fills_in = |value: ExprId| match model.expr(value) {
        Expr::Or(parts) => model.list(parts).first().is_some_and(|&first| is_it(first)),
        Expr::IfElse(at) => model.if_else(at)[1..].iter().any(|&arm| is_it(arm)),
        _ => false,
    };
    let assigns = |stmt: &Stmt| match *stmt {
        Stmt::Assign { targets, value } if model.list(targets).iter().any(|&target| is_it(target)) => !fills_in(value),
        _ => false,
    };
    let mut filled_in: Vec<Span> = Vec::new();
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |id, stmt| {
        if let Stmt::If { test, body, .. } = stmt
            && is_absence(model, *test, parameter)
        {
            filled_in.extend(model.block(*body).iter().map(|&inner| model.stmt_span(inner)));
        }
        found |= assigns(stmt) && !filled_in.contains(&model.stmt_span(id));
    });
    found
}

/// Whether a class has bases: what its methods are handed say these.
fn is_of_a_family(model: &File, class: Option<LocalClass>) -> bool {
    class.is_some_and(|class| !model.list(model.class(class).bases).is_empty())
}

/// Whether the function says the name of its parameter anywhere, or a function that stands in it does.
fn is_named(model: &File, function: LocalFunction, parameter: Symbol) -> bool {
    let is_inside = |inner: LocalFunction| {
        std::iter::successors(Some(inner), |&at| model.function(at).parent).any(|around| around == function)
    };
    let mut functions = (0..model.functions.len() as u32).map(LocalFunction);
    functions.any(|inner| model.function(inner).mentions.contains(&parameter) && is_inside(inner))
}

/// Whether the function takes an element of it: that is no group, but a list of ranks.
fn is_indexed(model: &File, function: LocalFunction, parameter: Symbol) -> bool {
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| {
                found |= matches!(expr, Expr::Subscript(of, _) if model.expr(of) == Expr::Name(parameter));
            });
        }
    });
    found
}

fn use_of(
    program: &Program,
    communication: &mut Communication<'_>,
    (file, function): (FileId, LocalFunction),
    (expr, call): (ExprId, Call),
    group: Symbol,
) -> Use {
    let model = &program.file(file).model;
    let is_group = |given: ExprId| model.expr(given) == Expr::Name(group);
    let unseen = model.keywords(call).iter().any(|keyword| keyword.name.is_none())
        || model.list(call.args).iter().any(|&arg| matches!(model.expr(arg), Expr::Starred(_)));
    if let Some((operation, sure)) = communication.operation(file, function, call) {
        let GroupOf::Operand(operand) = operation.group else { return Use::Other };
        if operand.is_receiver() || sure < Confidence::High || !Wanted::Collective.takes(operation.kind) {
            return Use::Other;
        }
        return match argument(model, call, operand.position.map(usize::from), operand.parameter) {
            Some(given) if is_group(given) => Use::Passed(given, operation.op),
            None if !unseen && !operation.implicit => Use::Left(operation.op),
            _ => Use::Other,
        };
    }
    let name = model.last_name(call.callee);
    if name.is_some_and(|name| ASKS_SIZE.contains(&name.as_str())) {
        let asked = match model.expr(call.callee) {
            Expr::Attribute { value, .. } if is_group(value) => Some(value),
            _ => model.list(call.args).iter().copied().find(|&given| is_group(given)),
        };
        return asked.map_or(Use::Other, |asked| Use::Passed(asked, Symbol::new("size")));
    }
    // A function of the program that runs on the group it is handed, and on all ranks if it is handed none.
    let Some((callee, sure)) = communication.callee(file, function, call) else { return Use::Other };
    let definition = program.function(callee);
    let bound = usize::from(definition.class.is_some());
    if definition.name.as_str() == "__init__" {
        return Use::Other;
    }
    let taken = definition.parameters.iter().enumerate().find(|(_, parameter)| holds_group(parameter.name));
    let Some((at, parameter)) = taken.filter(|_| sure > Confidence::Low) else { return Use::Other };
    match argument(model, call, at.checked_sub(bound), parameter.name) {
        Some(given) if is_group(given) => Use::Passed(given, definition.name),
        None if !unseen && parameter.default.is_some() => {
            let issued = communication.issued(file, function, expr, call, Wanted::Collective);
            issued.map_or(Use::Other, |_| Use::Left(definition.name))
        }
        _ => Use::Other,
    }
}

/// Whether there is a group for sure where the call is made: no question for it stands around, and only who has none has
/// left before.
fn is_given(model: &File, function: LocalFunction, call: ExprId, group: Symbol) -> bool {
    let span = model.span(call);
    let mut given = true;
    each_in_context(model, function, &mut |id, stmt, context| {
        let within = model.stmt_span(id);
        let holds = within.start <= span.start && span.end <= within.end;
        let body = matches!(
            stmt,
            Stmt::If { .. } | Stmt::While { .. } | Stmt::For { .. } | Stmt::With { .. } | Stmt::Try { .. }
        );
        if !holds || body {
            return;
        }
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| {
                if let Expr::IfElse(at) = expr {
                    given &= !asks_for(model, model.if_else(at)[0], group);
                }
            });
        }
        for &condition in context.conditions {
            if asks_for(model, condition, group) {
                // Who is inside of the question is behind it in the source, and so is who comes after it.
                let around = is_around(model, function, condition, span.start);
                given &= !around && is_absence(model, condition, group);
            }
        }
    });
    given
}

/// Parts of names in questions of who takes part: each arm has ranks of its own.
const OF_RANKS: [&str; 8] = ["group", "world", "dist", "parallel", "rank", "global", "local", "mesh"];

/// Whether two places stand in the two arms of one question of who takes part, or of one switch.
fn are_alternatives(model: &File, function: LocalFunction, one: ExprId, other: ExprId) -> bool {
    let holds = |block: Block, expr: ExprId| {
        let span = model.span(expr);
        model.block(block).iter().any(|&stmt| {
            let around = model.stmt_span(stmt);
            around.start <= span.start && span.end <= around.end
        })
    };
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Stmt::If { test, body, orelse } = stmt
            && asks_who(model, *test)
        {
            found |= holds(*body, one) && holds(*orelse, other) || holds(*body, other) && holds(*orelse, one);
        }
    });
    found
}

fn asks_who(model: &File, test: ExprId) -> bool {
    let mut asks = match model.expr(test) {
        Expr::Unary(UnaryOp::Not, inner) => return asks_who(model, inner),
        Expr::Name(_) | Expr::Attribute { .. } => true,
        _ => false,
    };
    each_expression(model, test, &mut |_, expr| {
        if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
            let name = name.as_str().to_ascii_lowercase();
            asks |= name == "pg" || OF_RANKS.iter().any(|part| name.contains(part));
        }
    });
    asks
}

fn asks_for(model: &File, condition: ExprId, group: Symbol) -> bool {
    let mut found = false;
    each_expression(model, condition, &mut |_, expr| found |= expr == Expr::Name(group));
    found
}

/// Whether the statement whose condition it is contains the place.
fn is_around(model: &File, function: LocalFunction, condition: ExprId, place: u32) -> bool {
    let mut around = false;
    each_statement(model, model.function(function).body, &mut |id, stmt| {
        if let Stmt::If { test, .. } | Stmt::While { test, .. } = stmt
            && *test == condition
        {
            let span = model.stmt_span(id);
            around = span.start <= place && place < span.end;
        }
    });
    around
}

/// Whether the condition holds where there is no group: `not group`, `group is None`.
fn is_absence(model: &File, condition: ExprId, group: Symbol) -> bool {
    let named = |expr: ExprId| model.expr(expr) == Expr::Name(group);
    match model.expr(condition) {
        Expr::Unary(UnaryOp::Not, inner) => named(inner),
        Expr::Compare(CompareOp::Is, left, right) => named(left) && model.expr(right) == Expr::None,
        _ => false,
    }
}
