//! What `check` and `verify` write as SARIF holds by the official schema of 2.1.0.
//!
//! `testdata/sarif/sarif-schema-2.1.0.json` is the schema of OASIS as the package `serde-sarif` 0.8.0 carries it.
#![expect(clippy::disallowed_methods, reason = "the tests lay out folders and start the program")]

mod support;

use ranklint::report::run::{Run, RunFormat, render_run};
use serde_json::Value;

use support::folder::{Folder, JOB};

#[path = "run_reports/made.rs"]
mod made;

fn validate(what: &str, log: &str) -> Value {
    let schema = std::fs::read_to_string(support::root().join("testdata/sarif/sarif-schema-2.1.0.json"));
    let mut schema: Value = serde_json::from_str(&schema.expect("it is there")).expect("it is JSON");
    // The one error of the official file: a bracket that was never opened.
    for holder in ["run", "toolComponent"] {
        let pattern = &mut schema["definitions"][holder]["properties"]["language"]["pattern"];
        assert_eq!(pattern, "^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$");
        *pattern = "^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}?$".into();
    }
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let log: Value = serde_json::from_str(log).unwrap_or_else(|error| panic!("{what}: {error}"));
    let errors: Vec<String> =
        validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{what}: {}", errors.join("\n"));
    log
}

#[test]
fn findings_hold_by_the_schema() {
    let folder = Folder::new("sarif");
    folder
        .file("a b/ü%.py", JOB)
        .file(
            "listed.py",
            "import os\nimport torch.distributed as dist\nfor n in os.listdir('x'):\n    dist.barrier(n)\n",
        )
        .file("bad.py", "x = (\n")
        .file("latin.py", b"x = '\xe9'\n")
        .file("empty.py", "")
        .file("unused.py", "x = 1  # ranklint: ignore[wrong-root] -- it was needed once\n")
        .file("run.sh", "#!/bin/sh\nout=$(mktemp)\n");
    let run = folder.ranklint(&["check", "--isolated", "--min-confidence=low", "--output-format=sarif"]);
    let log = validate("check", &run.out);
    let results = log["runs"][0]["results"].as_array().expect("a list");
    assert!(results.len() > 5, "{results:?}");
    for part in ["codeFlows", "fixes", "partialFingerprints", "relatedLocations", "ruleIndex"] {
        assert!(results.iter().any(|result| !result[part].is_null()), "`{part}` is in no result");
    }
    let none = Folder::new("sarif-empty");
    none.file("empty.py", "");
    validate("nothing found", &none.ranklint(&["check", "--isolated", "--output-format=sarif"]).out);
}

#[test]
fn runs_hold_by_the_schema() {
    for report in made::all() {
        let run = Run { report: &report, folder: "/work", sources: &made::OnDisk, color: false };
        let mut bytes = Vec::new();
        render_run(RunFormat::Sarif, &run, &mut bytes).expect("memory takes everything");
        validate(report.outcome.name(), std::str::from_utf8(&bytes).expect("it is UTF-8"));
    }
}
