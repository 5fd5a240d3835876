//! One end of an exchange under one setting: what it sends or receives, and by which tests of an element.

use std::collections::BTreeMap;

use crate::base::{FileId, Site, Symbol};
use crate::model::{Block, Call, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement, names_in};

use super::super::super::program::Program;
use super::super::step::StepKind;
use super::switch;

/// A test of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sieved {
    /// What it asks, with a dot for the element.
    pub asks: String,
    /// Where.
    pub test: Site,
}

/// What one end does.
#[derive(Clone, Debug, Default)]
pub(super) struct End {
    /// Where it first sends or receives.
    pub place: Option<Site>,
    /// Whether it does so for each element of a sequence.
    pub many: bool,
    /// Whether the peer has told how many there are.
    pub agreed: bool,
    /// The tests of elements in between.
    pub sieved: Vec<Sieved>,
}

/// What a function does at both ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    pub sent: End,
    pub received: End,
}

/// A sequence, by the tests that its elements have passed.
#[derive(Clone, Debug, Default)]
struct Sequence {
    sieved: Vec<Sieved>,
    agreed: bool,
}

impl Sequence {
    fn join(&mut self, other: &Sequence) {
        self.agreed |= other.agreed;
        for one in &other.sieved {
            if !self.sieved.iter().any(|known| known.asks == one.asks) {
                self.sieved.push(one.clone());
            }
        }
    }
}

/// Reads a function under a setting of its switches.
pub(super) fn read(program: &Program, file: FileId, local: LocalFunction, set: &[(Symbol, bool)]) -> Ends {
    let mut reader = Reader::new(program, file, local, set, 1);
    reader.block(reader.model.function(local).body);
    reader.ends
}

/// A loop around a statement.
struct Turn {
    /// Names of the element and of what is made of it.
    names: Vec<Symbol>,
    /// Whether it counts instead of going through elements.
    counts: bool,
    sequence: Sequence,
}

/// Something put out: a message, or an element of a sequence that is built.
#[derive(Clone, PartialEq, Eq)]
enum Put {
    Sent,
    Received,
    Into(String),
}

struct Reader<'p> {
    program: &'p Program,
    model: &'p File,
    file: FileId,
    local: LocalFunction,
    set: &'p [(Symbol, bool)],
    fuel: u32,
    known: BTreeMap<String, Sequence>,
    turns: Vec<Turn>,
    tests: Vec<Sieved>,
    /// What the block at hand has put out, for arms that put out the same.
    puts: Vec<(Put, Site, Sequence, bool)>,
    returned: Option<Sequence>,
    ends: Ends,
}

impl<'p> Reader<'p> {
    fn new(program: &'p Program, file: FileId, local: LocalFunction, set: &'p [(Symbol, bool)], fuel: u32) -> Self {
        let model = &program.file(file).model;
        Reader {
            program,
            model,
            file,
            local,
            set,
            fuel,
            known: BTreeMap::new(),
            turns: Vec::new(),
            tests: Vec::new(),
            puts: Vec::new(),
            returned: None,
            ends: Ends::default(),
        }
    }

    fn block(&mut self, block: Block) {
        let before = self.tests.len();
        for &id in self.model.block(block) {
            self.statement(id);
        }
        self.tests.truncate(before);
        if self.turns.is_empty() {
            self.settle();
        }
    }

