//! Batches: what a loader hands each rank is that rank's own, though nothing says "rank".
//!
//! Contents differ between the ranks that read different data, along the data-parallel axes. How many batches there
//! are, which fields they have and whether there is one at all is taken to be alike: samplers see to that.

use std::collections::BTreeSet;

use crate::base::{Span, Symbol};
use crate::finding::Confidence;
use crate::flow::{Axes, Node, UPDATE, Value};
use crate::model::{CompareOp, Expr, ExprId};

use super::arguments::Arguments;
use super::{Engine, Frame};

/// The axes along which ranks read different data.
pub(in crate::graph) const AXES: &str = "dp";

/// Labels that a loss passes over, by PyTorch's convention.
const IGNORED: i64 = -100;

/// Changes of a mapping that are looked through for what it was before them.
const MAX_CHANGES: u8 = 16;

/// Arms of a choice that are looked at for what stands in them.
const MAX_ARMS: u8 = 6;

/// What makes a loader.
const LOADER: &str = "torch.utils.data.DataLoader";

/// Options of a `DataLoader` that say how batches are fetched: neither which nor how many.
const FETCHING: [&str; 9] = [
    "num_workers",
    "prefetch_factor",
    "persistent_workers",
    "pin_memory",
    "pin_memory_device",
    "timeout",
    "worker_init_fn",
    "multiprocessing_context",
    "collate_fn",
];

/// Methods of libraries that give back a loader for the one they are given.
const PREPARES: [&str; 3] = ["prepare", "prepare_data_loader", "setup_dataloaders"];

/// Whether the name is that of something that yields batches.
pub(in crate::graph) fn is_loader(name: Symbol) -> bool {
    // Every name of a program is asked about: most are told by their ends.
    let ends = |end: &str| {
        let name = name.as_str().as_bytes();
        name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes())
    };
    if !ends("loader") && !ends("iter") && !ends("iterator") {
        return false;
    }
    let name = name.as_str().trim_start_matches('_').to_ascii_lowercase();
    if matches!(name.as_str(), "loader" | "data_iterator" | "data_iter" | "train_iterator" | "train_iter") {
        return true;
    }
    let Some(stem) = name.strip_suffix("loader") else { return name.ends_with("data_iterator") };
    let stem = stem.trim_end_matches('_');
    stem.ends_with("data") || WHICH.contains(&stem)
}

/// What a loader is for, where the name says no more.
const WHICH: [&str; 12] = [
    "train",
    "training",
    "val",
    "valid",
    "validation",
    "test",
    "testing",
    "eval",
    "evaluation",
    "batch",
    "dev",
    "holdout",
];

/// Whether the name is one that labels have.
pub(in crate::graph) fn is_labels(name: Symbol) -> bool {
    name.as_str().ends_with("labels")
}

/// Whether the parameter of a function of that name is a batch, as the frameworks' steps have it.
pub(in crate::graph) fn is_batch(function: Symbol, parameter: Symbol) -> bool {
    let function = function.as_str();
    match parameter.as_str() {
        "batch" | "mini_batch" | "minibatch" | "micro_batch" => {
            let step = function.ends_with("_step") || function.ends_with("_loss") || function.contains("_loss_");
            step || is_batch_hook(function)
                || matches!(function, "train_batch" | "eval_batch" | "train_minibatch" | "get_batch_metrics")
        }
        "inputs" => {
            let step = matches!(
                function,
                "compute_loss" | "_compute_loss" | "training_step" | "prediction_step" | "_prepare_inputs"
            );
            step || function == PROCESS
        }
        "data_batch" | "data_samples" => function == PROCESS,
        "outputs" => function == PROCESS || is_batch_hook(function),
        "generation_batch" => true,
        // What a detector is to find in the images at hand.
        name if name.starts_with("gt_") || name.ends_with("gt_instances") || GROUND_TRUTH.contains(&name) => {
            is_loss(function) || function == FORWARD
        }
        "target" | "label" => is_loss(function) || function == FORWARD,
        _ => false,
    }
}

/// What evaluators and metrics do with each batch, as detectron2 and MMEngine have it.
const PROCESS: &str = "process";

/// Parameters of a function that works out a loss which hold what is true of the batch.
const GROUND_TRUTH: [&str; 4] = ["targets", "labels", "proposals", "instances"];

/// What whoever goes through a loader calls a batch of it.
const WHOLE: [&str; 8] = ["batch", "data", "sample", "samples", "minibatch", "mini_batch", "data_batch", "batch_data"];

