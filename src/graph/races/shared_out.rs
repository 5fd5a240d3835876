//! Data sets that a program shares out among its ranks: each rank has made an object of them.

use std::rc::Rc;

use super::common::Common;
use super::evidence::Together;
use super::names::assigned;
use crate::base::{ClassId, FileId, FunctionId, Site, Symbol};
use crate::graph::communication::argument;
use crate::graph::conduct::bodies;
use crate::graph::program::Program;
use crate::graph::resolve::Target;
use crate::model::{Expr, ExprId, File, LocalFunction, each_call, each_statement};

/// What shares a data set out among the ranks.
const SAMPLER: &str = "DistributedSampler";

/// A place where a data set is shared out.
pub(super) struct SharedOut {
    site: Site,
    /// The class of that data set, where the function itself makes it.
    of: Option<ClassId>,
}

impl Common<'_> {
    /// Where the program shares its data sets out among the ranks: not in tests.
    fn sharing_out(&mut self) -> Rc<[SharedOut]> {
        let (program, home, sampler) = (self.program, self.home, Symbol::new(SAMPLER));
        let find = || {
            let mut out = Vec::new();
            for (file, local) in bodies(program).filter(|&(file, _)| program.same_tree(home, file)) {
                let model = &program.file(file).model;
                if program.file(file).is_test() || !model.function(local).mentions.contains(&sampler) {
                    continue;
                }
                each_call(model, local, &mut |expr, call| {
                    if model.last_name(call.callee) == Some(sampler) {
                        let shared = argument(model, call, Some(0), Symbol::new("dataset"));
                        let of = shared.and_then(|shared| class_made(program, file, local, shared));
                        out.push(SharedOut { site: Site { file, span: model.span(expr) }, of });
                    }
                });
            }
            out.into()
        };
        self.shares_out.get_or_insert_with(find).clone()
    }

    /// Where the program shares its data sets out among the ranks: each rank has made an object of the one whose constructor
    /// this is.
    pub(super) fn makes_shared_out(&mut self, function: FunctionId) -> Option<Together> {
        let program = self.program;
        let class = program.class_of(function).filter(|_| program.function(function).name.as_str() == "__init__")?;
        let is_data_set = |base: &Symbol| base.as_str().starts_with("torch") && base.as_str().ends_with("Dataset");
        if !program.external_bases(class).iter().any(is_data_set) {
            return None;
        }
        if self.is_only_done_in_turn(function, MAX_CALLS_UP) {
            return None;
        }
        let by_whom: Vec<FunctionId> = self.callers(function).into_iter().map(|(caller, _)| caller).collect();
        let home = |function: FunctionId| program.locate(function).0;
        let near: Vec<FileId> = std::iter::once(function).chain(by_whom.iter().copied()).map(home).collect();
        let makers: Vec<Target> =
            std::iter::once(Target::Class(class)).chain(by_whom.iter().map(maker(program))).collect();
        let shared = self.sharing_out();
        let is_near = |SharedOut { site, of }: &&SharedOut| {
            // Of which nobody is seen to make an object, that may be it.
            let may_be_it = by_whom.is_empty() || of.is_none_or(|of| program.lineage(of).contains(&class));
            let names_it = || makers.iter().any(|&maker| speaks_of(program, site.file, maker));
            may_be_it
                && (near.contains(&site.file)
                    || near.iter().any(|&file| program.is_beside(site.file, file)) && names_it())
        };
        shared.iter().find(is_near).map(|shared| Together::SharesOut(shared.site))
    }

    /// Whether all who call the function, or who call those, do so on some ranks alone, or on one after the other.
    fn is_only_done_in_turn(&mut self, function: FunctionId, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        let callers: Vec<(FunctionId, bool)> =
            self.callers(function).into_iter().map(|(caller, made)| (caller, made.by_all)).collect();
        !callers.is_empty()
            && callers.into_iter().all(|(caller, by_all)| !by_all || self.is_only_done_in_turn(caller, fuel))
    }
}

/// Calls up from the constructor of a data set to where ranks are let in one after the other.
const MAX_CALLS_UP: u32 = 3;

/// Whether an argument may be another data set: what is made on the spot, or called so.
fn may_hold_data(model: &File, given: ExprId) -> bool {
    match model.expr(given) {
        Expr::Call(_) | Expr::ListDisplay(_) => true,
        Expr::Name(name) | Expr::Attribute { name, .. } => name.as_str().contains("data"),
        _ => false,
    }
}

/// The class of the program that a function makes an object of which it keeps under a name: `self.samples = Samples(path)`,
/// by whatever name it calls that. One that is handed another data set is not all that is shared out.
fn class_made(program: &Program, file: FileId, local: LocalFunction, kept: ExprId) -> Option<ClassId> {
    let model = &program.file(file).model;
    let is_kept = |target: ExprId| match (model.expr(target), model.expr(kept)) {
        (Expr::Name(one), Expr::Name(other)) => one == other,
        (Expr::Attribute { name: one, .. }, Expr::Attribute { name: other, .. }) => one == other,
        _ => false,
    };
    let mut values = Vec::new();
    each_statement(model, model.function(local).body, &mut |_, stmt| {
        if let Some((targets, value)) = model.assigned(stmt)
            && targets.iter().any(|&target| is_kept(target))
        {
            values.push(value);
        }
    });
    let [value] = values[..] else { return None };
    let Expr::Call(call) = model.expr(value) else { return None };
    let call = model.call(call);
    let given = model.keywords(call).iter().map(|keyword| keyword.value).chain(model.list(call.args).iter().copied());
    if given.into_iter().any(|given| may_hold_data(model, given)) {
        return None;
    }
    let callee = call.callee;
    let meant = match model.expr(callee) {
        Expr::Name(name) => match assigned(model, local, name)[..] {
            [known] => known,
            _ => callee,
        },
        _ => callee,
    };
    match program.target(file, local, meant) {
        Some(Target::Class(class)) => Some(class),
        _ => None,
    }
}

/// What others name to have a function run: itself, or the class whose method it is.
fn maker(program: &Program) -> impl Fn(&FunctionId) -> Target {
    |&function| program.class_of(function).map_or(Target::Function(function), Target::Class)
}

/// Whether a file names a function or class of the program, and means by it nothing else of the same name.
fn speaks_of(program: &Program, file: FileId, target: Target) -> bool {
    let name = match target {
        Target::Class(class) => program.class(class).name,
        Target::Function(function) => program.function(function).name,
        _ => return false,
    };
    program.file(file).model.uses(name) && program.may_mean(file, name, target)
}
