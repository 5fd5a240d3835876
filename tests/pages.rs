//! Rules, pages and folders of fixtures are the same set; pages have their sections; their examples behave as marked.
//!
//! Every fenced `python` or `sh` block is an example. Lines marked `# error: [rule]` have exactly these findings; lines without
//! a mark have no finding of the page's rule. A path after the language names the file; consecutive blocks with paths in one
//! section are one project, and a path that is already taken begins the next one.

#![allow(clippy::disallowed_methods, reason = "harnesses read and copy files")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use ranklint::rules::{RULES, Rule};

use support::fixtures::{entries, fixtures, folders};
use support::page::{Example, examples, sections};
use support::{by_line, case_marks, check, in_parallel, mismatch, must_be_empty, root};

const SECTIONS: [&str; 4] = ["## Contract", "## Tripwires", "## Break-it tests", "## Instrumentation"];

fn page_path(rule: &Rule) -> String {
    format!("rules/{}/{}.md", rule.group.name(), rule.name)
}

#[test]
fn rules_pages_and_fixtures_are_the_same_set() {
    let rules: BTreeSet<String> = RULES.iter().map(|rule| format!("{}/{}", rule.group.name(), rule.name)).collect();
    let groups = entries(&root().join("rules")).into_iter().filter(|group| group != "models");
    let pages: BTreeSet<String> = groups
        .flat_map(|group| {
            let names = entries(&root().join("rules").join(&group)).into_iter();
            let pages = names.filter_map(|name| name.strip_suffix(".md").map(str::to_owned));
            pages.map(move |name| format!("{group}/{name}")).collect::<Vec<_>>()
        })
        .collect();
    let fixtures: BTreeSet<String> = folders().into_iter().map(|(group, rule)| format!("{group}/{rule}")).collect();
    let mut problems = Vec::new();
    for name in rules.union(&pages).chain(&fixtures).collect::<BTreeSet<_>>() {
        let has =
            [(&rules, "no rule in RULES"), (&pages, "no page in rules"), (&fixtures, "no folder in testdata/rules")];
        problems.extend(has.iter().filter(|(set, _)| !set.contains(name)).map(|(_, lack)| format!("{name}: {lack}")));
    }
    if RULES.len() != rules.len() {
        problems.push("two rules have one name".into());
    }
    must_be_empty("differences", &problems);
}

#[test]
fn every_rule_has_a_fixture_with_a_finding_and_one_without() {
    let mut seen: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    for fixture in fixtures() {
        let found = case_marks(&fixture.case).values().any(|marks| marks.sure.contains(&fixture.rule));
        let entry = seen.entry(fixture.rule).or_default();
        *if found { &mut entry.0 } else { &mut entry.1 } = true;
    }
    let mut problems = Vec::new();
    for rule in RULES {
        let (with, without) = seen.get(rule.name).copied().unwrap_or_default();
        let folder = format!("testdata/rules/{}/{}", rule.group.name(), rule.name);
        if !with {
            problems.push(format!("{folder}: no fixture has a finding of the rule"));
        }
        if !without {
            problems.push(format!("{folder}: every fixture has a finding of the rule; a look-alike is missing"));
        }
    }
    must_be_empty("fixtures are missing", &problems);
}

#[test]
fn every_page_has_its_name_and_its_four_sections() {
    let mut problems = Vec::new();
    for rule in RULES {
        let path = page_path(rule);
        let page = fs::read_to_string(root().join(&path)).unwrap_or_default();
        if page != rule.page {
            problems.push(format!("{path}: the rule carries another page"));
        }
        let first = page.lines().next().unwrap_or_default();
        if first != format!("# {}", rule.name) {
            problems.push(format!("{path}:1: the first line is `{first}`, not `# {}`", rule.name));
        }
        let found = sections(&page);
        if found != SECTIONS {
            problems.push(format!("{path}: its sections are {found:?}, not {SECTIONS:?}"));
        }
    }
    must_be_empty("pages differ from the standard", &problems);
}

#[test]
fn examples_behave_as_marked() {
    let mut problems = Vec::new();
    let mut cases: Vec<(&Rule, Example)> = Vec::new();
    for rule in RULES {
        match examples(&format!("{}/{}", rule.group.name(), rule.name), rule.page) {
            Ok(examples) => cases.extend(examples.into_iter().map(|example| (*rule, example))),
            Err(error) => problems.push(format!("{}: {error}", page_path(rule))),
        }
    }
    problems.extend(in_parallel(&cases, |(rule, example)| differences(rule, example)).into_iter().flatten());
    must_be_empty("examples differ from their marks", &problems);
}

fn differences(rule: &Rule, example: &Example) -> Vec<String> {
    let page = page_path(rule);
    let got = match check("pages", &example.case) {
        Ok(got) => by_line(&got),
        Err(error) => return vec![format!("{page}:{}: {error}", example.lines[0])],
    };
    let expected = case_marks(&example.case);
    let places: BTreeSet<_> = expected.keys().chain(got.keys()).collect();
    let mut problems = Vec::new();
    for at in places {
        let wanted = expected.get(at).cloned().unwrap_or_default();
        let mut found = got.get(at).cloned().unwrap_or_default();
        if !expected.contains_key(at) {
            found.sure.retain(|name| name == rule.name);
            found.low.retain(|name| name == rule.name);
        }
        if wanted != found {
            let file = example.case.files.iter().position(|(path, _)| *path == at.0);
            let line = file.map_or(0, |file| example.lines[file] - 1) + at.1;
            problems.push(mismatch(&page, line, &wanted, &found));
        }
    }
    problems
}

#[test]
fn blocks_become_projects() {
    let page = "# r\n\n## A\n\n```python\na\n```\n\n```python x.py\nb\n```\n\ntext\n\n  ```sh y.sh\n  c\n    d\n  ```\n\n```python x.py\ne\n```\n## B\n```sh z.sh\nf\n```\n```text\ng\n```\n";
    let shape: Vec<_> = examples("r", page)
        .expect("the fences are closed")
        .into_iter()
        .map(|example| {
            let files = example.case.files.into_iter().zip(example.lines);
            files
                .map(|((path, text), line)| format!("{path}@{line}={}", String::from_utf8_lossy(&text)))
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(
        shape,
        [vec!["example.py@6=a\n"], vec!["x.py@10=b\n", "y.sh@16=c\n  d\n"], vec!["x.py@21=e\n"], vec!["z.sh@25=f\n"]]
    );
    assert!(examples("r", "```python\nx\n").is_err());
}