/// What a loss that is a module of its own is called as, and a model that works out its loss itself.
const FORWARD: &str = "forward";

/// How the heads of detectors call what works out their losses.
fn is_loss(function: &str) -> bool {
    const NAMES: [&str; 9] = [
        "loss",
        "losses",
        "loss_by_feat",
        "loss_single",
        "compute_loss",
        "compute_losses",
        "get_losses",
        "get_targets",
        "forward_train",
    ];
    NAMES.contains(&function)
}

/// `on_validation_batch_end`
fn is_batch_hook(function: &str) -> bool {
    function.starts_with("on_") && (function.ends_with("_batch_end") || function.ends_with("_batch_start"))
}

/// Whether a function of which nothing else is known agrees on its result among ranks, by its name.
pub(in crate::graph) fn agrees(name: &str) -> bool {
    const WORDS: [&str; 9] = [
        "all_reduce",
        "allreduce",
        "all_gather",
        "allgather",
        "across",
        "synchroni",
        "broadcast_",
        "global_",
        "consensus",
    ];
    const ENDS: [&str; 4] = ["_reduce", "_gather", "_broadcast", "_sync"];
    const STARTS: [&str; 5] = ["reduce_", "gather_", "sync_", "average_", "avg_"];
    let local = matches!(name, "scatter_reduce" | "index_reduce" | "broadcast_to" | "broadcast_tensors");
    !local
        && (WORDS.iter().any(|word| name.contains(word))
            || ENDS.iter().any(|end| name.ends_with(end))
            || STARTS.iter().any(|start| name.starts_with(start)))
}

/// Whether a part of what a loader yields is a number or a mark of the batch, not its contents.
pub(in crate::graph) fn is_count(name: Symbol) -> bool {
    let name = name.as_str();
    matches!(name, "i" | "it" | "idx" | "index" | "step" | "iteration" | "epoch" | "n")
        || ["_idx", "_index", "_step", "_iter", "_id"].iter().any(|end| name.ends_with(end))
        || ["is_last", "is_first", "has_", "num_"].iter().any(|start| name.starts_with(start))
}

/// What a call is made of as far as its result goes: how a `DataLoader` fetches its batches is its own affair, and may
/// well differ between machines.
pub(super) fn without_fetching(name: &str, mut arguments: Arguments) -> Arguments {
    if name.ends_with("DataLoader") {
        arguments.keywords.retain(|(keyword, ..)| !FETCHING.contains(&keyword.as_str()));
    }
    arguments
}

impl<'p> Engine<'p> {
    /// A batch: its contents are this rank's own.
    pub(super) fn batch(&mut self, frame: &Frame<'p>, span: Span, reason: &str) -> Value {
        let batch = self.values.batch(frame.site(span), Axes::named(AXES));
        self.marks.shares.insert(batch);
        self.born(batch, frame, span, reason, Confidence::Medium);
        batch
    }

    /// How a batch is compared: who asks whether what a loader has handed out is `None` says that it need not be there, and
    /// that is a fact of what was in it.
    pub(super) fn asks_for_batch(
        &self,
        frame: &Frame<'p>,
        asked: ExprId,
        (left, op, right): (Value, CompareOp, Value),
    ) -> CompareOp {
        let is_batch = || {
            let Expr::Name(name) = frame.model.expr(asked) else { return false };
            let definition = frame.model.function(frame.local);
            let is_given = definition.parameters.iter().any(|parameter| parameter.name == name);
            WHOLE.contains(&name.as_str()) && !is_given && self.is_whole_batch(left)
        };
        match op {
            CompareOp::Is if *self.values.node(right) == Node::None && is_batch() => CompareOp::Eq,
            CompareOp::IsNot if *self.values.node(right) == Node::None && is_batch() => CompareOp::NotEq,
            _ => op,
        }
    }

    /// What is compared: labels of a batch where it is asked which of them count. The mark of those that do not is the
    /// `ignore_index` of `torch.nn.CrossEntropyLoss`, which nothing else is compared with.
    pub(super) fn labels_of_a_batch(
        &mut self,
        frame: &Frame<'p>,
        asked: ExprId,
        (left, op, right): (Value, CompareOp, Value),
    ) -> Value {
        let asks = matches!(op, CompareOp::Eq | CompareOp::NotEq) && *self.values.node(right) == Node::Int(IGNORED);
        let says_nothing = self.values.vary(left).is_empty() && !matches!(self.values.node(left), Node::Int(_));
        match asks && says_nothing {
            true => self.batch(frame, frame.model.span(asked), BATCH),
            false => left,
        }
    }

