//! Laws of the comparison of traces, over random programs built of effects.

use proptest::prelude::*;
use ranklint::base::{FileId, Site, Span, Symbol};
use ranklint::finding::Confidence;
use ranklint::flow::{
    Assignment, Axes, ChoiceForm, Effect, EffectId, Effects, Evaluator, Event, Exit, GroupKey, HandlerEffect, Healed,
    LoopKind, Node, Tracer, Value, Values, World,
};
use ranklint::model::CompareOp;

/// A program without ranks: every rank runs it alike.
#[derive(Clone, Debug)]
enum Tree {
    Event(u8),
    Seq(Vec<Tree>),
    /// A condition that is the same everywhere.
    If(u8, Box<Tree>, Box<Tree>),
    Loop(u8, Box<Tree>),
    /// Leaves the innermost loop under a condition that is the same everywhere.
    Break(u8),
    Return(u8),
    /// Raises under a condition that is the same everywhere.
    Raise(u8),
    /// Catches what its first part raises.
    Try(Box<Tree>, Box<Tree>),
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        4 => (0..3_u8).prop_map(Tree::Event),
        1 => (0..5_u8).prop_map(Tree::Break),
        1 => (0..5_u8).prop_map(Tree::Return),
        1 => (0..5_u8).prop_map(Tree::Raise),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::Seq),
            2 => (0..5_u8, inner.clone(), inner.clone())
                .prop_map(|(test, then, otherwise)| Tree::If(test, Box::new(then), Box::new(otherwise))),
            2 => (0..4_u8, inner.clone()).prop_map(|(iter, body)| Tree::Loop(iter, Box::new(body))),
            1 => (inner.clone(), inner).prop_map(|(body, handler)| Tree::Try(Box::new(body), Box::new(handler))),
        ]
    })
}

struct Program {
    values: Values,
    effects: Effects,
    sites: u32,
    /// Whether tests part ranks.
    parting: bool,
}

impl Program {
    fn new() -> Self {
        Program { values: Values::default(), effects: Effects::default(), sites: 1000, parting: false }
    }

    fn site(&mut self) -> Site {
        self.sites += 1;
        Site { file: FileId(0), span: Span::new(self.sites, self.sites + 1) }
    }

    /// A value of which only the identity is known.
    fn unknown(&mut self, name: u32) -> Value {
        self.values.make(Node::Unknown(Site { file: FileId(0), span: Span::new(name, name + 1) }))
    }

    fn event(&mut self, op: &str) -> EffectId {
        self.event_from(op, None)
    }

    fn event_from(&mut self, op: &str, root: Option<Value>) -> EffectId {
        let group = self.values.make(Node::World);
        let event = Event {
            op: Symbol::new(op),
            creates: false,
            implicit: false,
            sharded: false,
            group,
            root,
            root_parameter: None,
            operator: None,
            members: None,
            shaped: None,
            place: None,
            site: self.site(),
            confidence: Confidence::High,
        };
        self.effects.issue(event, &self.values)
    }

    fn seq(&mut self, parts: &[EffectId]) -> EffectId {
        self.effects.seq(parts, &self.values)
    }

    fn choice(&mut self, test: Value, then: EffectId, otherwise: EffectId) -> EffectId {
        let site = self.site();
        let choice = Effect::Choice { test, site, form: ChoiceForm::Statement, then, otherwise };
        self.effects.make(choice, &self.values)
    }

    fn repeat(&mut self, iter: Value, body: EffectId) -> EffectId {
        let site = self.site();
        let item = self.values.make(Node::Item(site, iter));
        let kind = LoopKind::For { iter, item };
        self.effects.make(Effect::Loop { kind, site, body, orelse: Effects::NOTHING }, &self.values)
    }

    fn exit(&mut self, exit: Exit) -> EffectId {
        let site = self.site();
        self.effects.make(Effect::Exit(exit, site), &self.values)
    }

    /// `rank == 0`
    fn first(&mut self) -> Value {
        let rank = self.values.make(Node::Rank(Axes::ALL));
        let zero = self.values.make(Node::Int(0));
        self.values.make(Node::Compare(CompareOp::Eq, rank, zero))
    }

    /// A fact that each rank answers for itself, whether what each rank knows is one thing or another, whether this is rank 0,
    /// or what is the same everywhere.
    fn asked(&mut self, test: u8) -> Value {
        match test {
            0 => self.fact(),
            1 => self.is_mode("train"),
            2 => self.first(),
            3 => self.is_mode("eval"),
            _ => self.unknown(u32::from(test)),
        }
    }

    fn test(&mut self, test: u8) -> Value {
        if self.parting { self.asked(test) } else { self.unknown(u32::from(test)) }
    }

    fn fact(&mut self) -> Value {
        let site = Site { file: FileId(0), span: Span::new(200, 300) };
        self.values.make(Node::Local(site, Axes::ALL))
    }

