use super::*;
use crate::analyze::Progress;

#[test]
fn patient_rules_exist() {
    assert!(PATIENT.iter().all(|name| meta::rule_named(name).is_some()));
}

#[test]
fn places_follow_an_edit() {
    let change = Change::between("ab cd ef", "ab XYZ ef");
    assert_eq!(change.span(Span::new(0, 2)), Span::new(0, 2));
    assert_eq!(change.span(Span::new(6, 8)), Span::new(7, 9));
    let change = Change::between("aaa", "aaaa");
    // What is inserted where something ends does not belong to it; where something begins, it stands before it.
    assert_eq!(change.span(Span::new(1, 3)), Span::new(1, 3));
    assert_eq!(change.span(Span::new(3, 3)), Span::new(4, 4));
}

#[test]
fn findings_follow_their_functions_when_a_text_is_replaced() {
    let (rules, progress) = (meta::all_rules().collect::<Vec<_>>(), Progress::default());
    let options = options(&rules, &progress);
    let first = Standing::of(sources(HELPER, JOB), &options, &Models::default(), &Arc::default());
    let mut standing = first.expect("nobody stops it");
    // Something else above and below: no letter before or after the functions stays where it was.
    let other = "\n\ndef other(x):\n    if dist.get_rank() == 0:\n        dist.barrier(\n        )";
    let text = format!("# moved\n{JOB}{other}");
    assert!(standing.replace("job.py", &text.as_str().into(), &options, &Models::default()));
    let file = standing.file("job.py").expect("it is known");
    assert!(standing.ask_changed(&[file], &options, &Arc::default()));
    assert_eq!(standing.analysis.findings, super::super::analyze(sources(HELPER, &text), options).findings);
}

const HELPER: &str =
    "import torch.distributed as dist\n\ndef agree(x):\n    dist.all_reduce(x)\n\ndef other(x):\n    return x\n";
const JOB: &str = "import os\nimport torch.distributed as dist\nfrom helper import agree\n\ndef step(x):\n    if dist.get_rank() == 0:\n        agree(x)\n    if os.environ.get('SCOPE_TEST_X'):\n        dist.barrier()\n\nclass Job:\n    def run(self, x):\n        if dist.get_rank() == 0:\n            dist.broadcast(x, src=0)\n";

fn sources(helper: &str, job: &str) -> Vec<SourceFile> {
    let python = |path: &str, text: &str| SourceFile::from_text(path, crate::source::Kind::Python, text);
    vec![python("helper.py", helper), python("job.py", job)]
}

#[test]
fn nearer_callers_are_answered_first() {
    let (rules, progress) = (meta::all_rules().collect::<Vec<_>>(), Progress::default());
    let options = options(&rules, &progress);
    let job = "import torch.distributed as dist\nfrom helper import other\n\ndef direct(x):\n    if dist.get_rank() == 0:\n        other(x)\n\ndef above(x):\n    if dist.get_rank() == 1:\n        direct(x)\n        dist.all_reduce(x)\n\ndef elsewhere(x):\n    return x\n";
    let models = Models::default();
    let standing = Standing::of(sources(HELPER, job), &options, &models, &Arc::default());
    let mut standing = standing.expect("nobody stops it");
    let edited = HELPER.replace("    return x", "    import torch.distributed as dist\n    dist.barrier()");
    assert!(standing.replace("helper.py", &edited.into(), &options, &models));
    let (helper, caller) = (standing.file("helper.py").expect("known"), standing.file("job.py").expect("known"));
    let rings = standing.callers_in(&[helper], &[caller]);
    let named = |standing: &Standing, ring: &Callers| {
        let model = &standing.program.as_ref().expect("it was linked").file(caller).model;
        ring.0.iter().map(|&(_, local)| model.qualified(local)).collect::<Vec<_>>()
    };
    assert_eq!(named(&standing, &rings[0]), ["direct"]);
    assert_eq!(named(&standing, &rings[1]), ["above"]);
    assert_eq!(rings.len(), 2);
    let lines = |standing: &Standing| {
        let found = standing.analysis.findings.iter().filter(|finding| finding.site.file == caller);
        found.map(|finding| job[..finding.site.span.start as usize].lines().count()).collect::<Vec<_>>()
    };
    let before = lines(&standing);
    assert!(standing.ask_callers(&rings[0], &options, &Arc::default()));
    // `direct` and what stood in `above` before; nothing of `above` was traced.
    assert_eq!(lines(&standing), [&[6], before.as_slice()].concat());
}

fn options<'a>(rules: &'a [&'static Rule], progress: &'a Progress) -> Options<'a> {
    let catalog = Arc::new(crate::catalog::Catalog::builtin().clone());
    Options { rules, facts: Default::default(), catalog, progress }
}

#[test]
fn a_quick_answer_is_that_of_a_whole_analysis() {
    let (rules, progress) = (meta::all_rules().collect::<Vec<_>>(), Progress::default());
    let options = || options(&rules, &progress);
    let models = Models::default();
    let whole = |helper: &str, job: &str| super::super::analyze(sources(helper, job), options()).findings;
    let edits = [
        ("job.py", JOB.replace("def step", "# a remark\n\ndef step")),
        ("job.py", JOB.replace("dist.get_rank() == 0:\n        agree", "x:\n        agree")),
        (
            "job.py",
            JOB.replace("class Job", "def fresh(x):\n    if dist.get_rank():\n        dist.barrier()\n\nclass Job"),
        ),
        ("job.py", JOB.replace("class Job:\n    def run", "def run")),
        ("job.py", JOB.replace("(x):\n    if", "(x:\n    if")),
        ("job.py", format!("{JOB}\ndef typed(\n")),
        ("helper.py", HELPER.replace("    dist.all_reduce(x)\n", "    return x\n")),
        ("helper.py", HELPER.replace("def agree", "def agreed")),
        ("helper.py", format!("import os\n\n{HELPER}")),
    ];
    let ask = |standing: &mut Standing, file: FileId| {
        let never = Arc::default();
        assert!(standing.ask_changed(&[file], &options(), &never));
        assert!(standing.ask(&[file], &options(), &never));
        assert!(standing.ask(&standing.callers(file), &options(), &never));
        let read_through = standing.program.as_ref().is_some_and(Program::was_read_through);
        assert!(!read_through, "a rule that takes all files was asked after an edit: it is a patient one");
    };
    for (path, text) in &edits {
        let first = Standing::of(sources(HELPER, JOB), &options(), &models, &Arc::default());
        let mut standing = first.expect("nobody stops it");
        assert!(!standing.analysis.findings.is_empty());
        assert!(standing.replace(path, &text.as_str().into(), &options(), &models));
        let file = standing.file(path).expect("it is known");
        ask(&mut standing, file);
        let (helper, job) = if *path == "job.py" { (HELPER, text.as_str()) } else { (text.as_str(), JOB) };
        assert_eq!(standing.analysis.findings, whole(helper, job), "{path}: {text}");
        // And back again.
        let original = if *path == "job.py" { JOB } else { HELPER };
        assert!(standing.replace(path, &original.into(), &options(), &models));
        ask(&mut standing, file);
        assert_eq!(standing.analysis.findings, whole(HELPER, JOB), "{path}: {text} and back");
    }
}