    fn statement(&mut self, id: crate::model::StmtId) {
        let model = self.model;
        match model.stmt(id) {
            Stmt::Assign { targets, value } => {
                self.speak(*value);
                let made = self.sequence(*value);
                for &target in model.list(*targets) {
                    self.bind(target, made.as_ref());
                }
            }
            Stmt::Annotated { target, value: Some(value), .. } => {
                self.speak(*value);
                let made = self.sequence(*value);
                self.bind(*target, made.as_ref());
            }
            Stmt::AugAssign { value, .. } | Stmt::Expr(value) => self.speak(*value),
            Stmt::Return(Some(value)) => {
                self.speak(*value);
                if self.turns.is_empty()
                    && let Some(made) = self.sequence(*value)
                {
                    self.returned.get_or_insert_default().join(&made);
                }
            }
            Stmt::If { test, body, orelse } => self.choice(*test, *body, *orelse),
            Stmt::For { target, iter, body, orelse } => {
                let sequence = self.sequence(*iter).unwrap_or_default();
                let (mut names, counts) = self.elements(*target, *iter);
                // What is made of the element speaks of it as well.
                each_statement(model, *body, &mut |_, stmt| {
                    if let Stmt::Assign { targets, value } = stmt
                        && mentions(model, *value, &names)
                    {
                        names.extend(model.list(*targets).iter().flat_map(|&target| names_in(model, target)));
                    }
                });
                self.turns.push(Turn { names, counts, sequence });
                self.block(*body);
                self.turns.pop();
                if self.turns.is_empty() {
                    self.settle();
                }
                self.block(*orelse);
            }
            Stmt::While { body, orelse, .. } => {
                self.block(*body);
                self.block(*orelse);
            }
            Stmt::With { body, .. } => self.block(*body),
            Stmt::Try(parts) => {
                self.block(parts.body);
                self.block(parts.orelse);
                self.block(parts.finally);
            }
            _ => {}
        }
    }

    fn choice(&mut self, test: ExprId, body: Block, orelse: Block) {
        let model = self.model;
        if let Some((name, on)) = switch(model, test)
            && let Some(&(_, value)) = self.set.iter().find(|(known, _)| *known == name)
        {
            return self.block(if value == on { body } else { orelse });
        }
        let Some(asks) = self.asks(test) else {
            self.block(body);
            return self.block(orelse);
        };
        let ends = |block: Block| match model.block(block).last().map(|&last| model.stmt(last)) {
            Some(Stmt::Continue) => Some(true),
            Some(Stmt::Raise(_) | Stmt::Return(_)) => Some(false),
            _ => None,
        };
        let site = Site { file: self.file, span: model.span(test) };
        let under = |holds: bool| Sieved { asks: polar(&asks, holds), test: site };
        let outer = std::mem::take(&mut self.puts);
        self.tests.push(under(true));
        self.block(body);
        self.tests.pop();
        let mut then = std::mem::take(&mut self.puts);
        self.tests.push(under(false));
        self.block(orelse);
        self.tests.pop();
        let mut otherwise = std::mem::replace(&mut self.puts, outer);
        // An element that is put out either way has passed no test.
        for (put, _, sequence, _) in &mut then {
            if let Some(same) = otherwise.iter_mut().find(|(other, ..)| other == put) {
                sequence.sieved.retain(|one| one.test != site);
                same.2.sieved.retain(|one| one.test != site);
            }
        }
        self.puts.extend(then);
        self.puts.extend(otherwise);
        // The rest of the turn is for the others.
        if ends(body) == Some(true) && orelse.is_empty() {
            self.tests.push(under(false));
        }
    }

    /// What a test asks of an element; nothing when it asks nothing of one.
    fn asks(&self, test: ExprId) -> Option<String> {
        let turn = self.turns.iter().rev().find(|turn| !turn.counts && mentions(self.model, test, &turn.names))?;
        Some(without(self.program.text(self.file, self.model.span(test)), &turn.names))
    }

    /// The elements that a loop binds, and whether it counts.
    fn elements(&self, target: ExprId, iter: ExprId) -> (Vec<Symbol>, bool) {
        let model = self.model;
        let mut names = names_in(model, target);
        let Expr::Call(call) = model.expr(iter) else { return (names, false) };
        match model.expr(model.call(call).callee) {
            Expr::Name(name) if name.as_str() == "range" => return (names, true),
            Expr::Name(name) if name.as_str() == "enumerate" && names.len() > 1 => {
                names.remove(0);
            }
            _ => {}
        }
        (names, false)
    }

    fn bind(&mut self, target: ExprId, made: Option<&Sequence>) {
        let model = self.model;
        if let Expr::Tuple(parts) = model.expr(target) {
            // `buffers, split = make()`: the first that is returned.
            if let (Some(&first), Some(made)) = (model.list(parts).first(), made) {
                self.bind(first, Some(made));
            }
            return;
        }
        let Some(key) = model.dotted(target) else { return };
        match made {
            Some(made) => _ = self.known.insert(key, made.clone()),
            None => _ = self.known.remove(&key),
        }
    }

