//! What a handler catches, and what it makes of that.

use super::Failure;
use crate::base::Symbol;
use crate::model::{Call, Expr, ExprId, File, Handler, Stmt, each_expression, each_statement, expressions_of};

/// What a handler catches, as far as its names say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caught {
    /// Whatever is raised.
    pub everything: bool,
    /// Errors of the outside world.
    pub outside: bool,
    /// Errors of data.
    pub data: bool,
    /// Errors of the run time, out of memory among them.
    pub runtime: bool,
    /// Only that memory ran out.
    pub memory: bool,
    /// Somebody pressed Ctrl-C.
    pub interrupt: bool,
    /// An object that cannot be pickled, by that name.
    pub pickling: bool,
}

impl Caught {
    /// By the names of exception classes; `None` is a bare `except`.
    pub fn of(model: &File, kind: Option<ExprId>) -> Caught {
        let Some(kind) = kind else { return Caught { everything: true, ..Caught::default() } };
        let kinds: Vec<ExprId> = match model.expr(kind) {
            Expr::Tuple(parts) => model.list(parts).to_vec(),
            _ => vec![kind],
        };
        let mut out = Caught::default();
        for kind in kinds {
            out.add(model, kind);
        }
        out
    }

    /// Whatever one of the two catches.
    #[must_use]
    pub fn or(self, other: Caught) -> Caught {
        Caught {
            everything: self.everything || other.everything,
            outside: self.outside || other.outside,
            data: self.data || other.data,
            runtime: self.runtime || other.runtime,
            memory: self.memory || other.memory,
            interrupt: self.interrupt || other.interrupt,
            pickling: self.pickling || other.pickling,
        }
    }

    fn add(&mut self, model: &File, kind: ExprId) {
        let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(kind) else { return };
        let name = name.as_str();
        match name {
            "Exception" | "BaseException" => self.everything = true,
            "OSError" | "IOError" | "EnvironmentError" | "error" => self.outside = true,
            "ValueError" | "KeyError" | "IndexError" | "LookupError" | "EOFError" | "ArithmeticError" => {
                self.data = true
            }
            "RuntimeError" => self.runtime = true,
            "OutOfMemoryError" => self.memory = true,
            "KeyboardInterrupt" => self.interrupt = true,
            _ => {
                const WORDS: [&str; 12] = [
                    "File",
                    "Permission",
                    "Timeout",
                    "Connection",
                    "HTTP",
                    "Http",
                    "Request",
                    "URL",
                    "Client",
                    "NotFound",
                    "Storage",
                    "BrokenPipe",
                ];
                const DATA: [&str; 5] = ["Decode", "Pickl", "Parse", "YAML", "Corrupt"];
                self.outside |= WORDS.iter().any(|word| name.contains(word)) && name != "ModuleNotFoundError";
                self.data |= DATA.iter().any(|word| name.contains(word));
                self.pickling |= name.contains("Pickl");
                self.memory |= name.contains("OOM") || name.contains("OutOfMemory");
            }
        }
    }

    /// Whether it catches a failure of that sort.
    pub fn takes(self, failure: Failure) -> bool {
        self.everything
            || match failure {
                Failure::Outside => self.outside,
                Failure::Data => self.data,
                Failure::Any => self.memory || self.runtime,
            }
    }

    /// Whether it may catch anything that differs between ranks.
    pub fn is_local(self) -> bool {
        self.everything || self.outside || self.data || self.runtime || self.memory
    }
}

/// Whether the handler keeps the exception for later: it is stored, returned, or handed to somebody.
pub fn keeps_exception(model: &File, handler: &Handler) -> bool {
    let Some(name) = handler.name else { return false };
    let mentioned = |root: ExprId| {
        let mut found = false;
        each_expression(model, root, &mut |_, expr| found |= expr == Expr::Name(name));
        found
    };
    let mut kept = false;
    each_statement(model, handler.body, &mut |_, stmt| match stmt {
        stmt if let Some((targets, value)) = model.assigned(stmt) => {
            let stored = targets.iter().any(|&target| !matches!(model.expr(target), Expr::Name(_)));
            let bare = model.expr(value) == Expr::Name(name);
            kept |= mentioned(value) && (stored || bare);
        }
        Stmt::Return(Some(value)) => kept |= mentioned(*value),
        Stmt::Expr(value) => {
            let Expr::Call(call) = model.expr(*value) else { return };
            let call = model.call(call);
            let Expr::Attribute { name: method, .. } = model.expr(call.callee) else { return };
            let stores = matches!(
                method.as_str(),
                "append" | "put" | "put_nowait" | "set_exception" | "add" | "send" | "add_exception"
            );
            kept |= stores && model.list(call.args).iter().any(|&argument| mentioned(argument));
        }
        _ => {}
    });
    kept
}

/// Whether the handler asks if memory ran out: by the text of the exception or by a function that says so.
pub fn asks_for_memory(model: &File, handler: &Handler) -> bool {
    let mut found = false;
    each_statement(model, handler.body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| match expr {
                Expr::Str(text) => found |= text.as_str().contains("out of memory"),
                Expr::Name(name) | Expr::Attribute { name, .. } => {
                    found |= name.as_str().split('_').any(|part| part.eq_ignore_ascii_case("oom"));
                }
                _ => {}
            });
        }
    });
    found
}

/// A pass through a model, by the name of the call: `backward`, `train_step`, `forward_backward_func`.
pub fn is_pass(model: &File, call: Call) -> Option<Symbol> {
    let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(call.callee) else { return None };
    (names_a_pass(name) && !is_probe(model, call.callee)).then_some(name)
}

/// Whether a function of this name goes through a model and back.
pub fn names_a_pass(name: Symbol) -> bool {
    let has = |word: &str| name.as_str().split('_').any(|part| part == word);
    let train = has("train") || has("training");
    has("backward") || train && (has("step") || has("microbatches") || has("microbatch") || has("batch"))
}

/// `tuner.backward_time`, `scaler.…`: objects that only look at passes.
fn is_probe(model: &File, callee: ExprId) -> bool {
    let Expr::Attribute { value, .. } = model.expr(callee) else { return false };
    let (Expr::Name(object) | Expr::Attribute { name: object, .. }) = model.expr(value) else { return false };
    ["log", "timer", "profiler", "meter"].iter().any(|word| object.as_str().contains(word))
}
