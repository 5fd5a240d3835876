//! Every fixture gives exactly the findings that its marks name.
//!
//! A fixture is a `.py` or `.sh` file, or a folder that is checked as a project. `# error: [rule, other]` at the end of a line
//! says that exactly these rules have a finding of medium or high confidence whose primary place begins on that line,
//! `# low: [rule]` that these have one of low confidence. Lines without a mark have none. All rules are on; a folder with a
//! `ranklint.toml` is checked with it.

#![allow(clippy::disallowed_methods, reason = "harnesses read and copy files")]

mod support;

use support::fixtures::{Fixture, fixtures};
use support::{Case, Expected, by_line, case_marks, check, in_parallel, marks, mismatch, must_be_empty};

/// A program in which every function begins with a statement that has nothing to do with the rest of it.
fn with_unrelated_statements(program: &str) -> String {
    let mut lines = Vec::new();
    for line in program.lines() {
        lines.push(line.to_owned());
        let code = line.split_once("  #").map_or(line, |(code, _)| code);
        let word = code.trim_start();
        if (word.starts_with("def ") || word.starts_with("async def ")) && word.ends_with(':') {
            let indent = &code[..code.len() - word.len()];
            lines.push(format!("{indent}    unrelated_name = len(__name__)"));
        }
    }
    lines.join("\n") + "\n"
}

fn disturbed(case: &Case) -> Case {
    let program = |path: &str, bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok(text) if path.ends_with(".py") => with_unrelated_statements(text).into_bytes(),
        _ => bytes.to_vec(),
    };
    let files = case.files.iter().map(|(path, bytes)| (path.clone(), program(path, bytes))).collect();
    Case { name: case.name.clone(), files }
}

fn problems(folder: &str, case: &Case, base: &str) -> Vec<String> {
    let expected = case_marks(case);
    let got = match check(folder, case) {
        Ok(got) => by_line(&got),
        Err(error) => return vec![format!("{base}: {error}")],
    };
    let places: std::collections::BTreeSet<_> = expected.keys().chain(got.keys()).collect();
    let nothing = Expected::default();
    let pairs =
        places.into_iter().map(|at| (at, expected.get(at).unwrap_or(&nothing), got.get(at).unwrap_or(&nothing)));
    pairs
        .filter(|(_, expected, got)| expected != got)
        .map(|((path, line), expected, got)| mismatch(&format!("{base}{path}"), *line, expected, got))
        .collect()
}

#[test]
fn every_fixture_gives_what_its_marks_name() {
    let fixtures = fixtures();
    assert!(!fixtures.is_empty(), "there are no fixtures under testdata/rules");
    let of = |fixture: &Fixture| problems("fixtures", &fixture.case, &fixture.base);
    let problems: Vec<String> = in_parallel(&fixtures, of).into_iter().flatten().collect();
    must_be_empty("lines differ from their marks", &problems);
}

#[test]
fn an_unrelated_statement_moves_no_finding() {
    let of = |fixture: &Fixture| problems("disturbed", &disturbed(&fixture.case), &fixture.base);
    let problems: Vec<String> = in_parallel(&fixtures(), of).into_iter().flatten().collect();
    must_be_empty("lines differ from their marks once each function begins with an unrelated statement", &problems);
}

#[test]
fn unrelated_statements_come_first_in_each_function() {
    let program = "class A:\n    def f(self):  # error: [one]\n        return 1\nx = \"def\"\n";
    let expected = "class A:\n    def f(self):  # error: [one]\n        unrelated_name = len(__name__)\n        return 1\nx = \"def\"\n";
    assert_eq!(with_unrelated_statements(program), expected);
}

#[test]
fn marks_name_rules_by_line() {
    let found = marks("a\nb()  # error: [one, two]  # low: [three]\n# error: nothing\nx  #error:[one]\n");
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), [2, 4]);
    assert_eq!(found[&2].sure.iter().collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(found[&2].low.iter().collect::<Vec<_>>(), ["three"]);
}
