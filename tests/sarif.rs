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
    assert!(results.iter().all(|result| result["suppressions"] == serde_json::json!([])), "all or none have the list");
    let none = Folder::new("sarif-empty");
    none.file("empty.py", "");
    validate("nothing found", &none.ranklint(&["check", "--isolated", "--output-format=sarif"]).out);
}

/// What nobody wants to see any more stands in the log, says why, and counts for nothing; other formats do not show it.
#[test]
fn what_is_silenced_is_accounted_for() {
    let at_root = |comment: &str| JOB.replace("    if dist", &format!("    # ranklint: {comment}\n    if dist"));
    let folder = Folder::new("sarif-suppressed");
    folder
        .file("reason.py", at_root("ignore[conditional-collective] -- one \u{202e}node only"))
        .file("bare.py", at_root("ignore[conditional-collective]"))
        .file("whole.py", format!("# ranklint: ignore-file[collectives] -- never run\n{JOB}"))
        .file("known.py", JOB)
        .file("exempt.py", JOB)
        .file("unsure.py", "# ranklint: ignore-file[all] -- old\n")
        .file("ranklint.toml", "baseline = \"known.json\"\n[per-file-ignores]\n\"exempt.py\" = [\"collectives\"]\n");
    let update = folder.ranklint(&["check", "--update-baseline", "--select=collectives"]);
    assert!(update.err.contains("knows 1"), "{update:?}");
    let check = |more: &[&str]| folder.ranklint(&[&["check", "--select=collectives"], more].concat());
    // The second run takes its answer from the cache.
    for _ in 0..2 {
        let run = check(&["--output-format=sarif", "--output=json:all.json", "--output=concise:all.txt"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let log = validate("suppressed", &run.out);
        let results = log["runs"][0]["results"].as_array().expect("a list");
        let found: Vec<(&str, &Value)> = results
            .iter()
            .map(|result| {
                let path = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
                (path.as_str().expect("a path"), &result["suppressions"])
            })
            .collect();
        let external =
            |why: &str| serde_json::json!([{"kind": "external", "status": "accepted", "justification": why}]);
        let in_source =
            |why: &str| serde_json::json!([{"kind": "inSource", "status": "accepted", "justification": why}]);
        let wanted = [
            ("bare.py", serde_json::json!([{"kind": "inSource", "status": "accepted"}])),
            ("exempt.py", external("the configuration exempts the file")),
            ("known.py", external("the baseline knows it")),
            ("reason.py", in_source("one \u{fffd}node only")),
            ("whole.py", in_source("never run")),
        ];
        assert_eq!(found, wanted.each_ref().map(|(path, why)| (*path, why)));
        let names: std::collections::BTreeSet<String> =
            results.iter().map(|result| result["partialFingerprints"].to_string()).collect();
        assert_eq!(names.len(), results.len(), "fingerprints differ");
        let json: Value = serde_json::from_str(&folder.read("all.json")).expect("JSON");
        assert_eq!(
            (&json["findings"], &json["summary"]["suppressed"]),
            (&serde_json::json!([]), &serde_json::json!(5))
        );
        assert_eq!(folder.read("all.txt").lines().count(), 1, "{}", folder.read("all.txt"));
    }
    // What lies below the thresholds is not listed, silenced or not.
    let sure = check(&["--output-format=sarif", "--min-severity=error", "--ignore=conditional-collective"]);
    assert_eq!(validate("nothing asked", &sure.out)["runs"][0]["results"], serde_json::json!([]));
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
