//! Catalogued calls and builtins: operations on groups, values of known variance, containers.

use crate::base::{FileId, Site, Span, Symbol};
use crate::catalog::{self, GroupOf, Operation, OperationKind, Outcome, RankSpace};
use crate::finding::Confidence;
use crate::flow::{Axes, Event, INITIALIZED, Node, Value};
use crate::model::{BinaryOp, Expr, ExprId};

use super::arguments::Arguments;
use super::passed::Passed;
use super::{Engine, Frame};

/// The operation by which a rank joins the job.
const JOIN: &str = "init_process_group";

/// A buffer of a known size and what an operation left in it.
const FILLED: &str = "filled";

/// Parts of a list that are looked at.
const MAX_PARTS: usize = 32;

/// The type of a group of ranks.
pub(super) const GROUP: &str = "torch.distributed.ProcessGroup";
/// The type of an MPI communicator.
pub(super) const COMMUNICATOR: &str = "mpi4py.MPI.Comm";
/// The type of an object that holds a group of ranks and issues on it.
pub(super) const COORDINATOR: &str = "vllm.distributed.parallel_state.GroupCoordinator";

impl<'p> Engine<'p> {
    pub(super) fn operation(
        &mut self,
        frame: &mut Frame<'p>,
        operation: &Operation,
        arguments: &Arguments,
        span: Span,
        confidence: Confidence,
    ) -> Value {
        if let Some(operand) = operation.of_sharded
            && !self.operand(arguments, operand).is_some_and(|(given, _)| self.is_of_sharded(given))
        {
            return self.values.make(Node::Apply(operation.op, arguments.values().into()));
        }
        let world = self.values.make(Node::World);
        let group = match operation.group {
            GroupOf::World => world,
            GroupOf::Axis(axis) => {
                let axes = Axes::named(axis.as_str());
                if axes.is_all() { world } else { self.values.make(Node::AxisGroup(axes)) }
            }
            GroupOf::Operand(operand) => match self.operand(arguments, operand) {
                Some((tensor, _)) if operand.is_receiver() => {
                    let tensor = self.of_any_loop(tensor);
                    self.group_argument(tensor).0
                }
                Some((group, written)) => {
                    let group = self.group_by_its_call(frame, group, written);
                    self.group_argument(group).0
                }
                None => world,
            },
        };
        let site = frame.site(span);
        let mut root = None;
        let mut root_parameter = None;
        let mut from = None;
        for candidate in &operation.roots {
            if let Some((value, _)) = self.operand(arguments, candidate.operand)
                && *self.values.node(value) != Node::None
            {
                root_parameter = Some(candidate.operand.parameter);
                from = Some(value);
                root = Some(match candidate.space {
                    RankSpace::Global => value,
                    RankSpace::Group if group == world => value,
                    RankSpace::Group => self.values.make(Node::Apply(Symbol::new("group_rank"), Box::from([value]))),
                });
                break;
            }
        }
        let operator =
            operation.reduce_operator.and_then(|operand| self.operand(arguments, operand)).map(|found| found.0);
        let members = operation.members.and_then(|operand| self.operand(arguments, operand)).map(|found| found.0);
        let local = operation
            .members_only
            .and_then(|operand| self.operand(arguments, operand))
            // Who works out whether all have to come in knows that they may have to.
            .is_some_and(|(only, _)| match self.values.node(only) {
                Node::Bool(only) => *only,
                node => matches!(node, Node::Compare(..) | Node::Not(_) | Node::And(..) | Node::Or(..)),
            });
        let shaped = operation.shaped.first().and_then(|&operand| self.operand(arguments, operand));
        let shaped = shaped.map(|found| found.0).filter(|_| !self.takes_uneven(operation, arguments));
        let place = operation.places.iter().find_map(|&operand| self.operand(arguments, operand)).map(|found| found.0);
        let creates = operation.kind == OperationKind::GroupCreation;
        if group == world {
            match operation.kind {
                OperationKind::Teardown => frame.parted = true,
                OperationKind::GroupCreation if operation.op.as_str() == JOIN => {
                    frame.parted = false;
                    self.joins(frame, arguments);
                }
                _ => {}
            }
        }
        let communicates = match operation.kind {
            OperationKind::Collective => true,
            // Joining the job is a rendezvous of its own, and lies in singletons that every rank asks at another place:
            // a rank that skips it fails at its first collective, it does not part ways.
            OperationKind::GroupCreation if operation.op.as_str() == JOIN => false,
            OperationKind::GroupCreation => !local,
            OperationKind::PointToPoint | OperationKind::Teardown => false,
        };
        // What is made only where it is not there yet has been made by whoever came first, on every rank.
        let made_once =
            creates && members.is_none() && frame.guards.iter().any(|&guard| self.asks_whether_initialized(guard));
        let silent = operation.silent_for_loaders && self.are_loaders(&arguments.values());
        if communicates && !made_once && !silent {
            let event = Event {
                op: operation.op,
                creates,
                implicit: operation.implicit,
                sharded: operation.sharded
                    && operation.sharded_with.as_deref().is_none_or(|&with| {
                        arguments.starred.or(arguments.mapping).is_some() || self.operand(arguments, with).is_some()
                    }),
                group: if creates { world } else { group },
                root,
                root_parameter,
                operator,
                members: members.filter(|_| creates),
                shaped,
                place,
                site,
                confidence: match self.program.is_before(operation, frame.file) {
                    true => Confidence::Low,
                    false => confidence,
                },
            };
            let effect = self.effects.issue(event, &self.values);
            let when = self.is_issued(arguments, operation);
            match self.values.node(when) {
                Node::Bool(true) => self.emit(frame, effect),
                Node::Bool(false) | Node::None => {}
                _ => {
                    let form = crate::flow::ChoiceForm::Expression;
                    self.choose(frame, when, span, form, effect, crate::flow::Effects::NOTHING);
                }
            }
        }
        let mut everything = arguments.values();
        let first = everything.first().copied().filter(|_| everything.len() == 1);
        // Under which conditions some ranks issue it here: others may issue their part of it elsewhere.
        let guards: Vec<Value> = frame
            .guards
            .iter()
            .copied()
            .filter(|&guard| !self.values.vary(guard).is_empty() || self.values.facts(guard).open)
            .collect();
        if !guards.is_empty() {
            everything.push(self.values.make(Node::Range(guards.into())));
        }
        let whole = match first.filter(|_| everything.len() == 1) {
            Some(first) => first,
            None => self.values.make(Node::Sequence(everything.into())),
        };
        let agreed = self.values.make(Node::Agreed(site, whole, group));
        if ["all_reduce", "all_gather"].iter().any(|vote| operation.op.as_str().starts_with(vote)) {
            self.values.note_vote(site);
        }
        if let Some(root) = from.filter(|_| communicates && !operation.agrees.is_empty()) {
            frame.passed.push(Passed { root, operands: arguments.values(), agreed });
        }
        let spread = self.values.make(Node::Spread(site, whole, group));
        if operation.returns == Outcome::Differs || !operation.differs.is_empty() {
            let reason = format!("`{}` leaves a different value on each member of the group", operation.op);
            self.born(spread, frame, span, &reason, Confidence::High);
            if operation.op.as_str().ends_with("_forward") {
                self.births.note_pass(site);
            }
        }
        for &operand in &operation.agrees {
            self.overwrite_with(frame, arguments, operand, agreed);
        }
        for &operand in &operation.differs {
            let received = self.as_large_as_before(arguments, operand, spread);
            self.overwrite_with(frame, arguments, operand, received);
        }
        if creates {
            return match (members, operation.op.as_str()) {
                (_, "init_device_mesh") => self.mesh(arguments),
                (Some(ranks), _) if *self.values.node(ranks) != Node::None => {
                    self.values.make(Node::MadeGroup(site, ranks))
                }
                (None, _) if matches!(self.values.node(group), Node::AxisGroup(_)) => group,
                (Some(_), _) => world,
                // Nobody is named: all ranks are members.
                (None, _)
                    if operation.members.is_some() && arguments.starred.is_none() && arguments.mapping.is_none() =>
                {
                    world
                }
                _ => self.values.make(Node::Unknown(site)),
            };
        }
        if operation.backward {
            return self.values.make(Node::Forward(spread));
        }
        if let Some(sharded) = self.sharded_on_the_way(frame, operation, arguments, span) {
            return sharded;
        }
        if operation.placed.is_some_and(|operand| self.is_whole_everywhere(frame, arguments, operand)) {
            return agreed;
        }
        match operation.returns {
            Outcome::Agrees => agreed,
            Outcome::Differs => spread,
            Outcome::Nothing => self.values.make(Node::Unknown(site)),
        }
    }

