//! What every format prints, over findings made by hand.

use insta::assert_snapshot;
use ranklint::base::{FileId, Site, Span};
use ranklint::finding::{
    Confidence, Edit, Evidence, Finding, Fix, Severity, Suppressed, Suppression, WitnessEvent, WitnessRank,
};
use ranklint::report::{Files, Format, Report, Summary, render};

const SCHED: &str = "\
class Scheduler:
    def __init__(self, requests, group):
        self.rank = dist.get_rank()
        self.group = group
        self.waiting = []
        self.take(requests)

    def close(self):
        self.waiting.clear()

    def take(self, requests):
        world = dist.get_world_size()
        for r in requests[self.rank :: world]:
            self.waiting.append(r)

    def _agree(self, n):
        t = torch.tensor(n)
        dist.all_reduce(t)
        return int(t)

    def step(self):
        if not self.waiting:
            return 0
        return self._agree(len(self.waiting))
";

const TRAIN: &str = "import torch.distributed as dist\n\n\ndef run(engine, ok):\n\tif ok: engine.step(save(engine), sync(engine))  # 全部\n\tdist.barrier()\n";

const LIB: &str = "\u{feff}def save(engine):\r\n    return engine\r\n\r\ndef sync(engine):\r\n    dist.broadcast(engine.t, src=0)\r\n";

const SHELL: &str = "#!/bin/sh\nmktemp";

