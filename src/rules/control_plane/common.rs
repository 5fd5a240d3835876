//! What several rules of the control plane ask: what may refuse, what goes out on which channel.

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::graph::protocol::{Protocol, Types, names_terminal};
use crate::graph::{Program, Target};
use crate::model::{
    Block, Call, Expr, ExprId, File, LocalFunction, Stmt, each_call, each_expression, each_statement, expressions_of,
};

/// The control plane of a program, and the types in it.
pub(super) struct Plane<'p> {
    pub program: &'p Program,
    pub protocol: &'p Protocol,
    pub types: Types<'p>,
}

impl<'p> Plane<'p> {
    /// The control plane, where the program has one.
    pub fn of(program: &'p Program) -> Option<Plane<'p>> {
        let protocol = program.protocol();
        (!protocol.is_empty()).then(|| Plane { program, protocol, types: Types::new(program) })
    }

    /// The bodies to look at.
    pub fn bodies(&self) -> Vec<(FileId, LocalFunction)> {
        self.protocol.bodies(self.program).collect()
    }

    /// The model of a file.
    pub fn model(&self, file: FileId) -> &'p File {
        &self.program.file(file).model
    }

    /// Where an expression stands.
    pub fn site(&self, file: FileId, expr: ExprId) -> Site {
        Site { file, span: self.model(file).span(expr) }
    }

    /// The functions that a call may run.
    pub fn callees(&self, file: FileId, function: LocalFunction, call: Call) -> Vec<FunctionId> {
        self.types.callees(file, function, call).into_vec()
    }

    /// Whether a function refuses something: it raises, or a function it calls does, so many calls deep.
    pub fn refuses(&self, function: FunctionId, depth: u32) -> bool {
        let (file, local) = self.program.locate(function);
        let model = self.model(file);
        let mut raises = false;
        each_statement(model, model.function(local).body, &mut |_, stmt| {
            raises |= matches!(stmt, Stmt::Raise(Some(_)) | Stmt::Assert(_));
        });
        raises
            || depth > 0
                && self.calls(file, local).into_iter().any(|(_, call)| {
                    self.callees(file, local, call)
                        .into_iter()
                        .any(|callee| callee != function && self.refuses(callee, depth - 1))
                })
    }

    /// The calls of a body, in source order.
    pub fn calls(&self, file: FileId, function: LocalFunction) -> Vec<(ExprId, Call)> {
        let mut out = Vec::new();
        each_call(self.model(file), function, &mut |expr, call| out.push((expr, call)));
        out
    }

    /// Whether the function, or one it calls, makes a call that is wanted.
    pub fn reaches(&self, function: FunctionId, depth: u32, wanted: &dyn Fn(&str) -> bool) -> Option<Symbol> {
        let (file, local) = self.program.locate(function);
        let calls = self.calls(file, local);
        let own = calls.iter().find_map(|(_, call)| {
            let dotted = self.external(file, local, *call)?;
            wanted(dotted.as_str()).then_some(dotted)
        });
        own.or_else(|| {
            let depth = depth.checked_sub(1)?;
            calls.iter().find_map(|(_, call)| {
                let callees = self.callees(file, local, *call);
                callees
                    .into_iter()
                    .filter(|&callee| callee != function)
                    .find_map(|callee| self.reaches(callee, depth, wanted))
            })
        })
    }

    /// The library's function that a call runs.
    pub fn external(&self, file: FileId, function: LocalFunction, call: Call) -> Option<Symbol> {
        match self.program.target(file, function, call.callee) {
            Some(Target::External(dotted)) => Some(dotted),
            _ => None,
        }
    }

    /// What a call sends on a channel: an object that sends headers, handed on or called itself.
    pub fn sent(&self, file: FileId, function: LocalFunction, expr: ExprId, call: Call) -> Option<Sent> {
        let model = self.model(file);
        let callees = self.callees(file, function, call);
        let sending = callees.iter().copied().find(|callee| self.protocol.sending.contains(callee))?;
        let is_channel = |value: ExprId| {
            let class = self.types.class_of(file, function, value)?;
            let sends = self.program.class(class).methods.iter();
            let (home, _) = self.program.locate_class(class);
            let mut ids = sends.map(|(_, method)| self.program.function_id(home, *method));
            ids.any(|method| self.protocol.senders.contains(&method)).then_some(value)
        };
        let receiver = match model.expr(call.callee) {
            Expr::Attribute { value, .. } if self.protocol.senders.contains(&sending) => Some(value),
            _ => model.list(call.args).iter().copied().find_map(is_channel),
        };
        let arguments = model.list(call.args).iter().copied().chain(model.keywords(call).iter().map(|one| one.value));
        let channel = match receiver {
            Some(receiver) => self.text(file, receiver),
            None if self.protocol.senders.contains(&sending) => {
                let place = model.keywords(call).iter().find(|one| {
                    one.name
                        .is_some_and(|name| matches!(name.as_str(), "group" | "dst" | "peer" | "pg" | "process_group"))
                });
                place.map_or_else(String::new, |one| self.text(file, one.value))
            }
            None => return None,
        };
        let what = if arguments.clone().any(|one| names_terminal(model, one)) || self.is_terminal(sending) {
            What::Terminal
        } else if self.is_bare(sending) {
            What::Bare
        } else {
            What::Message
        };
        Some(Sent { at: self.site(file, expr), expr, channel, what })
    }

