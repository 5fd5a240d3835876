//! Every fixture gives exactly the findings that its marks name.
//!
//! A fixture is a `.py` or `.sh` file, or a folder that is checked as a project. `# error: [rule, other]` at the end of a line
//! says that exactly these rules have a finding of medium or high confidence whose primary place begins on that line,
//! `# low: [rule]` that these have one of low confidence. Lines without a mark have none. All rules are on; a folder with a
//! `ranklint.toml` is checked with it.

#![allow(clippy::disallowed_methods, reason = "harnesses read and copy files")]

mod support;

use support::fixtures::{Fixture, fixtures};
use support::{Expected, by_line, case_marks, check, in_parallel, marks, mismatch, must_be_empty};

fn problems(fixture: &Fixture) -> Vec<String> {
    let expected = case_marks(&fixture.case);
    let got = match check("fixtures", &fixture.case) {
        Ok(got) => by_line(&got),
        Err(error) => return vec![format!("{}: {error}", fixture.base)],
    };
    let places: std::collections::BTreeSet<_> = expected.keys().chain(got.keys()).collect();
    let nothing = Expected::default();
    let pairs =
        places.into_iter().map(|at| (at, expected.get(at).unwrap_or(&nothing), got.get(at).unwrap_or(&nothing)));
    pairs
        .filter(|(_, expected, got)| expected != got)
        .map(|((path, line), expected, got)| mismatch(&format!("{}{path}", fixture.base), *line, expected, got))
        .collect()
}

#[test]
fn every_fixture_gives_what_its_marks_name() {
    let fixtures = fixtures();
    assert!(!fixtures.is_empty(), "there are no fixtures under testdata/rules");
    let problems: Vec<String> = in_parallel(&fixtures, problems).into_iter().flatten().collect();
    must_be_empty("lines differ from their marks", &problems);
}

#[test]
fn marks_name_rules_by_line() {
    let found = marks("a\nb()  # error: [one, two]  # low: [three]\n# error: nothing\nx  #error:[one]\n");
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), [2, 4]);
    assert_eq!(found[&2].sure.iter().collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(found[&2].low.iter().collect::<Vec<_>>(), ["three"]);
}
