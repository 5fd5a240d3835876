//! What goes wrong around a run: readers that leave, full disks, files that may not be written, repositories that are not whole.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "the tests lay out folders and start the program")]

mod support;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::folder::{Folder, JOB};

const LISTED: &str = "import os\nimport torch.distributed as dist\n\n\ndef f(d, x):\n    for n in os.listdir(d):\n        dist.all_reduce(x[n])\n";
const ALL: [&str; 3] = ["check", "--isolated", "--no-cache"];

fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ranklint"));
    command.args(arguments).current_dir(folder.path(".")).stdin(Stdio::null());
    command
}

fn git(folder: &Folder, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder.path("."))
        .output()
        .expect("git is here");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn committed(folder: &Folder) {
    git(folder, &["init", "-q"]);
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-qm", "one"]);
}

#[test]
fn a_reader_that_leaves_is_no_mistake() {
    let folder = Folder::new("adverse-pipe");
    for at in 0..300 {
        folder.file(&format!("job{at}.py"), JOB);
    }
    for format in ["text", "json", "sarif", "html", "github", "concise"] {
        let mut child = command(&folder, &[&ALL[..], &["--output-format", format]].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut first = [0; 1];
        child.stdout.take().expect("it is a pipe").read_exact(&mut first).expect("it prints something");
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.as_str()), (Some(1), ""), "{format}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_takes_nothing_away() {
    let folder = Folder::new("adverse-full");
    folder.file("job.py", LISTED);
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has one");
    for more in [&["--output-format=text"][..], &["--output-format=json"], &["--statistics"], &["--diff"]] {
        let output = command(&folder, &[&ALL[..], more].concat()).stdout(full()).output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{more:?}: {said}");
        assert!(said.contains("cannot write to standard output: No space left"), "{said}");
    }
    let output = folder.ranklint(&[&ALL[..], &["--output=json:/dev/full"]].concat());
    output.fails_with(2, &["cannot write `/dev/full`: No space left"]);
    assert!(!output.err.contains("help:"), "there is a folder, and it can be written to: {output:?}");
    // Nowhere to complain either.
    let mute = command(&folder, &ALL).stdout(Stdio::piped()).stderr(full()).output().expect("it ends");
    assert_eq!(mute.status.code(), Some(1));
    assert_eq!(folder.read("job.py"), LISTED);
}

#[test]
fn what_may_not_be_written_is_left_and_told() {
    let folder = Folder::new("adverse-read-only");
    folder.file("a.py", LISTED).file("b.py", LISTED).file("c.py", LISTED);
    for locked in ["a.py", "b.py"] {
        fs::set_permissions(folder.path(locked), fs::Permissions::from_mode(0o444)).expect("it is ours");
    }
    let fix = [&ALL[..], &["--fix", "--select=unordered-iteration"]].concat();
    let wanted =
        ["cannot change `a.py`: it is read-only", "cannot change `b.py`: it is read-only", "the other file is"];
    folder.ranklint(&fix).fails_with(2, &wanted);
    assert_eq!((folder.read("a.py"), folder.read("b.py")), (LISTED.to_owned(), LISTED.to_owned()));
    assert!(folder.read("c.py").contains("sorted("), "the others are changed");
    let again = folder.ranklint(&fix);
    assert!(!again.err.contains("the other"), "there was none: {again:?}");
}

#[test]
fn a_file_of_two_names_keeps_both_and_a_linked_baseline_its_link() {
    let folder = Folder::new("adverse-links");
    folder.file("job.py", LISTED).file("kept/known.json", "{\"version\": 1, \"findings\": []}");
    fs::hard_link(folder.path("job.py"), folder.path("same.txt")).expect("it can be made");
    symlink("kept/known.json", folder.path("known.json")).expect("it can be made");
    let before = fs::metadata(folder.path("job.py")).expect("it is there").ino();
    folder.ranklint(&[&ALL[..], &["--fix", "--select=unordered-iteration"]].concat());
    assert_eq!(fs::metadata(folder.path("job.py")).expect("it is there").ino(), before);
    assert_eq!(folder.read("same.txt"), folder.read("job.py"));
    assert!(folder.read("same.txt").contains("sorted("));

    folder.file("other.py", JOB);
    let update = folder.ranklint(&[&ALL[..], &["--baseline=known.json", "--update-baseline", "other.py"]].concat());
    assert!(update.err.contains("knows 1"), "{update:?}");
    assert!(fs::symlink_metadata(folder.path("known.json")).expect("it is there").is_symlink());
    assert!(folder.read("kept/known.json").contains("conditional-collective"));
    let folder_for_one = [&ALL[..], &["--baseline=kept", "--update-baseline"]].concat();
    folder.ranklint(&folder_for_one).fails_with(2, &["the baseline `kept` is a folder"]);
    let left = fs::read_dir(folder.path(".")).expect("it can be listed").map(|entry| entry.expect("it is there"));
    assert!(!left.into_iter().any(|entry| entry.file_name().to_string_lossy().ends_with(".ranklint")));
}

#[test]
fn suppressions_end_their_lines_as_the_file_does() {
    let folder = Folder::new("adverse-line-ends");
    let crlf = format!("\u{feff}{}", JOB.replace('\n', "\r\n"));
    folder.file("crlf.py", &crlf).file("bare.py", JOB.trim_end()).file("old.py", JOB.replace('\n', "\r"));
    let run = folder.ranklint(&["check", "--isolated", "--no-cache", "--add-ignore=seen"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let line = "        # ranklint: ignore[conditional-collective] -- seen";
    assert_eq!(folder.read("crlf.py"), crlf.replace("        dist.all", &format!("{line}\r\n        dist.all")));
    let bare = JOB.trim_end().replace("        dist.all", &format!("{line}\n        dist.all"));
    assert_eq!(folder.read("bare.py"), bare);
    assert!(
        folder.read("old.py").contains(&format!("{line}\r        dist.all")) && !folder.read("old.py").contains('\n')
    );
}

#[test]
fn what_git_cannot_say_is_told_for_what_it_is() {
    let folder = Folder::new("adverse-git");
    folder.file("job.py", JOB);
    let check = [&ALL[..], &["--output-format=concise", "--diff-base=HEAD"]].concat();
    committed(&folder);
    let asked = |more: &[(&str, &str)]| {
        let output = command(&folder, &check).envs(more.iter().copied()).output().expect("it ends");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = asked(&[("PATH", "/nowhere")]);
    assert!(code == Some(2) && said.contains("`--diff-base HEAD`: git cannot be started"), "{said}");
    assert!(said.contains("help: install git"), "{said}");
    let (code, said) = asked(&[("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1"), ("HOME", "/nowhere")]);
    assert!(code == Some(2) && said.contains("somebody else owns") && said.contains("safe.directory"), "{said}");
    let (code, said) = asked(&[]);
    assert_eq!((code, said.as_str()), (Some(0), "note: 1 finding was there at `HEAD` already\n"));
}

#[test]
fn a_shallow_clone_is_compared_with_what_it_has() {
    let folder = Folder::new("adverse-shallow");
    let origin = folder.inside("origin");
    origin.file("job.py", JOB);
    committed(&origin);
    git(&origin, &["checkout", "-qb", "topic"]);
    origin.file("more.py", JOB);
    git(&origin, &["add", "-A"]);
    git(&origin, &["commit", "-qm", "two"]);
    let url = format!("file://{}", origin.path("").display());
    git(
        &folder,
        &["clone", "-q", "--depth=1", "--no-single-branch", "--branch=topic", url.trim_end_matches('/'), "clone"],
    );
    let clone = folder.inside("clone");
    let run = clone.ranklint(&[&ALL[..], &["--output-format=concise", "--diff-base=origin/main"]].concat());
    assert!(run.code == Some(1) && run.out.contains("more.py:6") && !run.out.contains("job.py"), "{run:?}");
    assert!(run.err.contains("where the branch left `origin/main` is not known here"), "{run:?}");
    assert!(run.err.contains("fetch-depth: 0"), "{run:?}");
}

#[test]
fn what_was_in_a_submodule_then_is_not_new() {
    let folder = Folder::new("adverse-submodule");
    let (inner, outer) = (folder.inside("inner"), folder.inside("outer"));
    inner.file("deep/job.py", JOB);
    committed(&inner);
    outer.file("pkg/own.py", JOB);
    git(&outer, &["init", "-q"]);
    let url = inner.path("").display().to_string();
    git(&outer, &["submodule", "--quiet", "add", url.trim_end_matches('/'), "pkg/sub"]);
    git(&outer, &["add", "-A"]);
    git(&outer, &["commit", "-qm", "one"]);
    outer.file("pkg/sub/new.py", JOB);
    for start in [outer.inside("."), outer.inside("pkg")] {
        let run = start.ranklint(&[&ALL[..], &["--output-format=concise", "--diff-base=HEAD"]].concat());
        assert!(run.code == Some(1) && run.out.contains("sub/new.py:6"), "{run:?}");
        assert!(run.err.contains("2 findings were there"), "{run:?}");
    }
    // Not fetched: what lies there now is all that is known.
    fs::remove_dir_all(outer.path("pkg/sub")).expect("it is ours");
    let run = outer.ranklint(&[&ALL[..], &["--output-format=concise", "--diff-base=HEAD"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
}

/// A watch, with everything that it prints read elsewhere but its first line.
fn watch(folder: &Path) -> (std::process::Child, BufReader<std::process::ChildStdout>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ranklint"))
        .args([&ALL[..], &["--output-format=concise", "--watch"]].concat())
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut out = BufReader::new(child.stdout.take().expect("it is a pipe"));
    let mut line = String::new();
    out.read_line(&mut line).expect("it looks once");
    assert!(line.contains("job.py"), "{line}");
    (child, out)
}

fn end_of(mut child: std::process::Child) -> Option<i32> {
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().expect("it is our child") {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().and_then(|()| child.wait()).expect("it is our child");
    panic!("it does not end");
}

#[test]
fn a_watch_ends_when_nobody_reads_and_when_its_folder_is_gone() {
    let folder = Folder::new("adverse-watch");
    folder.file("unread/job.py", JOB).file("gone/job.py", JOB);
    let (child, out) = watch(&folder.path("unread"));
    drop(out);
    // Longer than what the first look printed: the pipe is closed, and the next look notices.
    folder.file("unread/more.py", JOB);
    assert_eq!(end_of(child), Some(0));
    let (child, _out) = watch(&folder.path("gone"));
    fs::remove_dir_all(folder.path("gone")).expect("it is ours");
    assert_eq!(end_of(child), Some(2));
}