    /// Whether an argument that lists placements says that each member gets the whole: `[Replicate()] * mesh.ndim`.
    fn is_whole_everywhere(&mut self, frame: &Frame<'p>, arguments: &Arguments, operand: catalog::Operand) -> bool {
        let Some((_, Some(mut placements))) = self.operand(arguments, operand) else { return false };
        let model = &self.program.file(frame.file).model;
        if let Expr::Binary(BinaryOp::Mul, listed, _) = model.expr(placements) {
            placements = listed;
        }
        let (Expr::ListDisplay(parts) | Expr::Tuple(parts)) = model.expr(placements) else { return false };
        let parts = model.list(parts);
        let is_whole = |&part: &ExprId| match model.expr(part) {
            Expr::Call(call) => {
                model.last_name(model.call(call).callee).is_some_and(|name| name.as_str() == "Replicate")
            }
            _ => false,
        };
        !parts.is_empty() && parts.iter().all(is_whole)
    }

    /// Whether a value is of a model that was sharded in place, or of what is in one.
    fn is_of_sharded(&self, value: Value) -> bool {
        let is_sharded = |part: Value| self.is_sharded_in_place(part);
        self.values.any_part(value, MAX_PARTS, is_sharded)
    }

    /// Whether a call with these arguments is an operation at all.
    fn is_issued(&mut self, arguments: &Arguments, operation: &Operation) -> Value {
        let always = self.values.make(Node::Bool(operation.when.is_none()));
        let when = operation.when.and_then(|operand| self.operand(arguments, operand)).map_or(always, |given| given.0);
        match operation.unless.and_then(|operand| self.operand(arguments, operand)) {
            Some((unless, _)) => {
                let is_not = self.values.make(Node::Not(unless));
                self.values.make(Node::And(when, is_not))
            }
            None => when,
        }
    }

