//! `cross-phase-golden-import`: a judge imports the golden of a phase other than the selected one.

use crate::base::{FileId, Site, Span};
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::model::LocalFunction;
use crate::rules::{Check, Findings, Group, Probe, Rule, site};

use super::reference::{Import, Phase, dynamic_imports, static_imports};
use super::{Role, role};

/// The rule.
pub static RULE: Rule = Rule {
    name: "cross-phase-golden-import",
    group: Group::Golden,
    summary: "a runner, test or golden imports the golden of another phase",
    severity: Severity::Error,
    rows: &[],
    verify: Some(Probe::Imports),
    page: include_str!("../../../rules/golden/cross-phase-golden-import.md"),
    check: Check::File(check),
};

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let Some(role) = role(program, file) else { return };
    let mut judge = Judge { program, file, role, findings };
    for named in static_imports(program, file) {
        judge.known(named.span, named.function, named.suffix.as_str());
    }
    for import in dynamic_imports(program, file) {
        judge.dynamic(&import);
    }
}

struct Judge<'a> {
    program: &'a Program,
    file: FileId,
    role: Role<'a>,
    findings: &'a mut Findings,
}

impl Judge<'_> {
    /// An import that says which phase it means.
    fn known(&mut self, span: Span, function: LocalFunction, suffix: &str) {
        let message = match self.role {
            Role::Runner => {
                format!("the runner imports the golden of module{suffix}, whatever phase `--up-to-module` selects")
            }
            Role::Test(own) if own != suffix => {
                format!("the test of module{own} imports the golden of module{suffix}, another phase")
            }
            Role::Golden(own) if own != suffix => {
                format!("the golden of module{own} imports the golden of module{suffix}, so it is not self-contained")
            }
            Role::Test(_) | Role::Golden(_) => return,
        };
        let finding = self.finding(span, function, message);
        self.findings.push(finding.help(self.help()));
    }

    /// An import whose phase is computed.
    fn dynamic(&mut self, import: &Import) {
        let part = match import.phase {
            Phase::Known(suffix) => return self.known(import.span, import.function, suffix.as_str()),
            Phase::Selected => return,
            Phase::Loop(part) | Phase::Other(part) => part,
        };
        let (message, why) = match import.phase {
            Phase::Loop(_) => ("goldens of several phases are imported in a loop", "this runs over the phases"),
            _ => (
                "the golden of another phase than the selected one is imported",
                "this leads away from the selected phase",
            ),
        };
        let finding = self.finding(import.span, import.function, message.to_owned()).confidence(Confidence::Medium);
        let place = self.program.file(self.file).model.span(part);
        self.findings.push(finding.because(site(self.file, place), why).help(self.help()));
    }

    fn finding(&self, span: Span, function: LocalFunction, message: String) -> crate::finding::Finding {
        let symbol = self.program.symbol_of(self.file, function);
        Findings::new_finding(&RULE, Site { file: self.file, span }, symbol, message)
    }

    fn help(&self) -> &'static str {
        match self.role {
            Role::Runner => {
                "load exactly one golden, the one that `_phase_suffix(up_to_module)` names, through `_load_truth_golden`"
            }
            Role::Test(_) => "import the impl and the golden of the test's own phase only",
            Role::Golden(_) => "write the steps of the earlier modules out in this file",
        }
    }
}
