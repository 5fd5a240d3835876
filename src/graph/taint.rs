//! Which names may stand for values that differ between ranks: a cheap over-approximation, by name alone.
//!
//! It decides what is worth evaluating. A function that mentions none of these names cannot part ranks by itself;
//! it is evaluated only when a caller hands it something that differs.

mod dealers;
mod functions;
mod imports;
mod seeds;
mod written;

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, Symbol};
use crate::model::{Function, FunctionKind, Sink};

use super::evaluate::data::is_batch;
use super::fed::Fed;
use super::pooled::Pooled;
use super::program::Program;
use super::resolve::is_builtin;
use super::started::Started;
use super::suspects::Suspects;
use written::Writes;

/// Rounds in which names spread through returns and attributes.
const ROUNDS: usize = 3;

/// A name that more functions than this define or write means too many things to follow.
const MAX_NAMESAKES: usize = 10;

/// A name that is mentioned more often than this for each of its definitions is mostly somebody else's.
const MAX_MENTIONS: usize = 60;

/// Names that may differ between ranks. By default none: then only what it is given spreads within a function.
#[derive(Default)]
pub struct Taint {
    names: FxHashSet<Symbol>,
    /// Names that count only behind another: `exists` behind `path`, `time` behind `time`.
    pairs: FxHashSet<(Symbol, Symbol)>,
    /// Functions of those pairs that a file has imported by themselves: `time` of `from time import time`.
    imported: FxHashMap<FileId, Vec<Symbol>>,
    /// The second names of those pairs.
    second: FxHashSet<Symbol>,
    /// Functions that raise under a condition that may differ, or call one that does.
    raising: FxHashSet<Symbol>,
    /// Attributes that functions have some ranks alone write, by calling a method that does, by the names of the functions.
    apart: FxHashMap<Symbol, Vec<Symbol>>,
    /// Parameters that hold a batch, though they are not called so.
    fed: Fed,
    /// Parameters that are the rank, whatever they are called.
    started: Arc<Started>,
    /// Questions about data that is pooled over ranks further on.
    pooled: Pooled,
    /// What the program makes of names.
    made: Arc<Made>,
    /// The names that stand for ranks alone, once somebody has asked for them.
    ranks: OnceLock<Box<Taint>>,
    /// The names of classes that deal their items out to ranks, once somebody has asked for them.
    dealers: OnceLock<FxHashSet<Symbol>>,
    /// Functions that shard a model in place, by their names.
    sharding: FxHashSet<Symbol>,
}

/// What a program makes of names, whichever differ.
#[derive(Default)]
struct Made {
    frequency: Frequency,
    writes: Writes,
}

impl Made {
    fn of(program: &Program) -> Made {
        let frequency = Frequency::of(program);
        let writes = Writes::of(program, &frequency);
        Made { frequency, writes }
    }
}

/// How common names are in a program.
#[derive(Default)]
struct Frequency {
    /// How many functions bear or write a name.
    namesakes: FxHashMap<Symbol, usize>,
    /// How often each symbol is mentioned, by [`Symbol::index`].
    mentions: Vec<u32>,
}

impl Frequency {
    fn of(program: &Program) -> Frequency {
        Frequency { namesakes: namesakes(program), mentions: mention_counts(program) }
    }

    /// Whether a name means too much to be followed: a builtin, one of many, or one that is mentioned far more often than
    /// it is defined. A tensor's `zeros` does not differ because one class has a method of that name that does.
    fn is_generic(&self, name: Symbol) -> bool {
        let namesakes = self.namesakes.get(&name).copied().unwrap_or(1);
        let mentions = self.mentions.get(name.index()).copied().unwrap_or(0) as usize;
        namesakes > MAX_NAMESAKES || mentions > MAX_MENTIONS * namesakes || is_builtin(name.as_str())
    }
}

