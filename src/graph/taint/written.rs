//! Attributes that some ranks alone write: by calling a method that does where the others do not, or by being let in by a
//! decorator.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Frequency, Taint};
use crate::base::Symbol;
use crate::graph::program::Program;
use crate::graph::suspects::Suspects;
use crate::model::{Expr, ExprId, File, Flow, Function, FunctionKind, Sink};

/// Names in a value that is looked at for a class.
const MAX_MENTIONS: u32 = 8;

/// Which attributes a call writes, by the name of what is called: a method, or an object that can be called.
pub(super) struct Writes(FxHashMap<Symbol, Vec<Symbol>>);

impl Writes {
    pub(super) fn of(program: &Program, frequency: &Frequency) -> Writes {
        let mut out: FxHashMap<Symbol, Vec<Symbol>> = FxHashMap::default();
        let mut called: FxHashMap<Symbol, Vec<Symbol>> = FxHashMap::default();
        for file in program.file_ids() {
            let model = &program.file(file).model;
            for method in model.functions.iter().filter(|function| is_method(function)) {
                let written = written(method).filter(|&name| !frequency.is_generic(name) && !is_of_groups(name));
                let class = method.class.filter(|_| method.name.as_str() == "__call__");
                match class.map(|class| model.class(class).name) {
                    Some(class) => called.entry(class).or_default().extend(written),
                    None if frequency.is_generic(method.name) => {}
                    None => out.entry(method.name).or_default().extend(written),
                }
            }
        }
        called.retain(|_, written| !written.is_empty());
        if !called.is_empty() {
            for (name, class) in held(program, &called) {
                out.entry(name).or_default().extend(&called[&class]);
            }
        }
        out.retain(|_, written| !written.is_empty());
        Writes(out)
    }

    fn by(&self, called: Symbol) -> &[Symbol] {
        self.0.get(&called).map_or(&[], Vec::as_slice)
    }

    /// Adds what a function has some ranks alone write: `apart` of the attributes by the name of the function, and to all
    /// that are found.
    pub(super) fn beside(
        &self,
        function: &Function,
        suspects: &Suspects<'_>,
        apart: &mut FxHashMap<Symbol, Vec<Symbol>>,
        found: &mut FxHashSet<Symbol>,
    ) {
        for &name in suspects.called_apart().flat_map(|called| self.by(called)) {
            found.insert(name);
            let known = apart.entry(function.name).or_default();
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
}

impl Taint {
    /// Attributes that methods write which a decorator lets some ranks run only.
    pub(super) fn written_where_let_in(&self, program: &Program, writes: &Writes) -> Vec<Symbol> {
        let mut let_in = self.deciding(program);
        let_in.extend(program.catalog.decorators_for_one());
        let mut out = Vec::new();
        for file in program.file_ids() {
            let model = &program.file(file).model;
            for method in model.functions.iter().filter(|function| is_method(function)) {
                if is_decorated(model, method, &let_in) {
                    out.extend(written(method).filter(|name| writes.by(method.name).contains(name)));
                }
            }
        }
        out
    }
}

/// Whether an attribute holds a group or what groups are made of, by its name: who is no member has none.
fn is_of_groups(name: Symbol) -> bool {
    ["group", "mesh"].iter().any(|part| name.as_str().contains(part))
}

/// Whether one of the names is that of a decorator of the function.
pub(super) fn is_decorated(model: &File, function: &Function, names: &FxHashSet<Symbol>) -> bool {
    let is_one = |&decorator: &ExprId| match model.expr(decorator) {
        Expr::Name(name) | Expr::Attribute { name, .. } => names.contains(&name),
        _ => false,
    };
    model.list(function.decorators).iter().any(is_one)
}

fn is_method(function: &Function) -> bool {
    function.class.is_some() && function.kind == FunctionKind::Def
}

/// The attributes that a function writes.
fn written(function: &Function) -> impl Iterator<Item = Symbol> + '_ {
    function.flows.iter().filter_map(|flow| match flow.to {
        Sink::Attribute(name) => Some(name),
        _ => None,
    })
}

/// Variables and attributes that are given an object of one of the classes, with the class.
fn held(program: &Program, classes: &FxHashMap<Symbol, Vec<Symbol>>) -> Vec<(Symbol, Symbol)> {
    let mut out = Vec::new();
    for file in program.file_ids() {
        for function in &program.file(file).model.functions {
            let short = function.flows.iter().filter(|flow| flow.end - flow.start <= MAX_MENTIONS);
            for &Flow { to, start, end, .. } in short {
                let (Sink::Name(name) | Sink::Attribute(name)) = to else { continue };
                let mut made = function.mentions[start as usize..end as usize].iter();
                out.extend(made.find(|made| classes.contains_key(made)).map(|&class| (name, class)));
            }
        }
    }
    out
}
