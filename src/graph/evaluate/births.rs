//! Where values that differ between ranks were born, and who can know of it.
//!
//! Equal values are one value, wherever they come from: `os.path.exists(path)` of two functions that never meet may be
//! one. A birth therefore explains a value to those functions only that were evaluated with what it was born in: their
//! callees, the attributes and module variables that they read, and the functions that they stand in.

use std::cell::RefCell;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Engine, Frame};
use crate::base::{ClassId, FileId, FunctionId, Site, Span, Symbol};
use crate::finding::Confidence;
use crate::flow::Value;

/// Times that variables in a value have been replaced since it was born.
const MAX_TIMES_REMADE: usize = 8;

/// Where a value that differs between ranks was born.
#[derive(Clone, Copy, Debug)]
pub struct Birth {
    /// The function in which it was seen.
    pub function: FunctionId,
    /// Where.
    pub site: Site,
    /// Why it differs, the second half of a sentence.
    pub reason: Symbol,
    /// How sure that is.
    pub confidence: Confidence,
}

/// A condition under which a variable is set, and on which ranks may part.
#[derive(Clone, Copy, Debug)]
pub struct SetApart {
    /// The condition.
    pub site: Site,
    /// The variable; a conditional expression has none.
    pub variable: Option<Symbol>,
}

/// What is evaluated once and asked for by many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Asked {
    Function(FunctionId),
    Attribute(ClassId, Symbol),
    Global(FileId, Symbol),
}

/// Births, and who asked whom.
#[derive(Default)]
pub(super) struct Births {
    of: FxHashMap<Value, FxHashMap<Asked, Birth>>,
    /// Where ranks come to different values of a variable.
    apart: FxHashMap<(Value, Asked), SetApart>,
    /// What a value was before something was put into it.
    before: FxHashMap<Value, Value>,
    /// Passes of models, each with this rank's own batch: what they leave is known by that, whatever is put in for it.
    passes: FxHashSet<Site>,
    /// What is being evaluated, outermost first.
    asking: Vec<Asked>,
    asked: FxHashMap<Asked, Vec<Asked>>,
    edges: FxHashSet<(Asked, Asked)>,
    /// The functions around the last one that was asked for, the nearest first: several births of one are asked in a row.
    around: RefCell<Option<(FunctionId, Vec<Asked>)>>,
}

impl Births {
    /// Notes that what is being evaluated asks for something.
    pub(super) fn asks(&mut self, what: Asked) {
        if let Some(&who) = self.asking.last()
            && who != what
            && self.edges.insert((who, what))
        {
            self.asked.entry(who).or_default().push(what);
            self.around.take();
        }
    }

    /// Notes that a value is another one in which variables have been replaced.
    pub(super) fn remade(&mut self, value: Value, before: Value) {
        if value != before {
            self.before.entry(value).or_insert(before);
        }
    }

    /// Notes where a model is run on what each rank has.
    pub(super) fn note_pass(&mut self, site: Site) {
        self.passes.insert(site);
    }

    pub(super) fn is_pass(&self, site: Site) -> bool {
        self.passes.contains(&site)
    }

    pub(super) fn begin(&mut self, what: Asked) {
        self.asking.push(what);
    }

    pub(super) fn end(&mut self) {
        self.asking.pop();
    }
}

impl<'p> Engine<'p> {
    /// Evaluates on behalf of a function.
    pub(in crate::graph) fn on_behalf_of<R>(&mut self, function: FunctionId, work: impl FnOnce(&mut Self) -> R) -> R {
        self.births.begin(Asked::Function(function));
        let result = work(self);
        self.births.end();
        result
    }

    /// Notes where a value that differs comes from; the first place in a function counts, and in what is assigned to each
    /// variable of a module.
    pub(super) fn born(&mut self, value: Value, frame: &Frame<'p>, span: Span, reason: &str, confidence: Confidence) {
        let within = self.within(frame);
        if let Entry::Vacant(place) = self.births.of.entry(value).or_default().entry(within) {
            let (function, site) = (frame.function, frame.site(span));
            place.insert(Birth { function, site, reason: Symbol::new(reason), confidence });
        }
    }

