//! The findings as a page, and the site of rules: bounded, escaped, and drawn by a real browser where there is one.
#![expect(clippy::disallowed_methods, reason = "the tests lay out folders, start the program and a browser")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ranklint::meta;

use support::folder::{Folder, JOB};

/// A file with a helper that communicates, called below a condition on the rank.
const CHAIN: &str = "import torch.distributed as dist\n\n\ndef agree(x):\n    dist.all_reduce(x)\n    dist.barrier()\n\n\ndef step(x, name='<b>&\"'):\n    dist.broadcast(x, src=0)\n    if dist.get_rank() == 0:\n        agree(x)\n";

fn balanced(page: &str) {
    for tag in
        ["section", "article", "table", "tbody", "tr", "td", "div", "details", "pre", "p", "ul", "ol", "li", "span"]
    {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("src=\""), "nothing is loaded");
}

fn page(folder: &Folder) -> String {
    let run = folder.ranklint(&["check", "--isolated", "--min-confidence=low", "--output-format=html"]);
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    run.out
}

#[test]
fn a_finding_shows_its_chain_and_both_ranks() {
    let folder = Folder::new("page");
    folder.file("a<b>.py", CHAIN).file("sub/job.py", JOB);
    let page = page(&folder);
    balanced(&page);
    assert_eq!(page.matches("<article class=\"error\"").count(), 2, "{page}");
    assert!(page.contains("<div class=\"side\">") && page.contains("<li class=\"parts\"><b>all_reduce</b>"), "{page}");
    assert!(page.contains("a&lt;b&gt;.py:12:9") && !page.contains("<b>&"), "{page}");
    assert!(page.contains("<details id=\"rule-conditional-collective\">"), "{page}");
    assert!(page.contains("<form id=\"filter\" hidden>"), "without a script there are no filters");
}

#[test]
fn many_findings_fit_in_two_megabytes() {
    let folder = Folder::new("large-page");
    for index in 0..150 {
        folder.file(&format!("job{index}.py"), JOB.repeat(30));
    }
    let page = page(&folder);
    balanced(&page);
    assert!((1_000_000..2_000_000).contains(&page.len()), "{} bytes", page.len());
    assert!(page.contains(" more; the JSON report has them all"), "what is left out is counted");
}

#[test]
fn the_script_is_the_one_that_the_page_allows() {
    let folder = Folder::new("page-script");
    folder.file("job.py", JOB);
    let page = page(&folder);
    let script = &page[page.find("<script>").expect("there is one") + 8..page.find("</script>").expect("it ends")];
    let python =
        "import base64,hashlib,sys; print(base64.b64encode(hashlib.sha256(sys.stdin.buffer.read()).digest()).decode())";
    let output =
        assert_cmd::Command::new("python3").args(["-c", python]).write_stdin(script).output().expect("python3");
    let hash = String::from_utf8(output.stdout).expect("it is text");
    assert!(page.contains(&format!("script-src 'sha256-{}'", hash.trim())), "the hash of the script is {hash}");
}

#[test]
fn every_rule_has_a_page_on_the_site() {
    let folder = Folder::new("site");
    assert_eq!(folder.ranklint(&["explain", "--site", "out/rules"]).code, Some(0));
    let index = folder.read("out/rules/index.html");
    balanced(&index);
    for rule in meta::all_rules() {
        let page = folder.read(&format!("out/rules/{}.html", rule.name));
        balanced(&page);
        assert!(index.contains(&format!("href=\"{}.html\"", rule.name)), "{}", rule.name);
        assert!(page.contains(&format!("<h1>{}</h1>", rule.name)), "{}", rule.name);
        let prose = page.split("<pre>").map(|part| part.split_once("</pre>").map_or(part, |(_, rest)| rest));
        let prose: String = prose.collect();
        assert!(
            !prose.contains("```") && !prose.contains('`') && !prose.contains("\n- "),
            "{}: Markdown is left",
            rule.name
        );
    }
    assert_eq!(fs::read_dir(folder.path("out/rules")).expect("it is there").count(), meta::all_rules().count() + 1);
    folder.file("taken", "").ranklint(&["explain", "--site", "taken"]).fails_with(2, &["cannot write the site"]);
    folder.ranklint(&["explain"]).fails_with(2, &["RULE"]);
}

fn browser() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    std::env::split_paths(&folders).flat_map(|folder| names.map(|name| folder.join(name))).find(|path| path.is_file())
}

/// The page after its script ran, and what the browser complained of.
fn drawn(browser: &Path, folder: &Folder, address: &str) -> (String, Vec<String>) {
    let profile = folder.path("profile");
    let output = assert_cmd::Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--timeout=20000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(address)
        .timeout(Duration::from_secs(120))
        .output()
        .expect("the browser starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let complaints = said.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
    (String::from_utf8_lossy(&output.stdout).into_owned(), complaints)
}

#[test]
fn a_browser_filters_by_rule_and_path() {
    let Some(browser) = browser() else {
        eprintln!("SKIPPED: there is no chromium here, so the page was not drawn");
        return;
    };
    let folder = Folder::new("page-drawn");
    folder.file("chain.py", CHAIN).file("sub/job.py", JOB);
    let page = page(&folder);
    folder.file("report.html", &page);
    let report = format!("file://{}", folder.path("report.html").display());
    for (wish, shown) in
        [("", "2 of 2"), ("#path=SUB", "1 of 2"), ("#rule=wrong-root", "0 of 2"), ("#severity=error", "2 of 2")]
    {
        let (dom, complaints) = drawn(&browser, &folder, &format!("{report}{wish}"));
        assert!(dom.contains("<form id=\"filter\">"), "the script shows the filters: {complaints:?}");
        let hidden =
            dom.matches("<article").count() - dom.matches("<article").count().min(dom.matches("hidden=\"\"").count());
        let wanted: usize = shown[..1].parse().expect("it begins with a number");
        assert_eq!(hidden, if wish == "#rule=wrong-root" { 2 } else { wanted }, "{wish}");
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}
