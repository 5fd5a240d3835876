//! Which functions are worth evaluating for themselves: those in which ranks may part on the way to a collective.
//!
//! A condition that may differ between ranks matters when what it decides about may reach a collective, or when it leaves
//! before one. What is handed to a callee matters when the callee lets a parameter decide about one. Everything else is
//! evaluated only when something evaluated asks for it.

use rustc_hash::FxHashSet;

use crate::base::{FunctionId, Symbol};
use crate::catalog::Entry;
use crate::model::{Callee, Expr, Function, FunctionKind, Guard, LocalFunction};

use super::hazard::may_go_otherwise;
use super::program::Program;
use super::reach::{Place, Reaching, SOMEWHERE};
use super::suspects::Suspects;
use super::taint::Taint;

/// The functions worth evaluating, of those that reach a collective.
pub fn of(program: &Program, taint: &Taint, reaching: &Reaching) -> FxHashSet<FunctionId> {
    let sensitive = sensitive(program, reaching);
    let apart = running_apart(program, taint);
    let for_one = program.catalog.decorators_for_one();
    let mut out = FxHashSet::default();
    for file in program.file_ids() {
        let functions = &program.file(file).model.functions;
        let reached: Vec<bool> = (0..functions.len() as u32)
            .map(|index| reaching.functions.contains(&program.function_id(file, LocalFunction(index))))
            .collect();
        if !reached.contains(&true) {
            continue;
        }
        let mut asked = reached.clone();
        for index in (0..functions.len()).rev().filter(|&index| reached[index]) {
            let mut home = functions[index].parent;
            while let Some(at) = home {
                asked[at.0 as usize] = true;
                home = functions[at.0 as usize].parent;
            }
        }
        // Each function's variables that may differ; a nested one sees those of its home, which stands before it.
        let mut known: Vec<Vec<Symbol>> = Vec::with_capacity(functions.len());
        for (index, function) in functions.iter().enumerate() {
            if !asked[index] {
                known.push(Vec::new());
                continue;
            }
            let outer = match function.parent.and_then(|parent| known.get(parent.0 as usize)) {
                Some(outer) if function.kind != FunctionKind::ClassBody => outer.clone(),
                _ => Vec::new(),
            };
            let seen = [&outer[..], taint.imported(file)].concat();
            let suspects = Suspects::of(taint, function, seen);
            let id = program.function_id(file, LocalFunction(index as u32));
            if reached[index] {
                let parts = Parts { function, places: reaching.places(id), suspects: &suspects, taint: Some(taint) };
                // What a decorator lets one rank run may be called by a framework.
                let model = &program.file(file).model;
                let runs_on_one = model.list(function.decorators).iter().any(|&decorator| {
                    matches!(model.expr(decorator), Expr::Name(name) | Expr::Attribute { name, .. } if for_one.contains(&name))
                });
                let runs_apart = || {
                    function
                        .callees
                        .iter()
                        .any(|callee| model.last_name(callee.expr).is_some_and(|name| apart.contains(&name)))
                };
                let differs = || {
                    parts.decides()
                        || runs_apart()
                        || parts.is_called_on_suspect()
                        || parts.hands_on(&sensitive)
                        || reaching.firing.contains(&id)
                };
                if runs_on_one || parts.is_notable(taint) || taint.pooled().holds(id) || differs() {
                    out.insert(id);
                    // What a nested function captures is known where its home runs.
                    let mut home = function.parent;
                    while let Some(at) = home.filter(|at| functions[at.0 as usize].kind == FunctionKind::Def) {
                        out.insert(program.function_id(file, at));
                        home = functions[at.0 as usize].parent;
                    }
                }
            }
            known.push(suspects.locals);
        }
    }
    out
}

/// Names of functions that call what they, or their objects, are handed where ranks may have parted: `on_first(save, model)`.
fn running_apart(program: &Program, taint: &Taint) -> FxHashSet<Symbol> {
    let mut names = FxHashSet::default();
    for file in program.file_ids() {
        let model = &program.file(file).model;
        for (index, function) in model.functions.iter().enumerate() {
            if function.guards.is_empty() || function.parameters.is_empty() {
                continue;
            }
            let given = |name: Symbol| function.parameters.iter().any(|parameter| parameter.name == name);
            let id = program.function_id(file, LocalFunction(index as u32));
            let class = program.class_of(id);
            let own = function.parameters.first().map(|own| Expr::Name(own.name));
            // What its object was handed it keeps in an attribute.
            let is_handed = |callee: &&Callee| match model.expr(callee.expr) {
                Expr::Name(name) => given(name),
                Expr::Attribute { value, name } => {
                    Some(model.expr(value)) == own && class.is_some_and(|class| program.method(class, name).is_none())
                }
                _ => false,
            };
            let called = function.callees.iter().filter(|callee| callee.at != SOMEWHERE).filter(is_handed);
            let places: Vec<Place> = called.map(|callee| (id, callee.at)).collect();
            if places.is_empty() {
                continue;
            }
            let suspects = Suspects::of(taint, function, Vec::new());
            let parts = Parts { function, places: &places, suspects: &suspects, taint: None };
            if parts.decides() {
                names.extend(names_of(program, id));
            }
        }
    }
    names
}

