//! Two ends of an exchange that leave out different things: one sends what passes a test of each element, the other
//! receives without that test.
//!
//! The ends are two functions of one class or module whose names differ in `send` and `recv`, or one function that does
//! both. Each is read for every setting of the switches that both may ask for (`self.partitioned`): which tests of an
//! element stand between a sequence and its messages, in the loop itself or where the sequence was built.

mod end;

use rustc_hash::FxHashSet;

use crate::base::{FileId, Site, Symbol};
use crate::model::{Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, UnaryOp, each_statement};

use super::super::program::Program;
use end::{End, Sieved, read};

/// Switches that are tried in all combinations.
const MAX_SWITCHES: usize = 4;

/// A test that one end of an exchange makes for each element and the other does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sieve {
    /// The function in which the test counts.
    pub function: LocalFunction,
    /// The test.
    pub test: Site,
    /// What it asks, with a dot for the element.
    pub asks: String,
    /// Whether the sending end makes it.
    pub sends: bool,
    /// Where the end that makes it sends or receives.
    pub here: Site,
    /// Where the other end does.
    pub there: Site,
    /// The switch under which it is so, where it depends on one.
    pub switch: Option<(Symbol, bool)>,
}

/// The tests of a file that only one end of an exchange makes.
pub fn sieves(program: &Program, file: FileId) -> Vec<Sieve> {
    let model = &program.file(file).model;
    if !model.names().may_hold_any(&*super::NAMES) {
        return Vec::new();
    }
    let mut out: Vec<Sieve> = Vec::new();
    let speaks = |local: LocalFunction| {
        let definition = model.function(local);
        definition.kind == FunctionKind::Def
            && !definition.skeleton
            && definition.mentions.iter().any(|name| super::is_message_name(*name))
    };
    let speaking: Vec<LocalFunction> =
        (0..model.functions.len() as u32).map(LocalFunction).filter(|&local| speaks(local)).collect();
    for &local in &speaking {
        let definition = model.function(local);
        let name = definition.name.as_str();
        let answers = |other: &&LocalFunction| {
            let other = model.function(**other);
            other.class == definition.class
                && other.parent == definition.parent
                && [("send", "recv"), ("send", "receive")]
                    .into_iter()
                    .any(|(from, to)| name.contains(from) && other.name.as_str() == name.replacen(from, to, 1))
        };
        let answer = match name.contains("recv") || name.contains("receive") {
            false => speaking.iter().find(answers).copied(),
            true => None,
        };
        let both = answer.is_none() && does_both(model, local);
        if answer.is_none() && !both {
            continue;
        }
        compare(program, file, local, answer.unwrap_or(local), &mut out);
    }
    out.sort_by_key(|sieve| sieve.test);
    out
}

/// Whether the function mentions operations of both ends.
fn does_both(model: &File, local: LocalFunction) -> bool {
    let mentions = &model.function(local).mentions;
    let any = |names: [&str; 2]| mentions.iter().any(|name| names.contains(&name.as_str()));
    any(["send", "isend"]) && any(["recv", "irecv"])
}

fn compare(program: &Program, file: FileId, sender: LocalFunction, receiver: LocalFunction, out: &mut Vec<Sieve>) {
    let model = &program.file(file).model;
    let mut switches: Vec<Symbol> = Vec::new();
    for local in [sender, receiver] {
        switches_of(model, local, &mut switches);
    }
    switches.truncate(MAX_SWITCHES);
    for bits in 0..1_u32 << switches.len() {
        let set: Vec<(Symbol, bool)> =
            switches.iter().enumerate().map(|(index, &name)| (name, bits >> index & 1 == 1)).collect();
        let (sent, received) = (read(program, file, sender, &set), read(program, file, receiver, &set));
        let ends = [(&sent.sent, &received.received, sender, true), (&received.received, &sent.sent, receiver, false)];
        for (end, other, function, sends) in ends {
            let Some((sieved, here, there)) = only_here(end, other) else { continue };
            if out.iter().any(|known| known.test == sieved.test) {
                continue;
            }
            // The switch whose other setting is in order.
            let switch = set.iter().copied().find(|&(name, on)| {
                let turned: Vec<(Symbol, bool)> =
                    set.iter().map(|&(other, value)| (other, if other == name { !on } else { value })).collect();
                let (sent, received) = (read(program, file, sender, &turned), read(program, file, receiver, &turned));
                let (end, other) =
                    if sends { (&sent.sent, &received.received) } else { (&received.received, &sent.sent) };
                only_here(end, other).is_none()
            });
            out.push(Sieve { function, test: sieved.test, asks: sieved.asks.clone(), sends, here, there, switch });
        }
    }
}

/// A test that this end makes where the other makes none at all.
fn only_here<'a>(end: &'a End, other: &End) -> Option<(&'a Sieved, Site, Site)> {
    let (here, there) = (end.place?, other.place?);
    let known = !end.agreed && !other.agreed;
    let sieved = end.sieved.first()?;
    (known && end.many && other.sieved.is_empty()).then_some((sieved, here, there))
}

/// The settings of the object that the function asks for: `if self.partitioned`.
fn switches_of(model: &File, local: LocalFunction, out: &mut Vec<Symbol>) {
    let mut seen: FxHashSet<Symbol> = out.iter().copied().collect();
    each_statement(model, model.function(local).body, &mut |_, stmt| {
        if let Stmt::If { test, .. } = stmt
            && let Some((name, _)) = switch(model, *test)
            && seen.insert(name)
        {
            out.push(name);
        }
    });
}

/// `self.flag`, `not self.flag`
fn switch(model: &File, test: ExprId) -> Option<(Symbol, bool)> {
    match model.expr(test) {
        Expr::Unary(UnaryOp::Not, inner) => switch(model, inner).map(|(name, on)| (name, !on)),
        Expr::Attribute { value, name } => {
            matches!(model.expr(value), Expr::Name(object) if object.as_str() == "self").then_some((name, true))
        }
        _ => None,
    }
}