    /// What each rank has read.
    fn mode(&mut self) -> Value {
        let site = Site { file: FileId(0), span: Span::new(201, 300) };
        self.values.make(Node::Local(site, Axes::ALL))
    }

    fn is_mode(&mut self, mode: &str) -> Value {
        let read = self.mode();
        let mode = self.values.make(Node::Str(Symbol::new(mode)));
        self.values.make(Node::Compare(CompareOp::Eq, read, mode))
    }

    fn build(&mut self, tree: &Tree, in_loop: bool) -> EffectId {
        match tree {
            Tree::Event(1) if self.parting => {
                let root = self.mode();
                self.event_from("broadcast", Some(root))
            }
            Tree::Event(op) => self.event(["all_reduce", "broadcast", "barrier"][usize::from(*op)]),
            Tree::Seq(parts) => {
                let parts: Vec<EffectId> = parts.iter().map(|part| self.build(part, in_loop)).collect();
                self.seq(&parts)
            }
            Tree::If(test, then, otherwise) => {
                let test = self.test(*test);
                let (then, otherwise) = (self.build(then, in_loop), self.build(otherwise, in_loop));
                self.choice(test, then, otherwise)
            }
            Tree::Loop(iter, body) => {
                let iter = self.unknown(100 + u32::from(*iter));
                let body = self.build(body, true);
                self.repeat(iter, body)
            }
            Tree::Try(body, handler) => {
                let body = self.build(body, in_loop);
                let handler = HandlerEffect { catches: Box::from([]), body: self.build(handler, in_loop) };
                let (orelse, finally) = (Effects::NOTHING, Effects::NOTHING);
                self.effects.make(Effect::Try { body, handlers: Box::from([handler]), orelse, finally }, &self.values)
            }
            Tree::Break(test) | Tree::Return(test) | Tree::Raise(test) => {
                let exit = match tree {
                    Tree::Break(_) if in_loop => Exit::Break,
                    Tree::Raise(_) => Exit::Raise(Box::from([Symbol::new("ValueError")])),
                    _ => Exit::Return,
                };
                let (test, exit) = (self.test(*test), self.exit(exit));
                self.choice(test, exit, Effects::NOTHING)
            }
        }
    }

