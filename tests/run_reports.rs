//! What every format prints of a run, over runs made by hand.

use insta::assert_snapshot;
use ranklint::report::run::{NoSources, Run, RunFormat, render_run};
use ranklint::verify::outcome::RunReport;

#[path = "run_reports/made.rs"]
mod made;

use made::OnDisk;

fn printed(format: RunFormat, report: &RunReport, color: bool) -> String {
    let run = Run { report, folder: "/work", sources: &OnDisk, color };
    let mut bytes = Vec::new();
    render_run(format, &run, &mut bytes).expect("memory takes everything");
    String::from_utf8(bytes).expect("every format is UTF-8")
}

#[test]
fn a_pass_is_short() {
    assert_snapshot!(printed(RunFormat::Text, &made::passed(), false));
}

#[test]
fn text_shows_where_ranks_part() {
    assert_snapshot!(printed(RunFormat::Text, &made::diverged(4), false));
}

#[test]
fn text_in_color() {
    assert_snapshot!(printed(RunFormat::Text, &made::mismatched(), true).replace('\u{1b}', "␛"));
}

#[test]
fn text_of_the_stranded() {
    assert_snapshot!(printed(RunFormat::Text, &made::stranded(), false));
}

#[test]
fn text_of_a_message() {
    assert_snapshot!(printed(RunFormat::Text, &made::message(), false));
}

#[test]
fn text_of_every_other_end() {
    let mut all = printed(RunFormat::Text, &made::failed(), false);
    for report in made::others() {
        all += "\n────────\n";
        all += &printed(RunFormat::Text, &report, false);
    }
    assert_snapshot!(all);
}

#[test]
fn text_without_sources() {
    let report = made::stranded();
    let mut bytes = Vec::new();
    let run = Run { report: &report, folder: "", sources: &NoSources, color: false };
    render_run(RunFormat::Text, &run, &mut bytes).expect("memory takes everything");
    assert_snapshot!(String::from_utf8(bytes).expect("it is UTF-8"));
}

#[test]
fn json_of_a_divergence() {
    assert_snapshot!(printed(RunFormat::Json, &made::stranded(), false));
}

#[test]
fn json_is_readable_for_every_end() {
    for report in made::all() {
        let output: serde_json::Value = serde_json::from_str(&printed(RunFormat::Json, &report, false)).expect("JSON");
        assert_eq!(output["version"], 1);
        assert_eq!(output["outcome"], report.outcome.name());
    }
}

#[test]
fn junit_counts_what_it_lists() {
    let mut all = String::new();
    for report in made::all() {
        let text = printed(RunFormat::Junit, &report, false);
        for (attribute, element) in [("failures", "<failure "), ("errors", "<error "), ("skipped", "<skipped ")] {
            let count = text.matches(element).count();
            assert!(
                text.contains(&format!("{attribute}=\"{count}\"")),
                "{attribute} of {}: {text}",
                report.outcome.name()
            );
        }
        all += &text;
    }
    assert_snapshot!(all);
}

#[test]
fn sarif_of_a_divergence() {
    // The rules' pages are theirs to test: that there is one is asked here, not what it says.
    let text = printed(RunFormat::Sarif, &made::diverged(2), false);
    let mut log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array_mut().expect("rules");
    let mut pages = 0;
    for rule in rules.iter_mut().filter(|rule| !rule["help"].is_null()) {
        let page = format!("# {}\n", rule["id"].as_str().expect("a name"));
        for form in ["markdown", "text"] {
            assert!(rule["help"][form].as_str().is_some_and(|help| help.starts_with(&page)), "{form} of {page}");
            rule["help"][form] = "PAGE".into();
        }
        pages += 1;
    }
    assert!(pages > 0, "no rule of the run has a page");
    assert_snapshot!(serde_json::to_string_pretty(&log).expect("JSON"));
}

#[test]
fn sarif_points_at_its_rules() {
    for report in made::all() {
        let log: serde_json::Value = serde_json::from_str(&printed(RunFormat::Sarif, &report, false)).expect("JSON");
        let run = &log["runs"][0];
        let results = run["results"].as_array().expect("it is there, even when empty");
        assert_eq!(
            results.is_empty(),
            matches!(report.outcome.name(), "passed" | "skipped" | "blocked" | "interrupted")
        );
        for result in results.iter().filter(|result| !result["ruleIndex"].is_null()) {
            let index = result["ruleIndex"].as_u64().expect("a number") as usize;
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        }
    }
}

#[test]
fn chrome_traces_tie_ranks_together() {
    let text = printed(RunFormat::Chrome, &made::diverged(3), false);
    let trace: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    // Three ranks with two calls each; two collectives, each with a start, a middle and an end.
    assert_eq!((count("X"), count("s"), count("t"), count("f"), count("i")), (6, 2, 2, 2, 3));
    assert!(events.iter().all(|event| event["ph"] == "M" || event["ts"].as_u64().is_some_and(|ts| ts < 100_000)));
    assert_snapshot!(text);
}