impl Taint {
    /// Collects the names of the catalogue and spreads them through the program.
    pub fn of(program: &Program) -> Taint {
        let mut taint = Taint::default();
        taint.add_catalogued(program);
        taint.add_imported(program);
        taint.fed = Fed::of(program);
        taint.started = Arc::new(Started::of(program));
        taint.pooled = Pooled::of(program);
        taint.names.extend(taint.fed.attributes());
        let made = Arc::new(Made::of(program));
        taint.add_answers_of_requests(program, &made.frequency);
        taint.add_passes(program, &made.frequency);
        taint.second = taint.pairs.iter().map(|pair| pair.1).collect();
        taint.add_made(program, &made);
        taint.raising = taint.raising(program, &made.frequency);
        taint.sharding = functions::sharding(program, &made.frequency);
        taint.made = made;
        taint
    }

    /// The same of the rank alone, and of what is made of it: not of data, clocks and files, that may be others on each.
    pub(super) fn of_ranks(&self, program: &Program) -> &Taint {
        self.ranks.get_or_init(|| {
            let mut taint = Taint::default();
            taint.add_ranks(program);
            taint.started = self.started.clone();
            taint.add_made(program, &self.made);
            Box::new(taint)
        })
    }

    /// The names of classes whose objects deal their items out to ranks.
    pub(super) fn dealers(&self, program: &Program) -> &FxHashSet<Symbol> {
        self.dealers.get_or_init(|| dealers::dealers(program, self.of_ranks(program)))
    }

    /// What functions make of the names.
    fn add_made(&mut self, program: &Program, made: &Made) {
        let let_in = self.written_where_let_in(program, &made.writes);
        self.names.extend(let_in);
        let mut fresh = None;
        for _ in 0..ROUNDS {
            let found = self.spread(program, made, fresh.as_ref());
            if found.is_empty() {
                break;
            }
            fresh = Some(found);
        }
    }

    /// Whether a function of this name may raise on some ranks only.
    pub(super) fn raises(&self, name: Symbol) -> bool {
        self.raising.contains(&name)
    }

    /// Whether a function of this name shards a model in place.
    pub(super) fn shards(&self, name: Symbol) -> bool {
        self.sharding.contains(&name)
    }