    /// Whether two ranks part; says the same whichever of them comes first.
    fn parts(&self, root: EffectId) -> bool {
        let healed = Healed::default();
        let compare = |one: i64, other: i64| {
            let world = World::default();
            let mut tracer = Tracer::new(&self.values, &self.effects, world, GroupKey::World, &healed, 1_000_000);
            let class = |rank: i64| Assignment { rank, ..Assignment::default() };
            let found = tracer.compare(root, &class(one), &class(other));
            assert!(!tracer.exhausted(), "small programs are compared to the end");
            assert!(found.iter().all(|found| found.events() != [None; 2]), "a difference has an event");
            found.is_some()
        };
        assert_eq!(compare(0, 1), compare(1, 0), "a comparison has no sides");
        assert!(!compare(0, 0), "a rank is in step with itself");
        compare(0, 1)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn ranks_that_run_the_same_are_in_step(tree in trees()) {
        let mut program = Program::new();
        let root = program.build(&tree, false);
        prop_assert!(!program.parts(root));
    }

    #[test]
    fn arms_that_issue_the_same_are_in_step(tree in trees(), after in trees()) {
        let mut program = Program::new();
        let first = program.first();
        let (then, otherwise) = (program.build(&tree, false), program.build(&tree, false));
        let choice = program.choice(first, then, otherwise);
        let after = program.build(&after, false);
        let root = program.seq(&[choice, after]);
        prop_assert!(!program.parts(root));
    }

    #[test]
    fn complementary_guards_and_sandwiches_are_in_step(before in trees(), between in 0..3_u8, after in trees()) {
        let mut program = Program::new();
        let first = program.first();
        let before = program.build(&before, false);
        let (one, other) = (program.event("barrier"), program.event("barrier"));
        let waits = program.choice(first, Effects::NOTHING, one);
        // Something that is not a collective lies between: a choice that issues nothing at all.
        let silent = program.unknown(u32::from(between));
        let silent = program.choice(silent, Effects::NOTHING, Effects::NOTHING);
        let follows = program.choice(first, other, Effects::NOTHING);
        let after = program.build(&after, false);
        let root = program.seq(&[before, waits, silent, follows, after]);
        prop_assert!(!program.parts(root));
    }

    #[test]
    fn equal_loops_in_arms_are_in_step(body in trees(), iter in 0..4_u8) {
        let mut program = Program::new();
        let first = program.first();
        let tree = Tree::Loop(iter, Box::new(body));
        let (then, otherwise) = (program.build(&tree, false), program.build(&tree, false));
        let root = program.choice(first, then, otherwise);
        prop_assert!(!program.parts(root));
    }

    #[test]
    fn an_event_for_one_rank_is_found(before in trees(), after in trees()) {
        let mut program = Program::new();
        let first = program.first();
        let before = program.build(&without_exits(&before), false);
        let extra = program.event("all_gather");
        let extra = program.choice(first, extra, Effects::NOTHING);
        let after = program.build(&after, false);
        let root = program.seq(&[before, extra, after]);
        prop_assert!(program.parts(root));
    }

    #[test]
    fn an_event_for_one_rank_in_a_loop_is_found(body in trees(), iter in 0..4_u8) {
        let mut program = Program::new();
        let first = program.first();
        let extra = program.event("all_gather");
        let extra = program.choice(first, extra, Effects::NOTHING);
        let body = program.build(&without_exits(&body), true);
        let body = program.seq(&[body, extra]);
        let iter = program.unknown(100 + u32::from(iter));
        let root = program.repeat(iter, body);
        prop_assert!(program.parts(root));
    }

    #[test]
    fn what_classes_take_over_from_each_other_is_what_each_comes_to(trees in prop::collection::vec(trees(), 8..16)) {
        let mut program = Program { parting: true, ..Program::new() };
        let parts: Vec<EffectId> = trees.iter().map(|tree| program.build(tree, false)).collect();
        let root = program.seq(&parts);
        let facts = [program.fact(), program.is_mode("train"), program.is_mode("eval")];
        let classes: Vec<Assignment> = (0..16_i64)
            .map(|at| Assignment {
                rank: at % 2,
                atoms: facts.into_iter().zip([2, 4, 8].map(|bit| at & bit != 0)).collect(),
                ..Assignment::default()
            })
            .collect();
        let (healed, world) = (Healed::default(), World { size: 2, extent: 2, axes: Axes::ALL, single: Axes::NONE });
        let tracer = || Tracer::new(&program.values, &program.effects, world, GroupKey::World, &healed, 1_000_000);
        let mut together = tracer();
        for one in &classes {
            for other in &classes {
                // Who is asked for all choices has each class decide for itself.
                let mut alone = tracer();
                alone.partings(root, one, other);
                let events = |tracer: &mut Tracer<'_>| tracer.compare(root, one, other).map(|found| found.events());
                prop_assert_eq!(events(&mut together), events(&mut alone));
            }
        }
    }

    #[test]
    fn a_fact_that_makes_no_difference_parts_nobody(tree in trees()) {
        let mut program = Program { parting: true, ..Program::new() };
        let root = program.build(&tree, false);
        let (fact, modes) = (program.fact(), [program.is_mode("train"), program.is_mode("eval")]);
        let (healed, world) = (Healed::default(), World::default());
        let tracer = || Tracer::new(&program.values, &program.effects, world, GroupKey::World, &healed, 1_000_000);
        let open = Assignment::default();
        let evaluator = Evaluator::new(&program.values, world, &open);
        for question in tracer().mattering(root, &open).expect("small programs are traced to the end") {
            evaluator.truth(question);
        }
        let matters = evaluator.missing.take().atoms.contains(&fact);
        for answers in (0..4_u8).filter(|_| !matters) {
            let told = modes.into_iter().zip([answers & 1 != 0, answers & 2 != 0]);
            let class = |holds: bool| Assignment { atoms: told.clone().chain([(fact, holds)]).collect(), ..open.clone() };
            prop_assert!(tracer().compare(root, &class(false), &class(true)).is_none());
        }
    }

    #[test]
    fn a_rank_that_leaves_early_is_found(before in trees(), returns in any::<bool>()) {
        let mut program = Program::new();
        let first = program.first();
        let before = program.build(&without_exits(&before), true);
        let exit = program.exit(if returns { Exit::Return } else { Exit::Break });
        let leaves = program.choice(first, exit, Effects::NOTHING);
        let last = program.event("all_gather");
        let body = program.seq(&[before, leaves, last]);
        let iter = program.unknown(100);
        let root = program.repeat(iter, body);
        prop_assert!(program.parts(root));
    }
}

fn without_exits(tree: &Tree) -> Tree {
    match tree {
        Tree::Break(_) | Tree::Return(_) | Tree::Raise(_) => Tree::Event(0),
        Tree::Event(op) => Tree::Event(*op),
        Tree::Seq(parts) => Tree::Seq(parts.iter().map(without_exits).collect()),
        Tree::If(test, then, otherwise) => {
            Tree::If(*test, Box::new(without_exits(then)), Box::new(without_exits(otherwise)))
        }
        Tree::Loop(iter, body) => Tree::Loop(*iter, Box::new(without_exits(body))),
        Tree::Try(body, handler) => Tree::Try(Box::new(without_exits(body)), Box::new(without_exits(handler))),
    }
}