    /// What a parameter is by its name and that of its function: a batch, or a loader; with the reason.
    pub(super) fn data_parameter(
        &mut self,
        frame: &Frame<'p>,
        parameter: Symbol,
        position: u16,
        span: Span,
    ) -> Option<(Value, &'static str)> {
        let function = frame.model.function(frame.local).name;
        let fed = self.taint.fed();
        let is_field = fed.holds_field(frame.function, position);
        if is_batch(function, parameter) || fed.holds(frame.function, position) {
            let batch = self.batch(frame, span, BATCH);
            let held = if is_field { self.values.make(Node::Attribute(batch, parameter)) } else { batch };
            return Some((held, BATCH));
        }
        if is_loader(parameter) {
            let unknown = self.unknown(frame, span);
            return Some((self.loader(frame, unknown, span), BATCHES));
        }
        None
    }

    /// The value as something that yields batches.
    pub(super) fn loader(&mut self, frame: &Frame<'p>, value: Value, span: Span) -> Value {
        let batch = self.batch(frame, span, BATCHES);
        self.values.make(Node::Loader(value, batch))
    }

    /// What is assigned to a name that loaders have, where nothing better is known of it.
    pub(super) fn named_loader(&mut self, frame: &Frame<'p>, name: Symbol, value: Value, span: Span) -> Value {
        if let Node::Item(_, inner) = *self.values.node(value)
            && is_count(name)
            && self.is_yielded(inner)
        {
            // Loaders that number their batches do so alike.
            return self.unknown(frame, span);
        }
        if let Node::Item(_, inner) = *self.values.node(value)
            && matches!(name.as_str(), "k" | "key" | "name" | "field")
            && (self.is_whole_batch(inner) || self.is_share(inner))
        {
            // Its fields are the same everywhere.
            return self.unknown(frame, span);
        }
        let says_nothing = matches!(
            self.values.node(value),
            Node::Unknown(_)
                | Node::Attribute(..)
                | Node::Apply(..)
                | Node::Invoked(..)
                | Node::Item(..)
                | Node::Index(..)
                | Node::Carried(..)
        );
        match says_nothing
            && self.values.yielded(value).is_none()
            && self.values.vary(value).is_empty()
            && is_loader(name)
        {
            true => self.loader(frame, value, span),
            false => value,
        }
    }

    /// What a loop goes through: a loader where the expression is named like one.
    pub(super) fn iterated(&mut self, frame: &mut Frame<'p>, expr: ExprId, value: Value) -> Value {
        if !self.values.vary(value).is_empty() || self.values.yielded(value).is_some() {
            return value;
        }
        let span = frame.model.span(expr);
        match frame.model.expr(expr) {
            Expr::Name(name) | Expr::Attribute { name, .. } if is_loader(name) => self.loader(frame, value, span),
            Expr::Call(call) => {
                let call = frame.model.call(call);
                let args: Vec<ExprId> = frame.model.list(call.args).to_vec();
                if let Node::Mapped(name, parts) = self.values.node(value).clone()
                    && parts.len() <= args.len()
                {
                    let parts: Vec<Value> =
                        parts.iter().zip(args).map(|(&part, arg)| self.iterated(frame, arg, part)).collect();
                    return self.values.make(Node::Mapped(name, parts.into()));
                }
                let is_named_so = |expr: ExprId| frame.model.last_name(expr).is_some_and(is_loader);
                match frame.model.expr(call.callee) {
                    Expr::Name(name) | Expr::Attribute { name, .. } if is_getter(name) => {
                        self.loader(frame, value, span)
                    }
                    // `accelerator.prepare(loader)`
                    Expr::Attribute { name, .. }
                        if PREPARES.contains(&name.as_str()) && matches!(args[..], [only] if is_named_so(only)) =>
                    {
                        self.loader(frame, value, span)
                    }
                    _ => value,
                }
            }
            _ => value,
        }
    }

    /// The result of a call of which nothing is known but its name and arguments.
    pub(super) fn opaque_result(&mut self, frame: &Frame<'p>, name: Symbol, parts: Vec<Value>, span: Span) -> Value {
        let last = name.as_str().rsplit('.').next().unwrap_or_default();
        match agrees(last) && parts.iter().any(|&part| self.is_share(part)) {
            true => self.unknown(frame, span),
            false => self.values.make(Node::Apply(name, parts.into())),
        }
    }

