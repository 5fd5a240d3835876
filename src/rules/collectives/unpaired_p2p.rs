//! A message that is sent and not received, waited for and not sent, or that two ranks hold each other up over.

use crate::base::FileId;
use crate::finding::{Confidence, Finding, Severity, WitnessEvent, WitnessRank};
use crate::graph::{FaultKind, Program, Sieve, Step, Undelivered, sieves, undelivered};
use crate::rules::{Check, Findings, Group, Probe, Rule};

/// Steps of one rank that are shown.
const MAX_SHOWN: usize = 6;

/// The rule.
pub static RULE: Rule = Rule {
    name: "unpaired-p2p",
    group: Group::Collectives,
    summary: "a send without its receive, or ranks that all send, or all receive, first",
    severity: Severity::Error,
    rows: &["OM-09"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/unpaired-p2p.md"),
    check: Check::File(check),
};

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    for sieve in sieves(program, file) {
        findings.push(left_out(program, file, &sieve));
    }
    for found in undelivered(program, file) {
        let Undelivered { function, size, fault, words } = found;
        let (rank, peer, op) = (fault.rank, fault.peer, fault.operation.name());
        let (message, help) = match fault.kind {
            FaultKind::NeverSent => (
                format!("rank {rank} waits in `{op}` for a message that rank {peer} never sends"),
                "let both ends go by the same count, the same condition and each other's rank",
            ),
            FaultKind::NeverReceived => (
                format!("`{op}` on rank {rank} sends a message that rank {peer} never receives"),
                "let both ends go by the same count, the same condition and each other's rank",
            ),
            FaultKind::BothReceive => (
                format!("ranks {rank} and {peer} both wait in `{op}` before either of them sends"),
                "let one side send first (even ranks send, odd ranks receive), or use batch_isend_irecv",
            ),
            FaultKind::BothSend => (
                format!(
                    "ranks {rank} and {peer} both send before either of them receives: `{op}` may wait for its receiver"
                ),
                "let even ranks send first and odd ranks receive first, or use batch_isend_irecv; NCCL does not buffer",
            ),
        };
        let mut finding =
            Findings::new_finding(&RULE, fault.site, program.symbol_of(file, function), message).help(help);
        finding.confidence = Confidence::Medium;
        if fault.kind == FaultKind::BothSend {
            finding.severity = Severity::Warning;
        }
        let event = |step: &Step| WitnessEvent {
            op: match step.peer {
                Some(peer) => format!("{} {} {peer}", step.kind.name(), if step.kind.sends() { "to" } else { "from" }),
                None => step.kind.name().to_owned(),
            },
            group: String::new(),
            site: step.site,
        };
        finding.witness = words
            .iter()
            .map(|(rank, steps)| WitnessRank {
                rank: format!("{rank} of {size}"),
                trace: steps.iter().take(MAX_SHOWN).map(event).collect(),
            })
            .collect();
        findings.push(finding);
    }
}

/// A test of each element that only one end makes.
fn left_out(program: &Program, file: FileId, sieve: &Sieve) -> Finding {
    let (ends, others) = if sieve.sends { ("sends", "receives") } else { ("receives", "sends") };
    let when = match sieve.switch {
        Some((switch, true)) => format!(" when `{switch}` is set"),
        Some((switch, false)) => format!(" when `{switch}` is not set"),
        None => String::new(),
    };
    let message = format!(
        "this end {ends} only what passes this test, the other {others} without asking{when}: the counts differ"
    );
    let mut finding = Findings::new_finding(&RULE, sieve.test, program.symbol_of(file, sieve.function), message)
        .help("let both ends leave out the same elements, or send the count first")
        .confidence(Confidence::Medium);
    finding = finding.because(sieve.here, format!("this end {ends} here"));
    finding.because(sieve.there, format!("the other end {others} here"))
}
