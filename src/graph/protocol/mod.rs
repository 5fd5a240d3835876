//! The control plane of a program: what its messages are, who sends and who receives them.
//!
//! A program has one where a header that says what to do, and which message it is, crosses ranks, and some action ends
//! the conversation. Everything else is told from there; without it the lists are empty and nobody asks further.

mod types;
mod wire;
mod words;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{ClassId, FileId, FunctionId, Site, Symbol};
use crate::model::{Expr, ExprId, File, LocalFunction, each_expression, each_statement};

use super::conduct::bodies;
use super::program::Program;

pub use types::Types;
pub use wire::{Move, Ways};
pub use words::{is_epoch, is_id, is_terminal, is_version};

/// The control plane of a program.
#[derive(Default)]
pub struct Protocol {
    /// Classes whose instances go out as headers, with the places where that happens.
    pub headers: FxHashSet<ClassId>,
    /// Headers that are written out where they are made, without a class.
    pub plain_headers: Vec<(Site, Vec<Symbol>)>,
    /// Classes that carry an id and an epoch: headers, calls, results.
    pub messages: FxHashSet<ClassId>,
    /// The messages among these that answer others.
    pub results: FxHashSet<ClassId>,
    /// Classes of the lines of a manifest: a key, a shape, a dtype.
    pub specs: FxHashSet<ClassId>,
    /// What moves tensors or objects between ranks, in order of files.
    pub moves: Vec<Move>,
    /// Functions that move anything, with the ways in which they do.
    pub movers: FxHashMap<FunctionId, Ways>,
    /// Functions that send a header themselves.
    pub senders: FxHashSet<FunctionId>,
    /// These, and the functions that call them.
    pub sending: FxHashSet<FunctionId>,
    trees: FxHashSet<FileId>,
}

impl Protocol {
    /// Searches the program.
    pub fn of(program: &Program) -> Protocol {
        let mut out = Protocol::default();
        let mut trees: Vec<FileId> = Vec::new();
        for tree in program.trees() {
            if speaks(program, &tree) && ends(program, &tree) {
                trees.extend(tree);
            }
        }
        if trees.is_empty() {
            return out;
        }
        let types = Types::new(program);
        let headers = classes(program, &trees, |fields| {
            fields.iter().any(|name| words::is_action(name)) && fields.iter().any(|name| is_id(name))
        });
        out.moves = wire::moves(program, &types, &trees, &mut out.movers);
        let reader = wire::Headers { program, types: &types, classes: &headers };
        let mut homes: FxHashSet<FileId> = FxHashSet::default();
        for one in out.moves.iter().filter(|one| one.ways.out && one.exact) {
            let Some(header) = reader.read(one.file, one.function, one.payload) else { continue };
            out.senders.insert(program.function_id(one.file, one.function));
            homes.insert(one.file);
            match header {
                wire::Header::Class(class) => drop(out.headers.insert(class)),
                wire::Header::Plain(site, names) => {
                    if !out.plain_headers.iter().any(|(known, _)| *known == site) {
                        out.plain_headers.push((site, names));
                    }
                }
                wire::Header::Named => {}
            }
        }
        if out.senders.is_empty() {
            return Protocol::default();
        }
        trees.retain(|&file| homes.iter().any(|&home| program.same_tree(home, file)));
        out.sending = wire::callers(program, &types, &trees, &out.senders);
        out.messages = classes(program, &trees, |fields| {
            fields.iter().any(|name| is_epoch(name)) && fields.iter().any(|name| is_id(name))
        });
        let result = |&&class: &&ClassId| types.fields(class).iter().any(|(name, _)| words::is_outcome(name.as_str()));
        out.results = out.messages.iter().filter(result).copied().collect();
        out.specs = classes(program, &trees, |fields| {
            fields.contains(&"dtype")
                && fields.contains(&"shape")
                && (fields.contains(&"key") || fields.contains(&"name"))
        });
        out.trees = trees.into_iter().collect();
        out
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.senders.is_empty()
    }

    /// Whether the file belongs to a program with a control plane.
    pub fn covers(&self, file: FileId) -> bool {
        self.trees.contains(&file)
    }

    /// The bodies of the programs with a control plane, in order; those of tests are none.
    pub fn bodies<'p>(&'p self, program: &'p Program) -> impl Iterator<Item = (FileId, LocalFunction)> + 'p {
        bodies(program).filter(|(file, _)| self.covers(*file) && !program.file(*file).is_test())
    }

