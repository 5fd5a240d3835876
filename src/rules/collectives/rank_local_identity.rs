//! The rank within the node used as the rank of the job, and the other way round.

mod devices;
mod one_node;
mod ranks;
mod shares;

use std::cell::OnceCell;

use super::and_so_here;
use crate::base::{FileId, Site, Symbol};
use crate::catalog::{Entry, OperationKind, RankSpace};
use crate::finding::{Confidence, Severity};
use crate::graph::{Program, Target, each_in_context, is_left_over, is_tool};
use crate::model::{BinaryOp, Call, CompareOp, Expr, ExprId, File, LocalFunction, each_expression, expressions_of};
use crate::rules::calls::{argument, bodies, keyword};
use crate::rules::{Check, Findings, Group, Probe, Rule};
use devices::asks_for_local;
use one_node::{is_designed_for_one_node, is_job_of_one_node, on_one_node};
use ranks::is_local_name;
use shares::may_take_a_share;

/// Definitions that are followed to see what a name holds.
const FUEL: u32 = 4;

/// The rule.
pub static RULE: Rule = Rule {
    name: "rank-local-identity",
    group: Group::Collectives,
    summary: "LOCAL_RANK or a device index used as the rank of the job, or that as a device index: right on one node only",
    severity: Severity::Warning,
    rows: &["OM-08"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/rank-local-identity.md"),
    check: Check::File(check),
};

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let model = &program.file(file).model;
    // Every key of the kind has it in its name.
    let keys = memchr::memmem::find(program.file(file).text.as_bytes(), b"LOCAL").is_some();
    let speaks = |name: &Symbol| match name.as_str() {
        "environ" | "getenv" => keys,
        "current_device" => true,
        _ => is_local_name(program, *name),
    };
    let speaking: Vec<bool> = model.functions.iter().map(|function| function.mentions.iter().any(speaks)).collect();
    if !speaking.contains(&true) || on_one_node(&program.file(file).text, model) {
        return;
    }
    // Asked once something has been found: all files are looked at.
    let elsewhere = OnceCell::new();
    let designed = OnceCell::new();
    let asks_for_local = asks_for_local(program, model);
    for function in bodies(model) {
        let place = Place { program, file, model, function };
        let heard = speaking[0] || speaking[function.0 as usize];
        let mut devices: Vec<(ExprId, Use)> = Vec::new();
        each_in_context(model, function, &mut |_, stmt, context| {
            for root in expressions_of(model, stmt) {
                each_expression(model, root, &mut |id, expr| {
                    let used = match expr {
                        _ if !heard => None,
                        Expr::Call(index) => place.call(model.call(index)),
                        Expr::Subscript(_, index) => place.stride(index),
                        Expr::Compare(CompareOp::Eq | CompareOp::NotEq, left, right) => place.turn(left, right),
                        _ => None,
                    };
                    let used = used.or_else(|| match expr {
                        Expr::Call(index) if heard => place.guarded(model.call(index), context.conditions),
                        _ => None,
                    });
                    if asks_for_local
                        && let Expr::Call(index) = expr
                        && let Some(used) = place.device(model.call(index))
                    {
                        devices.push((id, used));
                    }
                    if let Some(mut used) = used.filter(|_| !elsewhere.get_or_init(|| is_job_of_one_node(program))) {
                        if used.is_share && *designed.get_or_init(|| is_designed_for_one_node(program, file)) {
                            used.confidence = Confidence::Low;
                        }
                        findings.push(place.finding(id, used));
                    }
                });
            }
        });
        let mut devices = devices.into_iter().filter(|_| !elsewhere.get_or_init(|| is_job_of_one_node(program)));
        if let Some((first, used)) = devices.next() {
            let mut finding = place.finding(first, used);
            and_so_here(&mut finding, &devices.map(|(at, _)| place.site(at)).collect::<Vec<_>>());
            findings.push(finding);
        }
    }
}

/// A use of one rank for the other.
struct Use {
    /// The one that is used.
    rank: ExprId,
    /// What it is.
    is: &'static str,
    /// Whether it chooses a share of the data.
    is_share: bool,
    message: String,
    help: &'static str,
    confidence: Confidence,
}

impl Use {
    /// A use of the rank within the node where that of the job is meant.
    fn of_local(rank: ExprId, message: String, confidence: Confidence) -> Use {
        Use { rank, is: "it is the rank within the node", is_share: false, message, help: USE_GLOBAL, confidence }
    }
}

