//! One function's names that may differ between ranks: where they are mentioned, and which variables they reach.
//!
//! Asked of every function of a program, several times: what is looked up is each mention, once; a range of mentions is
//! then a question about a few numbers.

use rustc_hash::FxHashMap;

use crate::base::Symbol;
use crate::model::{Flow, Function, Guard, Sink};

use super::taint::Taint;

/// The mentions of a function that may differ, and its variables that do.
pub(super) struct Suspects<'a> {
    function: &'a Function,
    /// Mentions that may differ, sorted.
    hits: Vec<u32>,
    /// Mentions that may differ because of the name before them, sorted.
    pairs: Vec<u32>,
    /// Variables that may differ.
    pub locals: Vec<Symbol>,
    /// Where each name is mentioned; filled in functions with more than a few variables that may differ.
    places: FxHashMap<Symbol, Vec<u32>>,
}

/// So many variables are looked for by reading all mentions.
const FEW: usize = 16;

impl<'a> Suspects<'a> {
    /// Collects them. `locals` are known already: parameters, and what a nested function sees of its home.
    pub(super) fn of(taint: &Taint, function: &'a Function, locals: Vec<Symbol>) -> Suspects<'a> {
        let mut out = Suspects { function, hits: Vec::new(), pairs: Vec::new(), locals, places: FxHashMap::default() };
        out.locals.extend(
            function.parameters.iter().map(|parameter| parameter.name).filter(|&name| taint.differs(function, name)),
        );
        let mut before = None;
        for (at, &name) in function.mentions.iter().enumerate() {
            if taint.holds(name) || out.locals.contains(&name) {
                out.hits.push(at as u32);
            } else if taint.is_pair(before, name) {
                out.pairs.push(at as u32);
            }
            before = Some(name);
        }
        if !out.is_empty() {
            out.spread();
        }
        out
    }

    /// Whether nothing in the function differs.
    pub(super) fn is_empty(&self) -> bool {
        self.hits.is_empty() && self.pairs.is_empty()
    }

    /// Through the function's own assignments, twice.
    fn spread(&mut self) {
        for _ in 0..2 {
            let before = self.locals.len();
            for flow in &self.function.flows {
                if let Sink::Name(name) = flow.to
                    && !self.locals.contains(&name)
                    && self.flows(flow)
                {
                    self.add(name);
                }
            }
            if self.locals.len() == before {
                break;
            }
        }
    }

    fn add(&mut self, local: Symbol) {
        self.locals.push(local);
        if self.locals.len() > FEW && self.places.is_empty() {
            for (at, name) in self.function.mentions.iter().enumerate() {
                self.places.entry(*name).or_default().push(at as u32);
            }
        }
        let known = self.places.get(&local);
        let mentions = || self.function.mentions.iter().enumerate();
        let places = match known {
            Some(places) => places.clone(),
            None => mentions().filter(|(_, name)| **name == local).map(|(at, _)| at as u32).collect(),
        };
        for place in places {
            let at = self.hits.partition_point(|&hit| hit < place);
            self.hits.insert(at, place);
        }
    }

    /// Whether a mention in the range may differ. What counts only behind another name needs that in the range too.
    pub(super) fn within(&self, start: u32, end: u32) -> bool {
        let any = |hits: &[u32], from: u32| {
            let at = hits.partition_point(|&hit| hit < from);
            hits.get(at).is_some_and(|&hit| hit < end)
        };
        any(&self.hits, start) || any(&self.pairs, start + 1)
    }

    /// Whether a value goes there behind a place where some ranks may have left the function.
    pub(super) fn is_left_before(&self, flow: &Flow) -> bool {
        let leaves = |guard: &&Guard| guard.exits && !guard.raises && !guard.tried && guard.until <= flow.start;
        let mut guards = self.function.guards.iter().filter(leaves);
        guards.any(|guard| self.within(guard.start, guard.end))
    }

    /// What is called under conditions that may differ, by its last name.
    pub(super) fn called_apart(&self) -> impl Iterator<Item = Symbol> + '_ {
        let apart = |guard: &&Guard| !guard.tried && self.within(guard.start, guard.end);
        let guards: Vec<&Guard> = self.function.guards.iter().filter(apart).collect();
        let callees = self.function.callees.iter();
        let called =
            callees.filter(move |callee| guards.iter().any(|guard| (guard.end..guard.until).contains(&callee.at)));
        called.map(|callee| self.function.mentions[callee.at as usize])
    }

    /// Whether what flows there differs, or a condition around it does.
    pub(super) fn flows(&self, flow: &Flow) -> bool {
        if self.within(flow.start, flow.end) {
            return true;
        }
        let mut guard = flow.guard;
        while guard > 0 {
            let around = self.function.guards[guard as usize - 1];
            if self.within(around.start, around.end) {
                return true;
            }
            guard = around.around;
        }
        false
    }
}
