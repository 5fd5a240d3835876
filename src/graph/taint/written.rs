//! Attributes that some ranks alone write: by calling a method that does where the others do not, or by being let in by a
//! decorator.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Frequency, Taint};
use crate::base::Symbol;
use crate::graph::program::Program;
use crate::graph::suspects::Suspects;
use crate::model::{Expr, ExprId, File, Flow, Function, FunctionKind, Sink};

/// Which attributes a call writes, by the name of what is called: a method, or an object that can be called.
#[derive(Default)]
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
        for (name, class) in held(program, &called) {
            out.entry(name).or_default().extend(&called[&class]);
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
        // What is assigned to a property goes through a method of its name.
        let assigned = function.flows.iter().filter(|flow| suspects.flows(flow)).filter_map(Flow::attribute);
        for &name in suspects.called_apart().chain(assigned).flat_map(|called| self.by(called)) {
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
    let is_one = |&decorator: &ExprId| {
        let named = match model.expr(decorator) {
            Expr::Call(call) => model.call(call).callee,
            _ => decorator,
        };
        model.last_name(named).is_some_and(|name| names.contains(&name))
    };
    model.list(function.decorators).iter().any(is_one)
}

fn is_method(function: &Function) -> bool {
    function.class.is_some() && function.kind == FunctionKind::Def
}

/// The attributes that a function writes.
fn written(function: &Function) -> impl Iterator<Item = Symbol> + '_ {
    function.flows.iter().filter_map(Flow::attribute)
}

/// Variables and attributes that are given an object of one of the classes, with the class.
fn held(program: &Program, classes: &FxHashMap<Symbol, Vec<Symbol>>) -> Vec<(Symbol, Symbol)> {
    let mut out = Vec::new();
    for file in program.file_ids() {
        for function in &program.file(file).model.functions {
            for &Flow { to, start, end, .. } in &function.flows {
                let (Sink::Name(name) | Sink::Attribute(name)) = to else { continue };
                let mut made = function.mentions[start as usize..end as usize].iter();
                out.extend(made.find(|made| classes.contains_key(made)).map(|&class| (name, class)));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::taint_of;
    use super::*;

    /// A class whose method `step` has this body, behind what the other methods of it write.
    fn differing(body: &str) -> Vec<&'static str> {
        let text = format!(
            "import torch.distributed as dist\n\n\nclass Job:\n    def stop(self):\n        self.stopped = True\n\n    \
             def open(self):\n        self.opened = True\n\n    def join(self, ranks):\n        \
             self.own_group = dist.new_group(ranks)\n\n    def step(self, loss):\n{body}\n"
        );
        let (taint, _) = taint_of(&text);
        let names = ["written", "stopped", "opened", "own_group"];
        names.into_iter().filter(|name| taint.holds(Symbol::new(name))).collect()
    }

    #[test]
    fn what_is_written_behind_an_exit_of_some_ranks_differs() {
        let written = ["written"];
        assert_eq!(differing("        if dist.get_rank():\n            return\n        self.written = loss"), written);
        assert_eq!(differing("        if dist.get_rank():\n            self.written = loss"), written);
        assert!(differing("        if dist.get_rank():\n            print()\n        self.written = loss").is_empty());
    }

    #[test]
    fn what_is_written_before_the_exit_or_behind_an_error_does_not() {
        assert!(differing("        self.written = loss\n        if dist.get_rank():\n            return").is_empty());
        let raises = "        if dist.get_rank():\n            raise ValueError(loss)\n        self.written = loss";
        assert!(differing(raises).is_empty());
        let tries = "        try:\n            dist.get_rank()\n        except ValueError:\n            return\n        \
                     self.written = loss";
        assert!(differing(tries).is_empty());
    }

    #[test]
    fn what_a_method_writes_that_some_ranks_alone_call_differs() {
        assert_eq!(differing("        if dist.get_rank():\n            self.stop()"), ["stopped"]);
        assert!(differing("        self.stop()\n        if dist.get_rank():\n            print()").is_empty());
    }

    #[test]
    fn common_names_and_groups_are_left_out() {
        // `open` is a builtin as well; who is no member of a group has none.
        assert!(differing("        if dist.get_rank():\n            self.open()").is_empty());
        assert!(differing("        if dist.get_rank():\n            self.join([0])").is_empty());
    }
}