    /// The sequence that an expression is, as far as it is known to be one.
    fn sequence(&mut self, id: ExprId) -> Option<Sequence> {
        let model = self.model;
        match model.expr(id) {
            Expr::Name(_) | Expr::Attribute { .. } => self.known.get(&model.dotted(id)?).cloned(),
            Expr::ListDisplay(parts) | Expr::Tuple(parts) => {
                let mut out = Sequence::default();
                for &part in model.list(parts) {
                    let inner = match model.expr(part) {
                        Expr::Starred(inner) => self.sequence(inner),
                        Expr::Name(_) => self.sequence(part),
                        _ => None,
                    };
                    inner.iter().for_each(|inner| out.join(inner));
                }
                Some(out)
            }
            Expr::Binary(_, left, right) => {
                let (left, right) = (self.sequence(left), self.sequence(right));
                left.or(right.clone()).map(|mut out| {
                    right.iter().for_each(|right| out.join(right));
                    out
                })
            }
            Expr::Subscript(value, index) => match (model.expr(value), model.expr(index)) {
                (_, Expr::Slice(_)) => self.sequence(value),
                // `allocate(shapes)[0]`
                (Expr::Call(_), _) => self.sequence(value),
                _ => None,
            },
            Expr::Comprehension(index) => {
                let comprehension = model.comprehension(index);
                let mut out = Sequence::default();
                for clause in &comprehension.clauses {
                    let inner = self.sequence(clause.iter);
                    inner.iter().for_each(|inner| out.join(inner));
                    out.agreed |= self.is_told(clause.iter);
                    let (names, counts) = self.elements(clause.target, clause.iter);
                    for &condition in model.list(clause.conditions) {
                        if !counts && mentions(model, condition, &names) {
                            let asks = without(self.program.text(self.file, model.span(condition)), &names);
                            let test = Site { file: self.file, span: model.span(condition) };
                            out.join(&Sequence {
                                sieved: vec![Sieved { asks: polar(&asks, true), test }],
                                agreed: false,
                            });
                        }
                    }
                }
                Some(out)
            }
            Expr::IfElse(at) => {
                let [_, then, otherwise] = model.if_else(at);
                let (then, otherwise) = (self.sequence(then), self.sequence(otherwise));
                then.or(otherwise.clone()).map(|mut out| {
                    otherwise.iter().for_each(|otherwise| out.join(otherwise));
                    out
                })
            }
            Expr::Call(index) => self.made_by(id, model.call(index)),
            _ => None,
        }
    }

    /// What a call makes of the sequences it is given.
    fn made_by(&mut self, id: ExprId, call: Call) -> Option<Sequence> {
        let model = self.model;
        let mut out: Option<Sequence> = None;
        for &given in model.list(call.args) {
            if let Some(given) = self.sequence(given) {
                out.get_or_insert_default().join(&given);
            }
        }
        if let Some(fuel) = self.fuel.checked_sub(1)
            && let Some(called) = super::super::called(self.program, self.file, self.local, call.callee)
        {
            let (file, local) = self.program.locate(called);
            let definition = self.program.file(file).model.function(local);
            if !definition.skeleton {
                let mut inner = Reader::new(self.program, file, local, &[], fuel);
                inner.block(definition.body);
                if let Some(returned) = inner.returned {
                    out.get_or_insert_default().join(&returned);
                }
            }
        }
        if self.is_told(id) {
            out.get_or_insert_default().agreed = true;
        }
        out
    }

