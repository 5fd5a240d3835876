//! Where a file issues operations itself: for telling how many of them a run has reached, and what a project defines.

use crate::base::{FileId, Site};
use crate::model::LocalFunction;

use super::communication::{Communication, Issue, Wanted, calls_in};
use super::program::Program;

/// The calls of a file that are collectives or make groups, by place. Calls of wrappers defined in the program are none: the
/// wrapper's own call is one.
pub fn collective_sites(program: &Program, file: FileId) -> Vec<Site> {
    let mut sites: Vec<Site> = collective_issues(program, file).into_iter().map(|(_, issue)| issue.site).collect();
    sites.sort_unstable();
    sites.dedup();
    sites
}

/// The same calls with what they issue, by the function in whose body they stand.
pub fn collective_issues(program: &Program, file: FileId) -> Vec<(LocalFunction, Issue)> {
    let mut communication = Communication::new(program);
    let model = &program.file(file).model;
    let mut issues = Vec::new();
    for (index, function) in model.functions.iter().enumerate() {
        let local = LocalFunction(u32::try_from(index).expect("functions of a file are counted in 32 bits"));
        for (expr, call) in calls_in(model, function.body) {
            let issue = communication.itself(file, local, expr, call);
            issues.extend(issue.filter(|issue| Wanted::Common.takes(issue.kind)).map(|issue| (local, issue)));
        }
    }
    issues
}