    /// The moves that stand in the body of a function, in order.
    pub fn moves_in(&self, file: FileId, function: LocalFunction) -> impl Iterator<Item = &Move> {
        let from = self.moves.partition_point(|one| (one.file, one.function) < (file, function));
        self.moves[from..].iter().take_while(move |one| (one.file, one.function) == (file, function))
    }

    /// Whether a file is part of the envelope: it sends headers, or defines them.
    pub fn owns(&self, program: &Program, file: FileId) -> bool {
        self.senders.iter().any(|&sender| program.locate(sender).0 == file)
            || self.headers.iter().any(|&class| program.locate_class(class).0 == file)
    }

    /// Whether what is moved is a header.
    pub fn is_header(&self, program: &Program, types: &Types<'_>, one: &Move) -> bool {
        let reader = wire::Headers { program, types, classes: &self.headers };
        one.exact && reader.read(one.file, one.function, one.payload).is_some()
    }
}

/// Whether an expression names an action that ends the conversation.
pub fn names_terminal(model: &File, expr: ExprId) -> bool {
    let mut found = false;
    each_expression(model, expr, &mut |_, part| {
        if let Expr::Name(name) | Expr::Attribute { name, .. } = part {
            found |= is_terminal(name);
        }
    });
    found
}

/// Whether files may hold a control plane at all; a cheap question to ask first.
fn speaks(program: &Program, files: &[FileId]) -> bool {
    let moves = |name: &Symbol| {
        matches!(name.as_str(), "send" | "isend" | "broadcast" | "send_object_list" | "broadcast_object_list")
    };
    let identifies = |name: &Symbol| words::is_header(name.as_str()) || is_id(name.as_str());
    let any = |wanted: &dyn Fn(&Symbol) -> bool| {
        files.iter().any(|&file| {
            let model = &program.file(file).model;
            model.functions.iter().any(|function| function.mentions.iter().any(wanted))
        })
    };
    any(&moves) && any(&identifies)
}

/// Whether some action of the files ends the conversation: a member of an enumeration, or a constant.
fn ends(program: &Program, files: &[FileId]) -> bool {
    files.iter().any(|&file| {
        let model = &program.file(file).model;
        let is_body = |function: &crate::model::Function| {
            matches!(function.kind, crate::model::FunctionKind::Module | crate::model::FunctionKind::ClassBody)
        };
        model
            .functions
            .iter()
            .any(|function| is_body(function) && function.locals.iter().any(|&name| is_terminal(name)))
    })
}

/// The classes of the files whose fields are as asked.
fn classes(program: &Program, files: &[FileId], wanted: impl Fn(&[&str]) -> bool) -> FxHashSet<ClassId> {
    let mut out = FxHashSet::default();
    for &file in files {
        for index in 0..program.file(file).model.classes.len() {
            let class = program.class_id(file, crate::model::LocalClass(index as u32));
            let fields = types::fields(program, class);
            let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
            if wanted(&names) {
                out.insert(class);
            }
        }
    }
    out
}

/// The names that an expression mentions, through local names that are assigned once.
pub fn mentioned(program: &Program, file: FileId, function: LocalFunction, expr: ExprId, fuel: u32) -> Vec<Symbol> {
    let model = &program.file(file).model;
    let mut names = Vec::new();
    each_expression(model, expr, &mut |_, part| {
        if let Expr::Name(name) = part {
            names.push(name);
        }
    });
    if let Some(fuel) = fuel.checked_sub(1) {
        for name in names.clone() {
            if let Some(value) = program.single_assignment(file, function, name) {
                names.extend(mentioned(program, file, function, value, fuel));
            }
        }
    }
    names
}

/// The local names that statements bind to what an expression is: targets of its assignment, tuples included.
pub fn bound_to(model: &File, function: LocalFunction, expr: ExprId) -> Vec<Symbol> {
    let mut out = Vec::new();
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        let Some((targets, value)) = model.assigned(stmt) else { return };
        if value != expr {
            return;
        }
        for &target in targets {
            each_expression(model, target, &mut |_, part| {
                if let Expr::Name(name) = part {
                    out.push(name);
                }
            });
        }
    });
    out
}