    /// Attributes that a function of this name has some ranks alone write.
    pub(super) fn writes_apart(&self, name: Symbol) -> &[Symbol] {
        self.apart.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Whether the name may stand for something that differs.
    pub fn holds(&self, name: Symbol) -> bool {
        self.names.contains(&name)
    }

    /// Whether the parameter may differ, by its name.
    pub(super) fn differs(&self, function: &Function, parameter: Symbol) -> bool {
        self.names.contains(&parameter)
            || is_batch(function.name, parameter)
            || self.fed.names(function.name, parameter)
            || self.started.names(function.name, parameter)
    }

    /// Parameters that hold a batch, though they are not called so.
    pub(super) fn fed(&self) -> &Fed {
        &self.fed
    }

    /// Parameters that are the rank, whatever they are called.
    pub(super) fn started(&self) -> &Started {
        &self.started
    }

    /// Questions about data that is pooled over ranks further on.
    pub(super) fn pooled(&self) -> &Pooled {
        &self.pooled
    }

    /// Whether the name may stand for something that differs behind the name `before` it.
    pub(super) fn is_pair(&self, before: Option<Symbol>, name: Symbol) -> bool {
        self.second.contains(&name) && before.is_some_and(|before| self.pairs.contains(&(before, name)))
    }

    /// Spreads to names that functions make differ; `fresh` are those found in the last round, absent in the first.
    /// A function that mentions none of them has nothing new to say.
    fn spread(
        &mut self,
        program: &Program,
        Made { frequency, writes }: &Made,
        fresh: Option<&FxHashSet<Symbol>>,
    ) -> FxHashSet<Symbol> {
        let mut found: FxHashSet<Symbol> = FxHashSet::default();
        let mut apart = std::mem::take(&mut self.apart);
        let says_something = |function: &&Function| !function.flows.is_empty() || !function.guards.is_empty();
        for file in program.file_ids() {
            for function in program.file(file).model.functions.iter().filter(says_something) {
                let parameters = || function.parameters.iter().map(|parameter| parameter.name);
                let concerns = |fresh: &FxHashSet<Symbol>| {
                    function.mentions.iter().any(|name| fresh.contains(name))
                        || parameters().any(|name| fresh.contains(&name))
                };
                if fresh.is_none_or(concerns) {
                    let suspects = Suspects::of(self, function, self.imported(file).to_vec());
                    if !suspects.is_empty() {
                        self.through(function, &suspects, &mut found);
                        writes.beside(function, &suspects, &mut apart, &mut found);
                    }
                }
            }
        }
        self.apart = apart;
        found.retain(|&name| !self.names.contains(&name) && !frequency.is_generic(name));
        self.names.extend(&found);
        found
    }

    /// Names that a function makes differ: attributes it writes, itself if it returns such a value.
    fn through(&self, function: &Function, suspects: &Suspects<'_>, fresh: &mut FxHashSet<Symbol>) {
        for flow in &function.flows {
            let name = match flow.to {
                Sink::Return => (function.kind == FunctionKind::Def).then_some(function.name),
                Sink::Attribute(name) => Some(name),
                // Variables of modules and classes are seen from elsewhere.
                Sink::Name(name) => {
                    let outer = matches!(function.kind, FunctionKind::Module | FunctionKind::ClassBody);
                    (outer || !function.binds(name)).then_some(name)
                }
            };
            // Who has left before has neither written it nor returned it.
            if let Some(name) = name
                && !self.names.contains(&name)
                && (suspects.flows(flow) || suspects.is_left_before(flow))
            {
                fresh.insert(name);
            }
        }
    }
}

/// How often each symbol is mentioned.
fn mention_counts(program: &Program) -> Vec<u32> {
    let mut out = vec![0; Symbol::count()];
    for file in program.file_ids() {
        for function in &program.file(file).model.functions {
            function.mentions.iter().for_each(|name| out[name.index()] += 1);
        }
    }
    out
}

/// How many functions bear each name, or write an attribute or a module variable of it.
fn namesakes(program: &Program) -> FxHashMap<Symbol, usize> {
    let mut out: FxHashMap<Symbol, usize> = FxHashMap::default();
    for file in program.file_ids() {
        for function in &program.file(file).model.functions {
            if function.kind == FunctionKind::Def {
                *out.entry(function.name).or_default() += 1;
            }
            let outer = matches!(function.kind, FunctionKind::Module | FunctionKind::ClassBody);
            for flow in function.flows.iter().filter(|flow| !flow.is_constant()) {
                match flow.to {
                    Sink::Attribute(name) => *out.entry(name).or_default() += 1,
                    Sink::Name(name) if outer || !function.binds(name) => *out.entry(name).or_default() += 1,
                    _ => {}
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Catalog, ProjectFacts};
    use crate::graph::FileEntry;
    use crate::model::{Detail, lower};

    /// What a program of one file differs in, by name.
    pub(super) fn taint_of(text: &str) -> (Taint, Program) {
        let model = lower(&crate::syntax::parse(text), text, Detail::Full);
        let entry = FileEntry { path: "job.py".to_owned(), text: text.into(), model: std::sync::Arc::new(model) };
        let program = Program::link(vec![entry], ProjectFacts::default(), Catalog::builtin().clone().into());
        (Taint::of(&program), program)
    }

    #[test]
    fn an_attribute_that_is_given_what_differs_differs() {
        let (taint, _) = taint_of(
            "import torch.distributed as dist\n\n\nclass Job:\n    def start(self):\n        \
             self.leads = dist.get_rank() == 0\n\n    def save(self):\n        if self.leads:\n            \
             dist.barrier()\n",
        );
        assert!(taint.holds(Symbol::new("leads")));
    }
}
