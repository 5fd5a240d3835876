//! Context managers of the program that hide what fails in their block: an `__exit__` that returns true, and a generator
//! that goes on when what comes out of its `yield` is an exception.

use crate::base::{ClassId, FileId, FunctionId, Symbol};
use crate::model::{
    Block, Call, CompareOp, Expr, ExprId, File, FunctionKind, Handler, LocalFunction, Stmt, Try, each_expression,
    each_statement, expressions_of,
};

use super::super::blocks::{Around, yields};
use super::super::context::each_in_context;
use super::super::hazard::{Caught, keeps_exception};
use super::super::resolve::Target;
use super::{Search, Swallowed};

/// What ends a process.
const ENDS: [&str; 3] = ["sys.exit", "os._exit", "os.abort"];

/// What makes a context manager of a generator.
const OF_GENERATOR: &str = "contextmanager";

impl Search<'_, '_> {
    /// What the manager of a `with` statement hides: the same as a handler around its block.
    pub(super) fn guarded(
        &mut self,
        file: FileId,
        function: LocalFunction,
        context: ExprId,
        body: Block,
        around: &[Around<'_>],
        out: &mut Vec<Swallowed>,
    ) {
        let Some(caught) = self.hidden_by(file, function, context) else { return };
        let model = self.model(file);
        let nothing = Block::default();
        let handler = Handler { kind: None, name: None, body: nothing, span: model.span(context) };
        let parts = Try { body, handlers: vec![handler], orelse: nothing, finally: nothing };
        // What the manager has counted may be voted on behind it.
        let noted = model.last_name(context).into_iter().collect();
        self.swallowed_by(file, function, &parts, &handler, (caught, noted), around, out);
    }

    /// What a context manager of the program catches and does not raise again.
    fn hidden_by(&mut self, file: FileId, function: LocalFunction, context: ExprId) -> Option<Caught> {
        let program = self.program;
        let model = self.model(file);
        let made = match model.expr(context) {
            Expr::Call(call) => program.target(file, function, model.call(call).callee),
            _ => self.communication.class_of(file, function, context).map(Target::Class),
        };
        match made? {
            Target::Function(generator) => self.hidden_by_generator(generator),
            Target::Class(class) => {
                let exit = program.method(class, Symbol::new("__exit__"))?;
                self.hidden_by_exit(class, exit)
            }
            _ => None,
        }
    }

    /// By a function with `@contextmanager`: the handlers around its `yield`.
    fn hidden_by_generator(&self, generator: FunctionId) -> Option<Caught> {
        let (file, local) = self.program.locate(generator);
        let model = self.model(file);
        let definition = model.function(local);
        let decorators = model.list(definition.decorators);
        let is_manager =
            |&decorator: &ExprId| model.last_name(decorator).is_some_and(|name| name.as_str() == OF_GENERATOR);
        if !definition.is_generator || !decorators.iter().any(is_manager) {
            return None;
        }
        let mut caught = None;
        each_statement(model, definition.body, &mut |_, stmt| {
            let Stmt::Try(parts) = stmt else { return };
            if yields(model, parts.body) {
                let hides = |handler: &&Handler| !raises(model, handler.body) && !keeps_exception(model, handler);
                for handler in parts.handlers.iter().filter(hides) {
                    if self.ends_the_process(file, local, handler.body) {
                        continue;
                    }
                    let one = Caught::of(model, handler.kind);
                    caught = Some(caught.map_or(one, |all: Caught| all.or(one)));
                }
            }
        });
        caught
    }

    /// Whether a handler ends the process, and says that it has failed: `sys.exit(1)`.
    fn ends_the_process(&self, file: FileId, function: LocalFunction, body: Block) -> bool {
        let model = self.model(file);
        model.block(body).iter().any(|&id| {
            let Stmt::Expr(value) = *model.stmt(id) else { return false };
            let Expr::Call(call) = model.expr(value) else { return false };
            let call = model.call(call);
            let ends = self.program.resolve(file, function, call.callee);
            let first = model.list(call.args).first().map(|&code| model.expr(code));
            let is_success = matches!(first, Some(Expr::Int(0) | Expr::None));
            ends.is_some_and(|name| ENDS.contains(&name.as_str())) && !is_success
        })
    }

    /// By `__exit__`, where it returns true or whether the exception is one of some kinds.
    fn hidden_by_exit(&self, class: ClassId, exit: FunctionId) -> Option<Caught> {
        let (file, local) = self.program.locate(exit);
        let model = self.model(file);
        let kind = model.function(local).parameters.get(1)?.name;
        let is_absent = |&(&test, &answer): &(&ExprId, &bool)| match model.expr(test) {
            Expr::Compare(op @ (CompareOp::Is | CompareOp::IsNot), left, right) => {
                let asks = model.expr(left) == Expr::Name(kind) && model.expr(right) == Expr::None;
                asks && answer == (op == CompareOp::Is)
            }
            _ => false,
        };
        let (mut hides, mut kinds) = (false, Vec::new());
        each_in_context(model, local, &mut |_, stmt, context| {
            if let Stmt::Return(Some(value)) = *stmt {
                let answers = match model.expr(value) {
                    Expr::Bool(is_true) => is_true,
                    Expr::Call(call) => is_asked_for_kind(model, model.call(call)).is_some(),
                    _ => false,
                };
                hides |= answers && !context.conditions.iter().zip(context.answers).any(|asked| is_absent(&asked));
            }
            for root in expressions_of(model, stmt) {
                each_expression(model, root, &mut |_, expr| {
                    if let Expr::Call(call) = expr {
                        kinds.extend(is_asked_for_kind(model, model.call(call)));
                    }
                });
            }
        });
        let named = |&kind: &ExprId| self.caught_by(class, file, kind);
        let nothing_said = Caught { everything: true, ..Caught::default() };
        hides.then(|| kinds.iter().map(named).reduce(Caught::or).unwrap_or(nothing_said))
    }

    /// What a second argument of `issubclass` stands for: classes of exceptions, or a constant of the class that lists them.
    fn caught_by(&self, class: ClassId, file: FileId, kind: ExprId) -> Caught {
        let model = self.model(file);
        let Expr::Attribute { value, name } = model.expr(kind) else { return Caught::of(model, Some(kind)) };
        if !matches!(model.expr(value), Expr::Name(own) if own.as_str() == "self") {
            return Caught::of(model, Some(kind));
        }
        let (home, _) = self.program.locate_class(class);
        let home_model = self.model(home);
        let bodies = home_model.functions.iter().filter(|function| {
            function.kind == FunctionKind::ClassBody
                && function.class.is_some_and(|of| self.program.class_id(home, of) == class)
        });
        let mut listed = None;
        for body in bodies {
            each_statement(home_model, body.body, &mut |_, stmt| {
                if let Some((targets, value)) = home_model.assigned(stmt)
                    && targets.iter().any(|&target| home_model.expr(target) == Expr::Name(name))
                {
                    listed = Some(Caught::of(home_model, Some(value)));
                }
            });
        }
        listed.unwrap_or(Caught { everything: true, ..Caught::default() })
    }
}

/// `issubclass(kind, …)`, `isinstance(exception, …)`: the kinds.
fn is_asked_for_kind(model: &File, call: Call) -> Option<ExprId> {
    let name = model.last_name(call.callee)?;
    let &[_, kinds] = model.list(call.args) else { return None };
    matches!(name.as_str(), "issubclass" | "isinstance").then_some(kinds)
}

fn raises(model: &File, block: Block) -> bool {
    let mut found = false;
    each_statement(model, block, &mut |_, stmt| found |= matches!(stmt, Stmt::Raise(_)));
    found
}