    /// Whether the value is a loader or something in what it yields.
    fn is_yielded(&self, value: Value) -> bool {
        match *self.values.node(value) {
            Node::Item(_, inner) => self.is_yielded(inner),
            _ => self.values.yielded(value).is_some(),
        }
    }

    /// Whether there is something, and all of it yields batches, or is missing.
    pub(super) fn are_loaders(&self, values: &[Value]) -> bool {
        !values.is_empty() && values.iter().all(|&value| self.is_loader_made(value, MAX_ARMS))
    }

    fn is_loader_made(&self, value: Value, fuel: u8) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        match *self.values.node(value) {
            Node::If(_, then, otherwise) => [then, otherwise]
                .iter()
                .all(|&arm| *self.values.node(arm) == Node::None || self.is_loader_made(arm, fuel)),
            Node::Apply(name, _) => name.as_str() == LOADER,
            _ => self.values.yielded(value).is_some(),
        }
    }

    /// Whether the value is a batch, not a part of one.
    pub(in crate::graph) fn is_whole_batch(&self, value: Value) -> bool {
        let is_item = matches!(self.values.node(value), Node::Item(_, inner) if self.values.yielded(*inner).is_some());
        is_item || self.marks.shares.contains(&value)
    }

    /// Whether the value is a mapping as a batch or a model has it, whose fields are the same everywhere, whatever was put
    /// into them under names that stand in the source.
    pub(super) fn has_fields(&self, value: Value) -> bool {
        self.added_fields(value, false, MAX_CHANGES).is_some()
    }

    /// The names under which something was put into a mapping of that kind: everywhere, or, where it does not matter
    /// whether that was everywhere, at all.
    fn added_fields(&self, value: Value, somewhere: bool, fuel: u8) -> Option<BTreeSet<Value>> {
        let fuel = fuel.checked_sub(1)?;
        let plain = |is_it: bool| is_it.then(BTreeSet::new);
        match self.values.node(value) {
            Node::Forward(_) => plain(true),
            Node::Local(..) | Node::Unknown(_) | Node::Apply(..) if self.values.facts(value).wrapped => plain(true),
            Node::Mapped(name, parts) if name.as_str() == UPDATE => self.added_fields(parts[0], somewhere, fuel),
            Node::Changed(_, parts) => {
                let [old, content, guards @ ..] = &parts[..] else { return None };
                let Node::Sequence(entries) = self.values.node(*content) else { return None };
                if !somewhere && guards.iter().any(|&guard| !self.values.vary(guard).is_empty()) {
                    return None;
                }
                let mut names = self.added_fields(*old, somewhere, fuel)?;
                for &entry in entries {
                    let Node::Mapping(pairs) = self.values.node(entry) else { return None };
                    let is_named = |&(name, _): &(Value, Value)| matches!(self.values.node(name), Node::Str(_));
                    if !pairs.iter().all(is_named) {
                        return None;
                    }
                    names.extend(pairs.iter().map(|pair| pair.0));
                }
                Some(names)
            }
            &Node::If(_, then, otherwise) => {
                let both = |somewhere: bool| {
                    Some((self.added_fields(then, somewhere, fuel)?, self.added_fields(otherwise, somewhere, fuel)?))
                };
                let (one, other) = both(true)?;
                match one == other {
                    true => Some(one),
                    false => both(somewhere).map(|(one, other)| one.union(&other).copied().collect()),
                }
            }
            _ => plain(self.is_whole_batch(value)),
        }
    }

    /// Whether the value comes from a batch.
    pub(in crate::graph) fn is_share(&self, value: Value) -> bool {
        let axes = Axes::named(AXES);
        self.values.vary(value).meets(axes)
            && crate::graph::origin::leaf(self, value, axes).is_some_and(|leaf| self.marks.shares.contains(&leaf))
    }
}

const BATCH: &str = "each rank works on a batch of its own";
const BATCHES: &str = "each rank reads batches of its own";

fn is_getter(name: Symbol) -> bool {
    let name = name.as_str();
    let named = ["get_", "build_", "make_", "create_"].iter().find_map(|start| name.strip_prefix(start));
    named.is_some_and(|rest| is_loader(Symbol::new(rest)))
}