/// Names of functions that let a parameter decide what they issue, or hand it to one that does; of operations too.
fn sensitive(program: &Program, reaching: &Reaching) -> FxHashSet<Symbol> {
    let mut names: FxHashSet<Symbol> = program
        .catalog
        .entries()
        .filter(|(_, entry)| matches!(entry, Entry::Operation(_)))
        .map(|(name, _)| name.last_part())
        .collect();
    let operations = names.clone();
    // Only what each function's own parameters reach: the rest differs for every caller alike.
    let mut waiting: Vec<(FunctionId, Suspects<'_>)> = Vec::new();
    let nothing = Taint::default();
    for &id in reaching.functions.iter() {
        let function = program.function(id);
        let mut locals = own_parameters(function);
        let (file, local) = program.locate(id);
        // What a nested function captures was handed to its home.
        let home = program.file(file).model.function(local).parent;
        let home = home.filter(|&home| program.file(file).model.function(home).kind == FunctionKind::Def);
        if let Some(home) = home {
            locals.extend(own_parameters(program.file(file).model.function(home)));
        }
        // A skeleton shows no conditions and no arguments; a decorator may look at what the function is given.
        if function.skeleton || !program.file(file).model.list(function.decorators).is_empty() {
            names.extend(names_of(program, id));
        }
        if locals.is_empty() || function.skeleton {
            continue;
        }
        let suspects = Suspects::of(&nothing, function, locals);
        if suspects.is_empty() {
            continue;
        }
        let parts = Parts { function, places: reaching.places(id), suspects: &suspects, taint: None };
        if parts.decides() || parts.hands_on(&operations) {
            names.extend(names_of(program, id));
            if let Some(home) = home {
                names.extend(names_of(program, program.function_id(file, home)));
            }
        } else {
            waiting.push((id, suspects));
        }
    }
    // To the end: whoever comes first must not decide who is in.
    loop {
        let before = waiting.len();
        waiting.retain(|(id, suspects)| {
            let function = program.function(*id);
            let parts = Parts { function, places: reaching.places(*id), suspects, taint: None };
            let hands_on = parts.hands_on(&names);
            if hands_on {
                names.extend(names_of(program, *id));
            }
            !hands_on
        });
        if waiting.len() == before {
            break;
        }
    }
    names
}

/// The parameters that a call gives: all but a method's object.
fn own_parameters(function: &Function) -> Vec<Symbol> {
    let bound = usize::from(function.class.is_some() && function.kind == FunctionKind::Def);
    function.parameters.iter().skip(bound).map(|parameter| parameter.name).collect()
}

/// The names under which a function is called.
fn names_of(program: &Program, function: FunctionId) -> impl Iterator<Item = Symbol> {
    let class = program.class_of(function);
    let applied = class.filter(|&class| program.applied(class) == Some(function)).map(|_| Symbol::new("apply"));
    let class = class.map(|class| program.class(class).name);
    std::iter::once(program.function(function).name).chain(class).chain(applied)
}

/// One function, what in it may differ, and where it may reach a collective.
struct Parts<'a> {
    function: &'a Function,
    places: &'a [Place],
    suspects: &'a Suspects<'a>,
    /// Who raises on some ranks; absent where only what the function is handed counts.
    taint: Option<&'a Taint>,
}

impl Parts<'_> {
    /// Whether it names something worth a look wherever it stands.
    fn is_notable(&self, taint: &Taint) -> bool {
        let mut before = None;
        self.function.mentions.iter().any(|&name| taint.is_notable(before.replace(name), name))
    }

    /// Whether a condition that may differ decides about a collective.
    fn decides(&self) -> bool {
        self.function.guards.iter().any(|guard| self.matters(guard) && self.may_differ(guard))
    }

    /// Whether ranks may answer the condition differently, or some fail at what is tried.
    fn may_differ(&self, guard: &Guard) -> bool {
        if !guard.tried {
            return self.suspects.within(guard.start, guard.end);
        }
        let tried = &self.function.mentions[guard.start as usize..guard.end as usize];
        self.taint.is_some_and(|taint| tried.iter().any(|&name| taint.raises(name) || may_go_otherwise(name)))
    }

    fn matters(&self, guard: &Guard) -> bool {
        let inside = |place: &Place| (guard.start..guard.until).contains(&place.1) || place.1 == SOMEWHERE;
        // What stands before the condition comes again when a loop is around it.
        let after = |place: &Place| guard.around > 0 || place.1 >= guard.start;
        self.places.iter().any(inside) || (guard.exits && self.places.iter().any(after))
    }

    /// Whether what reaches a collective is a method of something that may differ, another object or none, or of what is
    /// made with it.
    fn is_called_on_suspect(&self) -> bool {
        self.places.iter().filter(|place| place.1 != SOMEWHERE).any(|&(_, at)| {
            let given =
                self.function.arguments.iter().filter(|arguments| arguments.1 == at).map(|arguments| arguments.0);
            let from = given.min().or(at.checked_sub(1));
            from.is_some_and(|from| self.suspects.within(from, at))
        })
    }

    /// Whether something that may differ is handed to a callee that lets it decide, or that is not known.
    fn hands_on(&self, sensitive: &FxHashSet<Symbol>) -> bool {
        let reaches = |at: u32| self.places.binary_search_by_key(&at, |place| place.1).is_ok();
        self.function.arguments.iter().any(|&(start, end)| {
            let called = start
                .checked_sub(1)
                .is_some_and(|at| reaches(at) && sensitive.contains(&self.function.mentions[at as usize]));
            // A function among the arguments runs with what stands beside it.
            let handed = || (start..end).any(reaches);
            (called || handed()) && self.suspects.within(start, end)
        })
    }
}
