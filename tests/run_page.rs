//! The page of a run: bounded, escaped, and drawn by a real browser where there is one.

use std::path::{Path, PathBuf};

use ranklint::report::run::{Run, RunFormat, render_run};
use ranklint::verify::outcome::RunReport;

#[path = "run_reports/made.rs"]
mod made;

fn page(report: &RunReport) -> String {
    let run = Run { report, folder: "/work", sources: &made::OnDisk, color: false };
    let mut bytes = Vec::new();
    render_run(RunFormat::Html, &run, &mut bytes).expect("memory takes everything");
    String::from_utf8(bytes).expect("it is UTF-8")
}

#[test]
fn a_large_run_fits_in_two_megabytes() {
    let page = page(&made::large(1_000, 1_000));
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert_eq!(page.matches("<tr class=\"lane ").count(), 2, "ranks that do the same share a lane");
    assert!(page.contains("0–499, 501–999"));
}

#[test]
fn ranks_that_all_differ_are_bounded_too() {
    let mut report = made::large(1_000, 60);
    for lane in &mut report.lanes {
        lane.calls.truncate(lane.calls.len() - lane.rank as usize % 50);
        lane.output_tail = "\"".repeat(100_000);
    }
    let page = page(&report);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert!(page.matches("<tr class=\"lane ").count() <= 64);
}

#[test]
fn nothing_of_the_run_is_markup() {
    for report in made::all().into_iter().chain([made::large(2, 8)]) {
        let page = page(&report);
        assert!(!page.contains("<script"), "{}", report.outcome.name());
        assert!(!page.contains("<shape>"), "{}", report.outcome.name());
        assert!(!page.contains('\u{1b}'), "{}", report.outcome.name());
        assert!(!page.contains("http://") && !page.contains("https://"), "{}", report.outcome.name());
        for tag in ["section", "table", "tbody", "tr", "td", "th", "div", "details", "pre", "p", "ul", "li", "span"] {
            let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag} in {}", report.outcome.name());
        }
    }
}

/// Also writes the pages to the folder that `RANKLINT_PAGES` names, for people to look at.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test starts a browser and hands it a file")]
fn a_browser_draws_lanes_and_highlight() {
    let folder = match std::env::var_os("RANKLINT_PAGES") {
        Some(folder) => PathBuf::from(folder),
        None => std::env::temp_dir().join(format!("ranklint-page-{}", std::process::id())),
    };
    std::fs::create_dir_all(&folder).expect("a folder of our own");
    for report in made::all() {
        let what = report.outcome.divergence().map_or("", |found| found.differs);
        let file = folder.join(format!("{}-{what}.html", report.outcome.name()));
        std::fs::write(file, page(&report)).expect("a file of our own");
    }
    std::fs::write(folder.join("large.html"), page(&made::large(1_000, 1_000))).expect("a file of our own");
    match browser() {
        Some(browser) => draw(&browser, &folder),
        None => eprintln!("SKIPPED: there is no chromium here, so the page was not drawn"),
    }
    if std::env::var_os("RANKLINT_PAGES").is_none() {
        std::fs::remove_dir_all(&folder).expect("it is our own");
    }
}

#[expect(clippy::disallowed_methods, reason = "the test looks for a browser")]
fn browser() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    std::env::split_paths(&folders).flat_map(|folder| names.map(|name| folder.join(name))).find(|path| path.is_file())
}

#[expect(clippy::disallowed_methods, reason = "the test starts a browser")]
fn draw(browser: &Path, folder: &Path) {
    let profile = folder.join("profile");
    let output = std::process::Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--timeout=20000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(folder.join("diverged-operation.html"))
        .output()
        .expect("the browser starts");
    std::fs::remove_dir_all(&profile).expect("the browser has made it");
    let (page, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert_eq!(page.matches("<tr class=\"lane ").count(), 4, "one lane a rank: {page}");
    // The head of the column and one cell a rank.
    assert_eq!(page.matches("class=\"here").count(), 5, "{page}");
    let complaints: Vec<&str> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
}
