//! Findings that are told together. For people, what has one cause is one thing to mend, and of many of a kind in one
//! function a few say as much as all; tools are given every one of them.

use std::borrow::Cow;
use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::finding::{Evidence, Finding, Related};

/// Findings of one rule in one function that are told one by one.
const MAX_ALIKE: usize = 6;

/// Places of others that a finding names.
const MAX_NAMED: usize = 6;

/// The findings to tell, in the same order, each with what is told by it.
pub(super) fn told(findings: &[Finding]) -> Vec<Cow<'_, Finding>> {
    let mut leaders: Vec<usize> = (0..findings.len()).collect();
    let by_cause = |at: usize| findings[at].cause.map(|cause| (findings[at].rule, findings[at].site.file, cause));
    follow(findings, &mut leaders, 1, by_cause);
    let by_function = |at: usize| {
        let Finding { rule, site, symbol, .. } = &findings[at];
        Some((*rule, site.file, symbol.as_str()))
    };
    follow(findings, &mut leaders, MAX_ALIKE, by_function);
    let mut followers: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (at, &leader) in leaders.iter().enumerate().filter(|(at, leader)| at != *leader) {
        followers.entry(leader).or_default().push(at);
    }
    let leading = (0..findings.len()).filter(|&at| leaders[at] == at);
    leading
        .map(|at| match followers.get(&at) {
            Some(others) => Cow::Owned(with(&findings[at], others.iter().map(|&other| &findings[other]))),
            None => Cow::Borrowed(&findings[at]),
        })
        .collect()
}

/// Of the leaders that agree in `key` leaves the surest `most`; what the others lead, and they themselves, follow the last
/// of these.
fn follow<K: Eq + std::hash::Hash>(
    findings: &[Finding],
    leaders: &mut [usize],
    most: usize,
    key: impl Fn(usize) -> Option<K>,
) {
    let mut groups: FxHashMap<K, Vec<usize>> = FxHashMap::default();
    for at in (0..findings.len()).filter(|&at| leaders[at] == at) {
        if let Some(key) = key(at) {
            groups.entry(key).or_default().push(at);
        }
    }
    let mut moved: FxHashMap<usize, usize> = FxHashMap::default();
    for mut group in groups.into_values().filter(|group| group.len() > most) {
        group.sort_by_key(|&at| {
            let Finding { evidence, severity, confidence, .. } = findings[at];
            let seen = (evidence == Evidence::Confirmed, evidence != Evidence::Refuted);
            (Reverse((seen, severity, confidence)), at)
        });
        let rest = group.split_off(most);
        let last = group.into_iter().max();
        moved.extend(rest.into_iter().zip(last.into_iter().cycle()));
    }
    for leader in leaders {
        *leader = moved.get(leader).copied().unwrap_or(*leader);
    }
}

/// The finding, with what it tells of the others.
fn with<'f>(finding: &Finding, others: impl ExactSizeIterator<Item = &'f Finding>) -> Finding {
    let mut told = finding.clone();
    told.message = format!("{} (and {} more like it)", finding.message, others.len());
    let named = others.filter(|other| told.related.iter().all(|known| known.site != other.site)).take(MAX_NAMED);
    let named: Vec<Related> =
        named.map(|other| Related { site: other.site, message: "the same here".into() }).collect();
    told.related.extend(named);
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{FileId, Site, Span};
    use crate::finding::Confidence;
    use crate::rules::{Findings, rule_named};

    fn site(start: u32) -> Site {
        Site { file: FileId(0), span: Span::new(start, start + 1) }
    }

    fn findings(count: u32) -> Vec<Finding> {
        let rule = rule_named("write-outside-workdir").expect("it is a rule");
        (0..count).map(|at| Findings::new_finding(rule, site(at), "main", format!("finding {at}"))).collect()
    }

    fn messages(findings: &[Finding]) -> Vec<String> {
        told(findings).iter().map(|finding| finding.message.clone()).collect()
    }

    #[test]
    fn what_has_one_cause_is_told_by_the_surest() {
        let mut all = findings(5);
        for at in [0, 2, 3] {
            all[at].cause = Some(site(90));
        }
        all[0].confidence = Confidence::Medium;
        assert_eq!(messages(&all), ["finding 1", "finding 2 (and 2 more like it)", "finding 4"]);
        let told = told(&all);
        let named: Vec<Site> = told[1].related.iter().map(|related| related.site).collect();
        assert_eq!(named, [site(0), site(3)]);
    }

    #[test]
    fn a_few_stand_for_many() {
        let all = findings(20);
        let messages = messages(&all);
        assert_eq!(messages.len(), MAX_ALIKE);
        assert_eq!(messages[0], "finding 0");
        assert_eq!(messages[MAX_ALIKE - 1], "finding 5 (and 14 more like it)");
        assert_eq!(self::messages(&all[..MAX_ALIKE]).len(), MAX_ALIKE, "a few are told one by one");
    }

    #[test]
    fn functions_are_told_apart() {
        let mut all = findings(12);
        all[6..].iter_mut().for_each(|finding| finding.symbol = "other".to_owned());
        assert_eq!(told(&all).len(), 12);
    }

    #[test]
    fn nothing_is_lost_where_both_apply() {
        let mut all = findings(20);
        all[3].cause = Some(site(90));
        all[19].cause = Some(site(90));
        let told = told(&all);
        assert_eq!(told.len(), MAX_ALIKE);
        assert_eq!(told[3].message, "finding 3 (and 1 more like it)");
        assert_eq!(told[5].message, "finding 5 (and 13 more like it)");
    }
}