    /// Whether a sender sends a header and nothing else.
    fn is_bare(&self, sender: FunctionId) -> bool {
        let (file, local) = self.program.locate(sender);
        let out: Vec<_> = self.protocol.moves_in(file, local).filter(|one| one.ways.out).collect();
        self.protocol.senders.contains(&sender)
            && out.iter().all(|one| self.protocol.is_header(self.program, &self.types, one))
    }

    /// Whether a function sends the end of the conversation, by what it says or is called.
    fn is_terminal(&self, sender: FunctionId) -> bool {
        let (file, local) = self.program.locate(sender);
        let model = self.model(file);
        let name = model.function(local).name.as_str().to_ascii_lowercase();
        ["shutdown", "abort", "terminate", "send_error"].iter().any(|word| name.contains(word))
            && block_names_terminal(model, model.function(local).body)
    }

    /// Everything that a body sends on channels, in source order.
    pub fn all_sent(&self, file: FileId, function: LocalFunction) -> Vec<Sent> {
        let calls = self.calls(file, function);
        calls.into_iter().filter_map(|(expr, call)| self.sent(file, function, expr, call)).collect()
    }

    /// The text of an expression.
    pub fn text(&self, file: FileId, expr: ExprId) -> String {
        self.program.text(file, self.model(file).span(expr)).to_owned()
    }
}

/// A message on a channel.
pub(super) struct Sent {
    /// Where it is sent.
    pub at: Site,
    /// The call.
    pub expr: ExprId,
    /// The channel, as the source spells it.
    pub channel: String,
    /// What it is.
    pub what: What,
}

/// What a message is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// The end of the conversation.
    Terminal,
    /// A header and nothing else.
    Bare,
    /// Something with a payload.
    Message,
}

/// Whether a block names an action that ends the conversation.
pub(super) fn block_names_terminal(model: &File, block: Block) -> bool {
    let mut found = false;
    each_statement(model, block, &mut |_, stmt| {
        found |= expressions_of(model, stmt).into_iter().any(|root| names_terminal(model, root));
    });
    found
}

/// The calls of a block, in source order.
pub(super) fn calls_of(model: &File, block: Block) -> Vec<(ExprId, Call)> {
    let mut out = Vec::new();
    each_statement(model, block, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |id, expr| {
                if let Expr::Call(index) = expr {
                    out.push((id, model.call(index)));
                }
            });
        }
    });
    out
}

/// Whether the block leaves the function at its end.
pub(super) fn leaves(model: &File, block: Block) -> bool {
    model.block(block).last().is_some_and(|&last| match model.stmt(last) {
        Stmt::Raise(_) | Stmt::Return(_) => true,
        Stmt::Expr(value) => match model.expr(*value) {
            Expr::Call(index) => {
                let name = model.dotted(model.call(index).callee);
                name.is_some_and(|name| matches!(name.as_str(), "sys.exit" | "os._exit" | "exit" | "os.abort"))
            }
            _ => false,
        },
        _ => false,
    })
}

/// Whether an expression mentions one of the names.
pub(super) fn mentions(model: &File, root: ExprId, names: &[Symbol]) -> bool {
    let mut found = false;
    each_expression(model, root, &mut |_, expr| {
        if let Expr::Name(name) = expr {
            found |= names.contains(&name);
        }
    });
    found
}

/// Whether an expression mentions an attribute or name that is as asked.
pub(super) fn names_any(model: &File, root: ExprId, wanted: &dyn Fn(&str) -> bool) -> bool {
    let mut found = false;
    each_expression(model, root, &mut |_, expr| {
        if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
            found |= wanted(name.as_str());
        }
    });
    found
}