    fn overwrite_with(
        &mut self,
        frame: &mut Frame<'p>,
        arguments: &Arguments,
        operand: catalog::Operand,
        value: Value,
    ) {
        if let Some((_, Some(expr))) = self.operand(arguments, operand) {
            self.store(frame, expr, value);
        }
    }

    /// What a buffer holds behind an operation that fills it, where the caller has worked out how large it has to be: as many
    /// rows as this rank gets, `torch.empty(sum(splits), width)`.
    fn as_large_as_before(&mut self, arguments: &Arguments, operand: catalog::Operand, filled: Value) -> Value {
        let Some((buffer, _)) = self.operand(arguments, operand) else { return filled };
        if !matches!(self.values.node(buffer), Node::Range(_)) {
            return filled;
        }
        let length = self.values.make(Node::Length(buffer));
        if self.values.vary(length).is_empty() && !self.values.facts(length).open {
            return filled;
        }
        let size = self.values.make(Node::Range(Box::from([length])));
        self.values.make(Node::Mapped(Symbol::new(FILLED), Box::from([size, filled])))
    }

    /// An element as any loop over the same things has it: the tensors of a model lie on the same ranks, wherever they are
    /// gone through.
    fn of_any_loop(&mut self, element: Value) -> Value {
        let node = match self.values.node(element).clone() {
            Node::Item(_, iter) => {
                let nowhere = Site { file: FileId(0), span: Span::default() };
                Node::Item(nowhere, self.of_any_loop(iter))
            }
            Node::Index(whole, key) => Node::Index(self.of_any_loop(whole), key),
            Node::Attribute(whole, name) => Node::Attribute(self.of_any_loop(whole), name),
            _ => return element,
        };
        self.values.make(node)
    }

    /// Whether a condition holds only where the process group is not there yet.
    fn asks_whether_initialized(&self, guard: Value) -> bool {
        match *self.values.node(guard) {
            Node::And(left, right) => self.asks_whether_initialized(left) || self.asks_whether_initialized(right),
            Node::Not(inner) => {
                matches!(self.values.node(inner), Node::Apply(name, _) if name.as_str() == INITIALIZED)
            }
            _ => false,
        }
    }

    /// Writes through a buffer expression: a name, an attribute, or an element of one.
    pub(super) fn store(&mut self, frame: &mut Frame<'p>, expr: ExprId, value: Value) {
        use crate::model::Expr;
        let model = frame.model;
        match model.expr(expr) {
            // The same memory under another name.
            Expr::Attribute { value: tensor, name } if name.as_str() == "data" => self.store(frame, tensor, value),
            Expr::Name(_) | Expr::Attribute { .. } => {
                if let Some(path) = self.path(frame, expr) {
                    self.set_path(frame, path, value);
                }
            }
            Expr::Subscript(container, _) => self.store(frame, container, value),
            Expr::ListDisplay(parts) | Expr::Tuple(parts) => {
                for part in model.list(parts).to_vec() {
                    self.store(frame, part, value);
                }
            }
            _ => {}
        }
    }

    /// Whether what is received goes into parts that were cut by sizes, or made one for each of several sizes: each rank
    /// may send as much as it has.
    fn takes_uneven(&mut self, operation: &Operation, arguments: &Arguments) -> bool {
        let received = operation.agrees.iter().filter(|operand| !operation.shaped.contains(operand));
        let lists: Vec<Value> =
            received.filter_map(|&operand| self.operand(arguments, operand)).map(|found| found.0).collect();
        lists.into_iter().any(|list| {
            let is_cut = |part: Value| match self.values.node(part) {
                Node::Apply(name, _) => matches!(name.last_part().as_str(), "split" | "split_with_sizes"),
                _ => false,
            };
            let is_of_sizes = match self.values.node(list) {
                Node::Mapped(_, parts) => parts.split_first().is_some_and(|(sizes, elements)| {
                    let is_one = |part: Value| matches!(self.values.node(part), Node::Item(_, of) if of == sizes);
                    !matches!(self.values.node(*sizes), Node::Range(_))
                        && elements.iter().any(|&element| self.values.any_part(element, MAX_PARTS, is_one))
                }),
                _ => false,
            };
            is_of_sizes || self.values.any_part(list, MAX_PARTS, is_cut)
        })
    }
}