#[derive(Clone, Copy)]
struct Place<'a> {
    program: &'a Program,
    file: FileId,
    model: &'a File,
    function: LocalFunction,
}

/// The backend that issues nothing.
const FAKE_BACKEND: &str = "fake";

const USE_GLOBAL: &str = "use the rank of the job (dist.get_rank(), RANK): with two nodes each local rank exists twice";

impl Place<'_> {
    fn finding(&self, at: ExprId, used: Use) -> crate::finding::Finding {
        let mut finding =
            Findings::new_finding(&RULE, self.site(at), self.program.symbol_of(self.file, self.function), used.message)
                .help(used.help)
                .confidence(used.confidence);
        // A test is run on the nodes it was written for, a tool on one of them, and what nobody calls on none.
        let function = self.program.function_id(self.file, self.function);
        let entry = self.program.file(self.file);
        let name = entry.path.rsplit('/').next().unwrap_or_default();
        let is_run = || memchr::memmem::find(entry.text.as_bytes(), b"__main__").is_some();
        if entry.is_test() || is_tool(name) && is_run() || is_left_over(self.program, function) {
            finding.confidence = Confidence::Low;
        }
        if let Some(definition) = crate::rules::calls::definition(self.program, self.file, self.function, used.rank)
            && definition != self.site(used.rank)
        {
            finding = finding.because(definition, used.is);
        }
        finding
    }

    fn site(&self, expr: ExprId) -> Site {
        Site { file: self.file, span: self.model.span(expr) }
    }

    /// `rank=`, `dst=`, `is_master=`, `index=` of a call.
    fn call(&self, call: Call) -> Option<Use> {
        let dotted = self.program.resolve(self.file, self.function, call.callee);
        let name = dotted.map_or("", |dotted| dotted.as_str());
        let last = match self.model.expr(call.callee) {
            Expr::Name(last) | Expr::Attribute { name: last, .. } => last.as_str(),
            _ => return None,
        };
        if let Some(dotted) = dotted
            && let Some(Entry::Operation(operation)) = self.program.catalog.entry(dotted)
            && operation.kind == OperationKind::PointToPoint
        {
            let root = operation.roots.iter().find(|root| root.space == RankSpace::Global)?;
            let parameter = root.operand.parameter.as_str();
            let peer = argument(self.model, call, root.operand.position.map(usize::from), parameter)?;
            let local = self.local_part(peer)?;
            if argument(self.model, call, Some(2), "group").is_some() {
                return None;
            }
            let message = format!(
                "`{parameter}` of `{}` counts ranks of the job, and is made from the rank within the node",
                operation.op
            );
            return Some(Use::of_local(local, message, Confidence::Medium));
        }
        if last == "init_process_group" {
            let local = keyword(self.model, call, "rank").filter(|&rank| self.is_local(rank, FUEL))?;
            let size = keyword(self.model, call, "world_size");
            // A job that is only made believe has one process.
            let backend = argument(self.model, call, Some(0), "backend");
            let is_fake = backend.is_some_and(
                |backend| matches!(self.model.expr(backend), Expr::Str(name) if name.as_str() == FAKE_BACKEND),
            );
            let by_devices = size.is_some_and(|size| self.counts_devices(size));
            // Where the launcher has told the rank within the node, it has told the number of ranks as well.
            let is_known =
                size.is_none_or(|size| self.is_world_size(size, FUEL)) || by_devices && self.is_told_local(local, FUEL);
            if is_fake || !is_known {
                return None;
            }
            let message = match by_devices {
                true => {
                    "`init_process_group` is given the rank within the node, and the number of its devices as that of the ranks: two nodes, or fewer ranks than devices, never meet"
                }
                false => "`rank` of `init_process_group` is the rank within the node: two nodes join as the same ranks",
            };
            let message = message.to_owned();
            // Where one process starts the others itself, the two may be one.
            let confidence = if self.is_parameter(local) { Confidence::Low } else { Confidence::Medium };
            return Some(Use::of_local(local, message, confidence));
        }
        if matches!(last, "TCPStore") || name.ends_with(".TCPStore") {
            let master = argument(self.model, call, Some(3), "is_master")?;
            let local = self.local_part(master)?;
            let message =
                "every node has a master of the store: `is_master` is decided by the rank within the node".to_owned();
            return Some(Use::of_local(local, message, Confidence::Medium));
        }
        if matches!(last, "range" | "islice") {
            let args = self.model.list(call.args);
            let [.., from, _, step] = *args else { return None };
            return self.share(from, step);
        }
        let (called, index) = ["rank", "index", "shard_index", "shard_id", "cur_shard"]
            .iter()
            .find_map(|&name| Some((name, keyword(self.model, call, name)?)))?;
        if let Some(Target::Class(class)) = self.program.target(self.file, self.function, call.callee)
            && !may_take_a_share(self.program, class, Symbol::new(called))
        {
            return None;
        }
        let size = ["num_replicas", "world_size", "num_shards", "shard_count"]
            .iter()
            .find_map(|name| keyword(self.model, call, name));
        match size {
            Some(size) => self.share(index, size),
            // Without a number the sampler takes that of the whole job.
            None if last == "DistributedSampler" && self.is_local(index, FUEL) => Some(self.shared(index)),
            None => None,
        }
    }

    /// `[local_rank::world_size]`
    fn stride(&self, index: ExprId) -> Option<Use> {
        let Expr::Slice(parts) = self.model.expr(index) else { return None };
        let [from, _, step] = *self.model.list(parts) else { return None };
        self.share(from, step)
    }

    /// `index % world_size == local_rank`
    fn turn(&self, left: ExprId, right: ExprId) -> Option<Use> {
        let (modulo, other) = match (self.model.expr(left), self.model.expr(right)) {
            (Expr::Binary(BinaryOp::Mod, _, size), _) => (size, right),
            (_, Expr::Binary(BinaryOp::Mod, _, size)) => (size, left),
            _ => return None,
        };
        self.share(other, modulo)
    }

    fn share(&self, index: ExprId, size: ExprId) -> Option<Use> {
        let is_one = self.is_local(index, FUEL) && self.is_world_size(size, FUEL) && !self.is_held_to_the_rank(index);
        is_one.then(|| self.shared(index))
    }

    fn shared(&self, local: ExprId) -> Use {
        let message = "a share of the whole job is chosen by the rank within the node: nodes take the same shares, and some are never taken";
        let confidence = if self.is_of_a_job() { Confidence::Medium } else { Confidence::Low };
        Use { is_share: true, ..Use::of_local(local, message.to_owned(), confidence) }
    }

    /// A checkpoint that one rank of each node writes.
    fn guarded(&self, call: Call, conditions: &[ExprId]) -> Option<Use> {
        let dotted = self.program.resolve(self.file, self.function, call.callee);
        let saves = match self.model.expr(call.callee) {
            Expr::Attribute { name, .. } if name.as_str() == "save_pretrained" => true,
            _ => dotted.is_some_and(|dotted| dotted.as_str() == "torch.save"),
        };
        if !saves {
            return None;
        }
        let local = conditions.iter().find_map(|&test| match self.model.expr(test) {
            Expr::Compare(CompareOp::Eq, left, right) => match self.model.expr(right) {
                Expr::Int(0) if self.is_local(left, FUEL) => Some(left),
                _ => None,
            },
            _ => None,
        })?;
        let message =
            "one rank of every node writes this: with a shared file system they write the same file".to_owned();
        Some(Use::of_local(local, message, Confidence::Low))
    }

    /// The part of a number that is the rank within the node, when nothing in it speaks of the node.
    fn local_part(&self, expr: ExprId) -> Option<ExprId> {
        let mut local = None;
        let mut translated = false;
        each_expression(self.model, expr, &mut |id, part| {
            match part {
                Expr::Name(name) | Expr::Attribute { name, .. } => {
                    let lower = name.as_str().to_ascii_lowercase();
                    translated |= ["node", "local_world", "local_size", "per_", "global", "ranks", "device_count"]
                        .iter()
                        .any(|word| lower.contains(word));
                }
                Expr::Subscript(..) => translated = true,
                _ => {}
            }
            if local.is_none() && self.is_local(id, FUEL) {
                local = Some(id);
            }
        });
        local.filter(|_| !translated)
    }

    fn is_parameter(&self, expr: ExprId) -> bool {
        let Expr::Name(name) = self.model.expr(expr) else { return false };
        self.model.function(self.function).parameters.iter().any(|parameter| parameter.name == name)
    }
}