    /// Whether the value came from the peer: a count, a list of shapes.
    fn is_told(&self, value: ExprId) -> bool {
        let mut found = false;
        each_expression(self.model, value, &mut |_, expr| {
            if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
                let name = name.as_str();
                found |= ["item", "tolist", "loads"].contains(&name)
                    || name.contains("recv_object")
                    || name.contains("meta");
            }
        });
        found
    }

    /// Notes the messages and elements that an expression puts out.
    fn speak(&mut self, root: ExprId) {
        let model = self.model;
        let mut calls: Vec<(ExprId, Call)> = Vec::new();
        each_expression(model, root, &mut |id, expr| {
            if let Expr::Call(call) = expr {
                calls.push((id, model.call(call)));
            }
        });
        for (id, call) in calls {
            let site = Site { file: self.file, span: model.span(id) };
            let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(call.callee) else { continue };
            let args = model.list(call.args).to_vec();
            if let Expr::Attribute { value, .. } = model.expr(call.callee)
                && matches!(name.as_str(), "append" | "extend")
                && let (Some(key), Some(&given)) = (model.dotted(value), args.first())
            {
                // A queue of operations is told by what is put in.
                let more = if name.as_str() == "extend" { self.sequence(given) } else { None };
                self.put(Put::Into(key), site, more, false);
                continue;
            }
            let kind = |name: Symbol| match StepKind::named(name.as_str()) {
                Some(kind) if kind.sends() => Some(Put::Sent),
                Some(kind) if kind.receives() => Some(Put::Received),
                _ => None,
            };
            let handed = args.iter().find_map(|&arg| match model.expr(arg) {
                Expr::Name(name) | Expr::Attribute { name, .. } => kind(name),
                _ => None,
            });
            if let Some(put) = handed {
                // `queue(tensors, dist.isend, …)`
                let whole = args.iter().find_map(|&arg| self.sequence(arg));
                self.put(put, site, whole, true);
            } else if let Some(put) = kind(name)
                && !args.is_empty()
            {
                // A loop over ranks says to whom, not what.
                let to_each =
                    args.iter().skip(1).any(|&arg| self.turns.iter().any(|turn| mentions(model, arg, &turn.names)));
                if !to_each {
                    self.put(put, site, None, false);
                }
            }
        }
    }

    fn put(&mut self, put: Put, site: Site, whole: Option<Sequence>, many: bool) {
        let mut sequence = whole.unwrap_or_default();
        let within = self.turns.iter().any(|turn| !turn.counts);
        for turn in &self.turns {
            sequence.join(&turn.sequence);
            // Who counts has a reason for the number; what is built of it need not.
            sequence.agreed |= turn.counts && !matches!(put, Put::Into(_));
        }
        sequence.join(&Sequence { sieved: self.tests.clone(), agreed: false });
        self.puts.push((put, site, sequence, many || within));
        if self.turns.is_empty() {
            self.settle();
        }
    }

    /// What was put out counts from here on.
    fn settle(&mut self) {
        for (put, site, sequence, many) in std::mem::take(&mut self.puts) {
            let end = match put {
                Put::Sent => &mut self.ends.sent,
                Put::Received => &mut self.ends.received,
                Put::Into(key) => {
                    self.known.entry(key).or_default().join(&sequence);
                    continue;
                }
            };
            end.place = end.place.or(Some(site));
            end.many |= many;
            end.agreed |= sequence.agreed;
            let mut all = Sequence { sieved: std::mem::take(&mut end.sieved), agreed: false };
            all.join(&sequence);
            end.sieved = all.sieved;
        }
    }
}

fn mentions(model: &File, root: ExprId, names: &[Symbol]) -> bool {
    let mut found = false;
    each_expression(model, root, &mut |_, expr| {
        if let Expr::Name(name) = expr {
            found |= names.contains(&name);
        }
    });
    found
}

/// The text with a dot for the element, so that both ends may call it as they like.
fn without(text: &str, names: &[Symbol]) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for letter in text.chars().chain([' ']) {
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
            continue;
        }
        let element = names.iter().any(|name| name.as_str() == word);
        out.push_str(if element { "·" } else { &word });
        word.clear();
        out.push(letter);
    }
    out.trim().to_owned()
}

/// `not x` is the other side of `x`.
fn polar(asks: &str, holds: bool) -> String {
    match (asks.strip_prefix("not "), holds) {
        (Some(inner), true) => format!("not {inner}"),
        (Some(inner), false) => inner.to_owned(),
        (None, true) => asks.to_owned(),
        (None, false) => format!("not {asks}"),
    }
}
