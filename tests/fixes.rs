//! `check --fix`, `--diff`, `--add-ignore`: what changes in files, and what never does.
//!
//! `testdata/fixes/<rule>/before.py` becomes `safe.py` with `--fix` and `unsafe.py` with `--unsafe-fixes` as well; where one of
//! these is missing, the file stays as the step before left it. A folder in it is another case. The files of
//! `testdata/rules/<group>/shared/` lie beside it, as they do beside the fixtures of the group's rules, and so do those of its
//! own folder `shared`.
#![expect(clippy::disallowed_methods, reason = "the tests lay out folders and start the program")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::folder::{Folder, JOB};
use support::root;

const ALL: [&str; 4] = ["check", "--isolated", "--no-cache", "--min-confidence=low"];

/// The arguments of a run that asks about loops only.
fn loops(more: &[&'static str]) -> Vec<&'static str> {
    [&with(more)[..], &["--select=unordered-iteration"]].concat()
}

fn with(more: &[&'static str]) -> Vec<&'static str> {
    ALL.iter().chain(more).copied().collect()
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("it can be listed").path()).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().expect("it has a name").to_string_lossy().into_owned()
}

/// Rule, case and folder of all fixtures.
fn cases() -> Vec<(String, String, PathBuf)> {
    let mut out = Vec::new();
    for folder in listed(&root().join("testdata/fixes")) {
        let rule = name_of(&folder);
        let inside = listed(&folder).into_iter().filter(|path| path.is_dir() && name_of(path) != "shared");
        out.extend(inside.map(|path| (rule.clone(), name_of(&path), path)));
        out.push((rule, String::new(), folder));
    }
    out
}

/// The files that the rule's group shares, and those that its cases do.
fn shared(rule: &str) -> Vec<PathBuf> {
    let groups = listed(&root().join("testdata/rules")).into_iter();
    let folders = groups.filter(|group| group.join(rule).is_dir()).map(|group| group.join("shared"));
    let folders = folders.chain([root().join("testdata/fixes").join(rule).join("shared")]);
    folders.filter(|shared| shared.is_dir()).flat_map(|shared| listed(&shared)).collect()
}

#[test]
fn files_become_what_the_fixtures_say() {
    let mut seen = 0;
    for (rule, case, fixtures) in cases() {
        let before = fs::read(fixtures.join("before.py")).expect("every rule has one");
        let safe = fs::read(fixtures.join("safe.py")).unwrap_or_else(|_| before.clone());
        let all = fs::read(fixtures.join("unsafe.py")).unwrap_or_else(|_| safe.clone());
        assert!(safe != before || all != before, "{rule}: nothing is fixed");
        for (more, wanted) in [(&["--fix"][..], &safe), (&["--fix", "--unsafe-fixes"], &all)] {
            let folder = Folder::new(&format!("fixes-{rule}-{case}-{}", more.len()));
            for path in shared(&rule) {
                fs::copy(&path, folder.path(&name_of(&path))).expect("it can be copied");
            }
            folder.file("before.py", &before);
            // A comment is idle only for rules that were asked.
            let select = if rule == "unused-ignore" { "--select=all".to_owned() } else { format!("--select={rule}") };
            let run = folder.ranklint(&[&with(more)[..], &[&select]].concat());
            let text = folder.read("before.py");
            assert_eq!(text, String::from_utf8_lossy(wanted), "{rule} {more:?}: {run:?}");
            // What is fixed stays fixed, and the file is Python still.
            let again = folder.ranklint(&[&with(more)[..], &[&select]].concat());
            assert_eq!((folder.read("before.py"), again.err.as_str()), (text, ""), "{rule} {more:?}");
        }
        seen += 1;
    }
    assert!(seen > 4, "the fixtures are found");
}

const LISTED: &str = "import os\nimport torch.distributed as dist\n\n\ndef f(d, x):\n    for n in os.listdir(d):\n        dist.all_reduce(x[n])\n";

#[test]
fn a_diff_changes_nothing_and_can_be_applied() {
    let folder = Folder::new("fix-diff");
    folder.file("inner/job.py", LISTED);
    let run = folder.ranklint(&loops(&["--diff"]));
    assert_eq!((run.code, run.err.as_str()), (Some(1), "note: 1 fix would be made in 1 file\n"));
    assert!(run.out.starts_with("--- a/inner/job.py\n+++ b/inner/job.py\n@@"), "{run:?}");
    assert_eq!(folder.read("inner/job.py"), LISTED);
    let piped = folder.piped(&loops(&["--diff", "-"]), LISTED);
    assert_eq!(piped.out, run.out.replace("inner/job.py", "-"));
    folder.piped(&loops(&["--fix", "-"]), LISTED).fails_with(2, &["standard input cannot be changed"]);

    let fixed = folder.ranklint(&loops(&["--fix"]));
    assert_eq!((fixed.code, fixed.err.as_str()), (Some(0), "note: 1 fix made in 1 file\n"));
    assert_eq!(folder.read("inner/job.py"), LISTED.replace("os.listdir(d)", "sorted(os.listdir(d))"));
    assert_eq!(folder.ranklint(&loops(&["--diff"])).code, Some(0));
}

#[test]
fn encodings_permissions_and_links_are_kept() {
    let folder = Folder::new("fix-encodings");
    let head = b"# -*- coding: latin-1 -*-\r\nimport os\r\nimport torch.distributed as dist\r\ndef f(x):\r\n";
    let latin = [&head[..], b"    for n in os.listdir('\xe9'):\r\n        dist.all_reduce(x[n])\r\n"].concat();
    let marked = format!("\u{feff}{LISTED}");
    folder.file("latin.py", latin).file("marked.py", &marked).file("real.txt", LISTED);
    let run = folder.ranklint(&loops(&["--fix"]));
    assert!(run.err.contains("in 2 files"), "{run:?}");
    let fixed = fs::read(folder.path("latin.py")).expect("it is there");
    assert!(fixed.windows(24).any(|part| part == b"sorted(os.listdir('\xe9')):"), "{fixed:?}");
    assert!(fixed.windows(3).filter(|part| part[1..] == *b"\r\n").count() == 6, "{fixed:?}");
    assert!(folder.read("marked.py").starts_with("\u{feff}import os\n"));

    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let only = Folder::new("fix-links");
        only.file("job.py", LISTED).file("elsewhere.txt", LISTED);
        fs::set_permissions(only.path("job.py"), fs::Permissions::from_mode(0o750)).expect("it is ours");
        symlink(only.path("elsewhere.txt"), only.path("link.py")).expect("it can be made");
        only.ranklint(&loops(&["--fix", "job.py"]));
        let mode = fs::metadata(only.path("job.py")).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o750);
        only.ranklint(&loops(&["--fix", "link.py"])).fails_with(2, &["cannot change `link.py`", "symbolic link"]);
        assert_eq!(only.read("elsewhere.txt"), LISTED);
        let names: Vec<String> = fs::read_dir(only.path("."))
            .expect("it can be listed")
            .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
            .collect();
        assert!(!names.iter().any(|name| name.ends_with("ranklint")), "nothing is left over: {names:?}");
    }
}

#[test]
fn what_is_silenced_or_known_is_not_fixed() {
    let folder = Folder::new("fix-silenced");
    let silenced =
        LISTED.replace("os.listdir(d):", "os.listdir(d):  # ranklint: ignore[unordered-iteration] -- one host");
    folder.file("job.py", &silenced).file("known.py", LISTED);
    folder.ranklint(&loops(&["--baseline=known.json", "--update-baseline", "known.py"]));
    let run = folder.ranklint(&loops(&["--fix", "--baseline=known.json"]));
    assert_eq!((folder.read("job.py"), folder.read("known.py")), (silenced, LISTED.to_owned()), "{run:?}");
}

#[test]
fn suppressions_are_written() {
    let folder = Folder::new("add-ignore");
    let both = format!(
        "{JOB}\n\ndef g(x):\n    if dist.get_rank() == 0:\n        y = \"\"\"\n\"\"\" + str(dist.all_reduce(x))\n"
    );
    folder.file("job.py", &both).file("run.sh", "#!/bin/sh\nout=$(mktemp)\n").file("bad.py", "x = (\n");
    let before = folder.ranklint(&["check", "--isolated"]);
    assert_eq!(before.code, Some(1));
    let run = folder.ranklint(&["check", "--isolated", "--add-ignore=to be looked at"]);
    assert!(run.code == Some(1) && run.out.contains("syntax-error") && !run.out.contains("conditional"), "{run:?}");
    let text = folder.read("job.py");
    let above = "        # ranklint: ignore[conditional-collective] -- to be looked at\n        dist.all_reduce(x)\n";
    assert!(text.contains(above), "{text}");
    assert!(
        text.contains("\"\"\" + str(dist.all_reduce(x))  # ranklint: ignore[conditional-collective] -- to be"),
        "{text}"
    );

    folder.file("ranklint.toml", "require-reason = true\n");
    folder.ranklint(&["check", "--add-ignore"]).fails_with(2, &["must say why", "--add-ignore=REASON"]);
    folder.ranklint(&["check", "--isolated", "--add-ignore=a\nb"]).fails_with(2, &["one line"]);
    folder.ranklint(&["check", "--unsafe-fixes"]).fails_with(2, &["--fix"]);
}

const HELPER: &str = "import torch.distributed as dist\n\n\ndef agree(x):\n    return x\n";
const CALLER: &str = "import torch.distributed as dist\nfrom helper import agree\n\n\ndef step(x):\n    if dist.get_rank() == 0:\n        agree(x)\n";

fn git(folder: &Folder, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(folder.path("."))
        .output()
        .expect("git is here");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn only_what_a_change_introduces_is_shown() {
    let folder = Folder::new("diff-base");
    folder.file("helper.py", HELPER).file("caller.py", CALLER).file("old.py", JOB).file("sub/a.py", JOB);
    folder
        .ranklint(&["check", "--isolated", "--diff-base=no-such-commit"])
        .fails_with(2, &["--diff-base no-such-commit"]);
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-qm", "one"]);
    // A helper that communicates now; a file under another name; one that is gone.
    folder.file("helper.py", HELPER.replace("return x", "dist.all_reduce(x)")).file("new.py", JOB);
    fs::remove_file(folder.path("old.py")).expect("it is ours");
    git(&folder, &["add", "-A"]);

    let check = ["check", "--isolated", "--output-format=concise"];
    let all = folder.ranklint(&check);
    assert_eq!(all.out.matches("conditional-collective").count(), 3, "{all:?}");
    let run = folder.ranklint(&[&check[..], &["--diff-base", "HEAD"]].concat());
    assert!(run.code == Some(1) && run.out.contains("caller.py:7"), "{run:?}");
    assert_eq!(run.out.matches("conditional-collective").count(), 1, "{run:?}");
    assert!(run.err.contains("2 findings were there at `HEAD` already"), "{run:?}");
    let inside = folder.inside("sub");
    assert_eq!(inside.ranklint(&[&check[..], &["--diff-base", "HEAD"]].concat()).code, Some(0));
    git(&folder, &["commit", "-qm", "two"]);
    assert_eq!(folder.ranklint(&[&check[..], &["--diff-base", "HEAD"]].concat()).code, Some(0));
    assert_eq!(folder.ranklint(&[&check[..], &["--diff-base", "HEAD~1"]].concat()).code, Some(1));
    for wrong in ["nothing-of-that-name", "--help", "HEAD:helper.py"] {
        let run = folder.ranklint(&[&check[..], &[&format!("--diff-base={wrong}")]].concat());
        run.fails_with(2, &["git knows no such commit"]);
    }
}

#[test]
fn standard_input_is_not_watched() {
    let folder = Folder::new("watch-stdin");
    folder.piped(&["check", "--watch", "-"], "x = 1\n").fails_with(2, &["standard input cannot be watched"]);
}

#[cfg(unix)]
#[test]
fn a_watch_sees_changes_and_ends_on_an_interrupt() {
    use std::io::{BufRead as _, BufReader};
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    let folder = Folder::new("watch");
    folder.file("job.py", "x = 1\n");
    /// Whatever a test comes to, its child ends.
    struct Child(std::process::Child);
    impl Drop for Child {
        fn drop(&mut self) {
            // It has ended already where the test went well.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
    let child = Command::new(env!("CARGO_BIN_EXE_ranklint"))
        .args(["check", "--isolated", "--no-cache", "--output-format=concise", "--watch"])
        .current_dir(folder.path("."))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut child = Child(child);
    let (lines, seen) = channel();
    let out = child.0.stdout.take().expect("it is a pipe");
    let err = child.0.stderr.take().expect("it is a pipe");
    let streams: [Box<dyn std::io::Read + Send>; 2] = [Box::new(out), Box::new(err)];
    for stream in streams {
        let lines = lines.clone();
        std::thread::spawn(move || {
            BufReader::new(stream).lines().map_while(Result::ok).for_each(|line| drop(lines.send(line)));
        });
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    let until = |part: &str| loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let line = seen.recv_timeout(left).unwrap_or_else(|error| panic!("{part}: {error}"));
        if line.contains(part) {
            break;
        }
    };
    until("watching");
    folder.file("job.py", JOB);
    // The two streams have no common order: only one of them is waited for from here on.
    until("conditional-collective");
    folder.file("more.py", JOB);
    until("more.py");
    let id = child.0.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill is here").success());
    let ended = loop {
        match child.0.try_wait().expect("it is our child") {
            Some(status) => break status,
            None if Instant::now() > deadline => panic!("it does not end"),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    assert_eq!(ended.code(), Some(0));
}