    /// Notes where a value that differs comes from that is found out for whoever is being evaluated, though it stands in
    /// another function.
    pub(super) fn born_for_caller(&mut self, value: Value, birth: Birth) {
        let within = self.births.asking.last().copied().unwrap_or(Asked::Function(birth.function));
        self.births.of.entry(value).or_default().entry(within).or_insert(birth);
    }

    /// Notes a condition by which ranks come to a value of a variable; the first place in a function counts.
    pub(super) fn set_apart(&mut self, value: Value, frame: &Frame<'p>, span: Span, variable: Option<Symbol>) {
        let within = self.within(frame);
        self.births.apart.entry((value, within)).or_insert(SetApart { site: frame.site(span), variable });
    }

    fn within(&self, frame: &Frame<'p>) -> Asked {
        match self.births.asking.last() {
            Some(&variable @ Asked::Global(..)) => variable,
            _ => Asked::Function(frame.function),
        }
    }

    /// Where the value was born, or what it was before variables in it were replaced, as far as `function` can know: in
    /// itself, else where ranks part, else in what it was evaluated with, the nearest first.
    pub fn birth(&self, value: Value, function: FunctionId, parting: Option<Site>) -> Option<Birth> {
        let before = |value: &Value| self.births.before.get(value).copied();
        let mut forms = std::iter::successors(Some(value), before).take(MAX_TIMES_REMADE);
        forms.find_map(|value| self.born_as(value, function, parting))
    }

    fn born_as(&self, value: Value, function: FunctionId, parting: Option<Site>) -> Option<Birth> {
        let births = self.births.of.get(&value)?;
        if let Some(birth) = births.get(&Asked::Function(function)) {
            return Some(*birth);
        }
        let mut kept = self.births.around.borrow_mut();
        if kept.as_ref().is_none_or(|(of, _)| *of != function) {
            *kept = Some((function, self.around(function)));
        }
        let (_, around) = kept.as_ref()?;
        let known = || around.iter().filter_map(|near| births.get(near));
        let near = |birth: &&Birth| parting.is_some_and(|parting| parting.file == birth.site.file);
        known().find(near).or_else(|| known().next()).copied()
    }

    /// The condition by which ranks come to a value, or to what it was before variables in it were replaced, as far as
    /// `function` can know of it.
    pub fn where_set_apart(&self, mut value: Value, function: FunctionId) -> Option<SetApart> {
        let mut around = self.around(function);
        around.insert(0, Asked::Function(function));
        for _ in 0..MAX_TIMES_REMADE {
            if let Some(found) = around.iter().find_map(|&within| self.births.apart.get(&(value, within))) {
                return Some(*found);
            }
            value = *self.births.before.get(&value)?;
        }
        None
    }

    /// The functions and variables that one was evaluated with, those asked first by way of the fewest others first.
    fn around(&self, function: FunctionId) -> Vec<Asked> {
        let (program, births) = (self.program, &self.births);
        let mut out = Vec::new();
        let mut ring = vec![Asked::Function(function)];
        // What is assigned to the variables that it asks for says more than the module that they are in.
        let mut last = None;
        let (file, local) = program.locate(function);
        let mut outer = program.file(file).model.function(local).parent;
        while let Some(around) = outer {
            let asked = Asked::Function(program.function_id(file, around));
            outer = program.file(file).model.function(around).parent;
            match outer {
                Some(_) => ring.push(asked),
                None => last = Some(asked),
            }
        }
        let mut seen: FxHashSet<Asked> = ring.iter().copied().chain(last).collect();
        while !ring.is_empty() {
            let mut next = Vec::new();
            for asked in ring {
                match asked {
                    Asked::Function(_) => out.push(asked),
                    Asked::Global(file, _) => {
                        let module = program.function_id(file, program.file(file).model.module());
                        out.extend([asked, Asked::Function(module)]);
                    }
                    Asked::Attribute(class, _) => out.extend(program.lineage(class).iter().map(|&owner| {
                        let (file, local) = program.locate_class(owner);
                        Asked::Function(program.function_id(file, program.file(file).model.class(local).body))
                    })),
                }
                let further = births.asked.get(&asked).into_iter().flatten();
                next.extend(further.copied().filter(|further| seen.insert(*further)));
            }
            next.extend(last.take());
            ring = next;
        }
        out
    }
}
