//! `golden-module-table`: a table that maps modules to the goldens of several phases.

use rustc_hash::FxHashMap;

use crate::base::{FileId, Site, Span, Symbol};
use crate::finding::Severity;
use crate::graph::Program;
use crate::model::{Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement, expressions_of};
use crate::rules::calls::{CallSite, bodies, last_name};
use crate::rules::text::text_of;
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::reference::{Phase, dynamic_imports};
use super::{Role, golden_named, role};

/// The rule.
pub static RULE: Rule = Rule {
    name: "golden-module-table",
    group: Group::Golden,
    summary: "a table holds the goldens of several phases",
    severity: Severity::Error,
    rows: &[],
    verify: Some(Probe::Imports),
    page: include_str!("../../../rules/golden/golden-module-table.md"),
    check: Check::File(check),
};

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    if !matches!(role(program, file), Some(Role::Runner | Role::Test(_))) {
        return;
    }
    let model = &program.file(file).model;
    let loaded: Vec<Span> = dynamic_imports(program, file)
        .into_iter()
        .filter(|import| matches!(import.phase, Phase::Loop(_)))
        .map(|import| import.span)
        .collect();
    for function in bodies(model) {
        let mut tables =
            Tables { program, file, model, function, loaded: &loaded, stores: FxHashMap::default(), found: Vec::new() };
        each_statement(model, model.function(function).body, &mut |_, stmt| tables.statement(stmt));
        for (span, phases) in tables.finish() {
            let message = match phases.as_slice() {
                [] => "a table is filled with the goldens of all phases".to_owned(),
                phases => format!("a table holds the goldens of {}", listed(phases)),
            };
            let symbol = program.symbol_of(file, function);
            let finding = Findings::new_finding(&RULE, Site { file, span }, symbol, message);
            findings.push(finding.help(
                "drop the table: one run judges one phase, and imports that phase's cumulative golden by its suffix",
            ));
        }
    }
}

fn listed(phases: &[Symbol]) -> String {
    let phases: Vec<String> = phases.iter().map(|phase| format!("module{phase}")).collect();
    match phases.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => phases.concat(),
    }
}

struct Tables<'a> {
    program: &'a Program,
    file: FileId,
    model: &'a File,
    function: LocalFunction,
    loaded: &'a [Span],
    /// `TABLE[1] = …` by the table's name: the first place and the phases.
    stores: FxHashMap<Symbol, (Span, Vec<Symbol>)>,
    found: Vec<(Span, Vec<Symbol>)>,
}

impl Tables<'_> {
    fn statement(&mut self, stmt: &Stmt) {
        if let Stmt::Assign { targets, value } = stmt {
            for &target in self.model.list(*targets) {
                if let Expr::Subscript(table, key) = self.model.expr(target)
                    && let Some(name) = last_name(self.model, table)
                {
                    self.store(name, target, &[key, *value]);
                }
            }
        }
        if let Stmt::Expr(value) = stmt
            && let Expr::Call(index) = self.model.expr(*value)
            && let Expr::Attribute { value: table, name } = self.model.expr(self.model.call(index).callee)
            && matches!(name.as_str(), "append" | "setdefault" | "__setitem__")
            && let Some(table) = last_name(self.model, table)
        {
            let args = self.model.list(self.model.call(index).args).to_vec();
            self.store(table, *value, &args);
        }
        for root in expressions_of(self.model, stmt) {
            self.displays(root);
        }
    }

    fn store(&mut self, name: Symbol, at: ExprId, parts: &[ExprId]) {
        let phases: Vec<Symbol> = parts.iter().flat_map(|&part| self.phases(part)).collect();
        let span = self.model.span(at);
        if parts.iter().any(|&part| self.loads(part)) {
            self.found.push((span, Vec::new()));
        }
        if !phases.is_empty() {
            self.stores.entry(name).or_insert((span, Vec::new())).1.extend(phases);
        }
    }

    /// Outermost displays and comprehensions that hold more than one phase.
    fn displays(&mut self, root: ExprId) {
        let mut covered: Vec<Span> = Vec::new();
        let mut found = Vec::new();
        each_expression(self.model, root, &mut |id, expr| {
            let span = self.model.span(id);
            if covered.iter().any(|outer| outer.start <= span.start && span.end <= outer.end) {
                return;
            }
            let phases = match expr {
                Expr::Dict(_) | Expr::ListDisplay(_) | Expr::Tuple(_) | Expr::Set(_) => self.phases(id),
                Expr::Call(index) if self.is_dict(index) => self.phases(id),
                Expr::Comprehension(_) if self.loads(id) => {
                    covered.push(span);
                    found.push((span, Vec::new()));
                    return;
                }
                _ => return,
            };
            if phases.len() > 1 {
                covered.push(span);
                found.push((span, phases));
            }
        });
        self.found.extend(found);
    }

    fn is_dict(&self, index: u32) -> bool {
        last_name(self.model, self.model.call(index).callee).is_some_and(|name| name.as_str() == "dict")
    }

    fn loads(&self, part: ExprId) -> bool {
        let span = self.model.span(part);
        self.loaded.iter().any(|load| span.start <= load.start && load.end <= span.end)
    }

    /// The phases whose goldens are named below `root`, each once, shortest first.
    fn phases(&self, root: ExprId) -> Vec<Symbol> {
        let mut phases: Vec<Symbol> = Vec::new();
        let call =
            |index| CallSite { file: self.file, function: self.function, expr: root, call: self.model.call(index) };
        each_expression(self.model, root, &mut |id, expr| {
            let named = match expr {
                Expr::Name(name) => golden_named(name.as_str()).map(Symbol::new).or_else(|| self.imported_as(id)),
                Expr::Attribute { name, .. } => golden_named(name.as_str()).map(Symbol::new),
                Expr::Str(text) => golden_named(text.as_str()).map(Symbol::new),
                Expr::Call(index) => {
                    let call = call(index);
                    let first = self.model.list(call.call.args).first();
                    first.and_then(|&arg| golden_named(&text_of(self.program, call, arg)).map(Symbol::new))
                }
                _ => None,
            };
            phases.extend(named.filter(|named| !phases.contains(named)));
        });
        phases.sort_by_key(|phase| (phase.as_str().len(), phase.as_str()));
        phases
    }

    /// A golden imported under another name.
    fn imported_as(&self, name: ExprId) -> Option<Symbol> {
        let dotted = self.program.resolve(self.file, self.function, name)?;
        golden_named(dotted.as_str()).map(Symbol::new)
    }

    fn finish(self) -> Vec<(Span, Vec<Symbol>)> {
        let mut found = self.found;
        for (span, mut phases) in self.stores.into_values() {
            phases.sort_by_key(|phase| (phase.as_str().len(), phase.as_str()));
            phases.dedup();
            if phases.len() > 1 {
                found.push((span, phases));
            }
        }
        found.sort_by_key(|(span, _)| span.start);
        found.dedup_by_key(|(span, _)| *span);
        found
    }
}
