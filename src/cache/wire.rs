//! The form in which findings are kept.

use serde::{Deserialize, Serialize};

use crate::base::{FileId, Site, Span};
use crate::finding::{
    Confidence, Edit, Evidence, Finding, Fix, Related, Severity, Suppressed, Suppression, WitnessEvent, WitnessRank,
};
use crate::meta;
use crate::triage::Triaged;

#[derive(Serialize, Deserialize)]
struct Kept {
    suppressed: usize,
    hidden: usize,
    findings: Vec<KeptFinding>,
    silenced: Vec<(KeptFinding, KeptSuppression)>,
}

#[derive(Serialize, Deserialize)]
enum KeptSuppression {
    Comment(String),
    Configuration,
    Baseline,
}

#[derive(Serialize, Deserialize)]
struct KeptFinding {
    rule: String,
    severity: Severity,
    confidence: Confidence,
    evidence: Evidence,
    message: String,
    help: String,
    site: KeptSite,
    symbol: String,
    related: Vec<(KeptSite, String)>,
    witness: Vec<KeptRank>,
    fix: Option<KeptFix>,
    cause: Option<KeptSite>,
}

/// A rank and what it issues.
type KeptRank = (String, Vec<(String, String, KeptSite)>);

/// What a change does, whether it is safe, and its edits.
type KeptFix = (String, bool, Vec<(KeptSite, String)>);

#[derive(Clone, Copy, Serialize, Deserialize)]
struct KeptSite(u32, Span);

impl From<Site> for KeptSite {
    fn from(site: Site) -> KeptSite {
        KeptSite(site.file.0, site.span)
    }
}

impl From<KeptSite> for Site {
    fn from(KeptSite(file, span): KeptSite) -> Site {
        Site { file: FileId(file), span }
    }
}

/// The bytes of a result.
pub(super) fn encode(result: &Triaged) -> Option<Vec<u8>> {
    let findings = result.findings.iter().map(keep).collect();
    let silenced = result.silenced.iter().map(|silenced| {
        let by = match &silenced.by {
            Suppression::Comment(reason) => KeptSuppression::Comment(reason.clone()),
            Suppression::Configuration => KeptSuppression::Configuration,
            Suppression::Baseline => KeptSuppression::Baseline,
        };
        (keep(&silenced.finding), by)
    });
    let silenced = silenced.collect();
    let kept = Kept { suppressed: result.suppressed, hidden: result.hidden, findings, silenced };
    postcard::to_stdvec(&kept).ok()
}

/// The result behind bytes; absent where they are not of this build's making.
pub(super) fn decode(bytes: &[u8]) -> Option<Triaged> {
    let kept: Kept = postcard::from_bytes(bytes).ok()?;
    let findings = kept.findings.into_iter().map(restore).collect::<Option<Vec<Finding>>>()?;
    let silenced = kept.silenced.into_iter().map(|(finding, by)| {
        let by = match by {
            KeptSuppression::Comment(reason) => Suppression::Comment(reason),
            KeptSuppression::Configuration => Suppression::Configuration,
            KeptSuppression::Baseline => Suppression::Baseline,
        };
        Some(Suppressed { finding: restore(finding)?, by })
    });
    let silenced = silenced.collect::<Option<Vec<Suppressed>>>()?;
    Some(Triaged { findings, suppressed: kept.suppressed, silenced, hidden: kept.hidden })
}

fn keep(finding: &Finding) -> KeptFinding {
    KeptFinding {
        rule: finding.rule.to_owned(),
        severity: finding.severity,
        confidence: finding.confidence,
        evidence: finding.evidence,
        message: finding.message.clone(),
        help: finding.help.clone(),
        site: finding.site.into(),
        symbol: finding.symbol.clone(),
        related: finding.related.iter().map(|related| (related.site.into(), related.message.clone())).collect(),
        witness: finding
            .witness
            .iter()
            .map(|rank| {
                let trace = rank.trace.iter();
                let trace = trace.map(|event| (event.op.clone(), event.group.clone(), event.site.into()));
                (rank.rank.clone(), trace.collect())
            })
            .collect(),
        fix: finding.fix.as_ref().map(|fix| {
            let edits = fix.edits.iter().map(|edit| (edit.site.into(), edit.content.clone()));
            (fix.message.clone(), fix.safe, edits.collect())
        }),
        cause: finding.cause.map(KeptSite::from),
    }
}

fn restore(kept: KeptFinding) -> Option<Finding> {
    let rule = meta::rule_named(&kept.rule)?;
    Some(Finding {
        rule: rule.name,
        group: rule.group.name(),
        severity: kept.severity,
        confidence: kept.confidence,
        evidence: kept.evidence,
        message: kept.message,
        help: kept.help,
        site: kept.site.into(),
        symbol: kept.symbol,
        related: kept.related.into_iter().map(|(site, message)| Related { site: site.into(), message }).collect(),
        witness: kept
            .witness
            .into_iter()
            .map(|(rank, trace)| {
                let trace = trace.into_iter();
                WitnessRank {
                    rank,
                    trace: trace.map(|(op, group, site)| WitnessEvent { op, group, site: site.into() }).collect(),
                }
            })
            .collect(),
        fix: kept.fix.map(|(message, safe, edits)| {
            let edits = edits.into_iter().map(|(site, content)| Edit { site: site.into(), content });
            Fix { message, safe, edits: edits.collect() }
        }),
        cause: kept.cause.map(Site::from),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Findings;

    #[test]
    fn what_is_kept_comes_back() {
        let site = Site { file: FileId(3), span: Span::new(4, 9) };
        let mut finding = Findings::new_finding(&meta::UNUSED_IGNORE, site, "f.g", "a message")
            .help("do it")
            .because(site, "here")
            .confidence(Confidence::Low);
        finding.cause = Some(site);
        let event = WitnessEvent { op: "all_reduce".to_owned(), group: "tp".to_owned(), site };
        finding.witness = vec![WitnessRank { rank: "0".to_owned(), trace: vec![event] }];
        finding.fix =
            Some(Fix { message: "remove".to_owned(), safe: true, edits: vec![Edit { site, content: "x".to_owned() }] });
        let by = [Suppression::Comment("why".to_owned()), Suppression::Configuration, Suppression::Baseline];
        let silenced: Vec<Suppressed> = by.map(|by| Suppressed { finding: finding.clone(), by }).into();
        let result = Triaged { findings: vec![finding.clone()], suppressed: 2, silenced: silenced.clone(), hidden: 1 };
        let back = encode(&result).and_then(|bytes| decode(&bytes)).expect("it comes back");
        assert_eq!((back.findings, back.suppressed, back.hidden), (vec![finding], 2, 1));
        assert_eq!(back.silenced, silenced);
        assert!(decode(b"\xff\xff\xff").is_none());
    }
}