struct Sources(Vec<(&'static str, String)>);

impl Files for Sources {
    fn path(&self, file: FileId) -> &str {
        self.0[file.index()].0
    }

    fn text(&self, file: FileId) -> &str {
        &self.0[file.index()].1
    }
}

fn sources() -> Sources {
    Sources(vec![
        ("eng/sched.py", SCHED.into()),
        ("eng/train.py", TRAIN.into()),
        ("lib/a,b:%.py", LIB.into()),
        ("run.sh", SHELL.into()),
        ("empty.py", String::new()),
    ])
}

impl Sources {
    /// The place of the `nth` (from 0) `what` in a file.
    fn nth(&self, file: u32, what: &str, nth: usize) -> Site {
        let (start, _) = self.0[file as usize].1.match_indices(what).nth(nth).expect("the text is there");
        Site { file: FileId(file), span: Span::new(start as u32, (start + what.len()) as u32) }
    }

    fn at(&self, file: u32, what: &str) -> Site {
        self.nth(file, what, 0)
    }
}

fn finding(rule: &'static str, group: &'static str, severity: Severity, site: Site, message: &str) -> Finding {
    Finding {
        rule,
        group,
        severity,
        confidence: Confidence::High,
        evidence: Evidence::Static,
        message: message.to_owned(),
        help: String::new(),
        site,
        symbol: String::new(),
        related: Vec::new(),
        witness: Vec::new(),
        fix: None,
        cause: None,
    }
}

fn event(op: &str, group: &str, site: Site) -> WitnessEvent {
    WitnessEvent { op: op.into(), group: group.into(), site }
}

fn rank(rank: &str, trace: Vec<WitnessEvent>) -> WitnessRank {
    WitnessRank { rank: rank.into(), trace }
}

/// The finding of the design's example.
fn example(files: &Sources) -> Finding {
    let call = files.nth(0, "self._agree", 0);
    let mut found = finding(
        "conditional-collective",
        "collectives",
        Severity::Error,
        call,
        "`all_reduce` is reached by some ranks only",
    )
    .because(files.at(0, "requests[self.rank :: world]"), "each rank takes its own share here")
    .because(files.at(0, "not self.waiting"), "so this may be true on one rank and false on another")
    .because(call, "`_agree` issues `all_reduce` on WORLD (line 18)")
    .help("let every rank vote, then decide:  n = self._agree(len(self.waiting));  if not n: return 0");
    found.symbol = "Scheduler.step".into();
    found.witness = vec![
        rank("a rank with requests", vec![event("all_reduce", "WORLD", files.at(0, "dist.all_reduce(t)"))]),
        rank("a rank without", vec![event("returns", "", files.at(0, "return 0"))]),
    ];
    found
}

/// A chain over three files, with overlapping labels, tabs, wide characters, a byte-order mark and CRLF.
fn chain(files: &Sources) -> Finding {
    let prefix = || event("barrier", "WORLD", files.at(1, "dist.barrier()"));
    let mut found = finding(
        "collective-order",
        "collectives",
        Severity::Warning,
        files.at(1, "engine.step(save(engine), sync(engine))"),
        "two groups meet in a different order on different ranks, and this sentence is long enough to reach the name",
    )
    .because(files.at(1, "ok:"), "differs by rank")
    .because(files.at(1, "sync(engine)"), "`sync` is called here")
    .because(files.at(1, "save(engine)"), "after this")
    .because(files.at(1, "save(engine)"), "which issues nothing")
    .because(files.at(2, "dist.broadcast(engine.t, src=0)"), "`broadcast` on WORLD")
    .because(files.at(2, "def save(engine):"), "no collective here")
    .confidence(Confidence::Medium)
    .help("call both on every rank\nor on none");
    found.evidence = Evidence::Confirmed;
    found.witness = vec![
        rank("0", vec![prefix(), prefix(), event("broadcast", "WORLD", files.at(2, "dist.broadcast"))]),
        rank("1", vec![prefix(), prefix(), event("barrier", "TP", files.at(1, "dist.barrier()"))]),
    ];
    found
}

fn shell(files: &Sources) -> Finding {
    let site = files.at(3, "mktemp");
    let mut found = finding("shell-temp", "filesystem", Severity::Error, site, "`mktemp` writes outside the tree");
    found.fix = Some(Fix {
        message: "use `mktemp -p .`".into(),
        safe: false,
        edits: vec![Edit { site, content: "mktemp -p .".into() }],
    });
    found
}

fn empty() -> Finding {
    let site = Site { file: FileId(4), span: Span::new(0, 0) };
    finding("syntax-error", "meta", Severity::Note, site, "nothing here\u{1b}[31m").confidence(Confidence::Low)
}

fn all(files: &Sources) -> Vec<Finding> {
    vec![example(files), chain(files), shell(files), shell(files), empty()]
}

/// What is known or silenced, in the first file: SARIF alone tells of it.
fn silenced(files: &Sources) -> Vec<Suppressed> {
    if files.0.len() < 5 {
        return Vec::new();
    }
    let by = [
        Suppression::Comment("one node only".to_owned()),
        Suppression::Comment(String::new()),
        Suppression::Configuration,
        Suppression::Baseline,
    ];
    by.map(|by| Suppressed { finding: shell(files), by }).into()
}

fn printed(format: Format, color: bool) -> String {
    let files = sources();
    rendered(format, color, &files, &all(&files))
}

fn rendered(format: Format, color: bool, files: &Sources, findings: &[Finding]) -> String {
    let summary = Summary { files: 213, lines: 98_000, suppressed: 2, hidden: 12, elapsed: None };
    let mut out = Vec::new();
    let silenced = silenced(files);
    render(format, &Report { findings, silenced: &silenced, files, color, summary }, &mut out)
        .expect("writing to memory");
    String::from_utf8(out).expect("reports are UTF-8")
}

#[test]
fn text() {
    assert_snapshot!(printed(Format::Text, false));
}

#[test]
fn text_in_color() {
    assert_snapshot!(printed(Format::Text, true).replace('\u{1b}', "␛"));
}

#[test]
fn concise() {
    assert_snapshot!(printed(Format::Concise, false));
}

#[test]
fn concise_in_color() {
    assert_snapshot!(printed(Format::Concise, true).replace('\u{1b}', "␛"));
}

#[test]
fn json() {
    assert_snapshot!(printed(Format::Json, false));
}

#[test]
fn jsonl() {
    assert_snapshot!(printed(Format::Jsonl, false));
}

#[test]
fn sarif() {
    // The rules' pages are theirs to test.
    let mut log: serde_json::Value = serde_json::from_str(&printed(Format::Sarif, false)).expect("JSON");
    let driver = &mut log["runs"][0]["tool"]["driver"];
    driver["rules"] = serde_json::Value::Array(Vec::new());
    driver["semanticVersion"] = "VERSION".into();
    for result in log["runs"][0]["results"].as_array_mut().expect("results") {
        result.as_object_mut().expect("an object").remove("ruleIndex");
    }
    assert_snapshot!(serde_json::to_string_pretty(&log).expect("JSON"));
}

#[test]
fn github() {
    assert_snapshot!(printed(Format::Github, false));
}

#[test]
fn gitlab() {
    assert_snapshot!(printed(Format::Gitlab, false));
}

#[test]
fn junit() {
    assert_snapshot!(printed(Format::Junit, false));
}

#[test]
fn rdjson() {
    assert_snapshot!(printed(Format::Rdjson, false));
}

#[test]
fn nothing_found() {
    let files = sources();
    assert_eq!(
        rendered(Format::Text, false, &files, &[]),
        "no findings in 213 files; 2 suppressed; 12 less certain (`--min-confidence low` shows them)\n"
    );
    for format in Format::ALL {
        rendered(format, false, &files, &[]);
    }
}

#[test]
fn many_places_leave_a_short_frame() {
    let text: String = (0..400).map(|line| format!("line_{line} = {line}\n")).collect();
    let files = Sources(vec![("long.py", text)]);
    let mut found = finding("divergent-loop", "collectives", Severity::Error, files.at(0, "line_7 "), "many places");
    for line in (0..400).step_by(7) {
        found = found.because(files.at(0, &format!("line_{line} ")), "one of many");
    }
    assert_snapshot!(rendered(Format::Text, false, &files, &[found]));
}

#[test]
fn fingerprints_survive_shifted_lines_and_tell_equal_lines_apart() {
    let names = |files: &Sources| -> Vec<String> {
        let json = rendered(Format::Json, false, files, &all(files));
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let findings = json["findings"].as_array().expect("findings");
        findings.iter().map(|finding| finding["fingerprint"].to_string()).collect()
    };
    let before = names(&sources());
    let mut shifted = sources();
    for (_, text) in shifted.0.iter_mut().filter(|(_, text)| !text.is_empty()) {
        text.insert_str(0, "# a new line\n\n");
    }
    assert_eq!(before, names(&shifted));
    let distinct: std::collections::BTreeSet<_> = before.iter().collect();
    assert_eq!(distinct.len(), before.len());
}

#[test]
fn the_wire_reads_back() {
    let json = printed(Format::Json, false);
    let output: ranklint::report::json::Output = serde_json::from_str(&json).expect("the type reads what it wrote");
    assert_eq!(output.version, 1);
    let first = &output.findings[0];
    assert_eq!((first.line, first.column, first.end_line, first.end_column), (24, 16, 24, 27));
}

#[test]
fn thousands_of_findings_print_quickly() {
    let text = SCHED.repeat(2_000);
    let files = Sources(vec![("big.py", text)]);
    let findings: Vec<Finding> = (0..5_000).map(|_| example(&files)).collect();
    let started = std::time::Instant::now();
    for format in Format::ALL {
        rendered(format, false, &files, &findings);
    }
    assert!(started.elapsed().as_secs() < 20, "took {:?}", started.elapsed());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(300))]

    /// Whatever the text and the spans, every format prints, and positions lie inside the text.
    #[test]
    fn any_span_of_any_text(text in "[ a-c\t\r\n\0\x1bß全\u{301}\u{feff}\u{202e}🙂]{0,120}", spans in proptest::collection::vec((0u32..700, 0u32..700), 1..6)) {
        let site = |&(start, end): &(u32, u32)| Site { file: FileId(0), span: Span::new(start, end) };
        let lines = text.replace("\r\n", "\n").matches(['\n', '\r']).count() as u32 + 1;
        let files = Sources(vec![("any.py", text)]);
        let mut found = finding("wrong-root", "collectives", Severity::Error, site(&spans[0]), "any\u{1b}[2J\r\0");
        for span in &spans[1..] {
            found = found.because(site(span), "also");
            found.witness.push(rank("0", vec![event("op", "", site(span))]));
        }
        for format in Format::ALL {
            let printed = rendered(format, false, &files, std::slice::from_ref(&found));
            let raw = printed.contains(['\u{1b}', '\0', '\r', '\u{202e}']);
            proptest::prop_assert!(!raw, "raw in {:?}", format);
        }
        let json: serde_json::Value = serde_json::from_str(&rendered(Format::Json, false, &files, &[found])).expect("JSON");
        let place = &json["findings"][0];
        let number = |key: &str| place[key].as_u64().expect("a number") as u32;
        proptest::prop_assert!(number("line") >= 1 && number("line") <= number("end_line") && number("end_line") <= lines);
        proptest::prop_assert!(number("line") != number("end_line") || number("column") <= number("end_column"));
    }
}
