//! Classes and what they descend from: methods, bases in the program and in libraries.

use crate::base::{ClassId, FunctionId, Symbol};
use crate::model::{Expr, SETTER};

use super::{Program, Target};

impl Program {
    /// The method of that name, of the class itself or of its bases.
    pub fn method(&self, class: ClassId, name: Symbol) -> Option<FunctionId> {
        self.lineage(class).iter().find_map(|&class| {
            let (file, _) = self.locate_class(class);
            let found = self.class(class).methods.iter().rev().find(|(method, _)| *method == name)?;
            Some(self.function_id(file, found.1))
        })
    }

    /// What assigns to the property of that name, where the class has one that can be assigned to.
    pub fn setter(&self, class: ClassId, property: Symbol) -> Option<FunctionId> {
        let of = |method: &Symbol| method.as_str().strip_suffix(SETTER) == Some(property.as_str());
        self.lineage(class).iter().find_map(|&class| {
            let (file, _) = self.locate_class(class);
            let found = self.class(class).methods.iter().find(|(method, _)| of(method))?;
            Some(self.function_id(file, found.1))
        })
    }

    /// What `apply` of an autograd function of the program runs: its `forward`, with a context in front.
    pub fn applied(&self, class: ClassId) -> Option<FunctionId> {
        let forward = self.method(class, Symbol::new("forward"))?;
        let is_function =
            |base: &Symbol| matches!(base.as_str(), "torch.autograd.Function" | "torch.autograd.function.Function");
        self.external_bases(class).iter().any(is_function).then_some(forward)
    }

    /// The class and its bases within the program, nearest first, each once.
    pub fn lineage(&self, class: ClassId) -> &[ClassId] {
        self.lineages[class.0 as usize].get_or_init(|| self.find_lineage(class).into())
    }

    fn find_lineage(&self, class: ClassId) -> Vec<ClassId> {
        let mut out = vec![class];
        let mut at = 0;
        while at < out.len() && out.len() < 64 {
            for base in self.bases(out[at]) {
                if let Target::Class(base) = base
                    && !out.contains(&base)
                {
                    out.push(base);
                }
            }
            at += 1;
        }
        out
    }

    /// What the bases of a class mean.
    pub fn bases(&self, class: ClassId) -> Vec<Target> {
        let (file, local) = self.locate_class(class);
        let model = &self.file(file).model;
        let class = model.class(local);
        model
            .list(class.bases)
            .iter()
            .filter_map(|&base| match model.expr(base) {
                Expr::Subscript(generic, _) => self.target(file, class.parent, generic),
                _ => self.target(file, class.parent, base),
            })
            .collect()
    }

    /// The dotted names of the library classes that a class descends from.
    pub fn external_bases(&self, class: ClassId) -> Vec<Symbol> {
        let mut out = Vec::new();
        for &class in self.lineage(class) {
            for base in self.bases(class) {
                if let Target::External(dotted) = base {
                    out.push(dotted);
                }
            }
        }
        out
    }
}
