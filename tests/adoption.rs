//! Bringing ranklint into a project: several reports in one run, the baseline.
#![expect(clippy::disallowed_methods, reason = "the tests lay out folders and start the program")]

mod support;

use serde_json::json;

use support::folder::{Folder, JOB, Run};

/// How many findings a report in JSON holds.
fn count(json: &str) -> usize {
    let whole: serde_json::Value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    whole["findings"].as_array().expect("findings are a list").len()
}

fn outcome(run: &Run) -> (Option<i32>, usize) {
    (run.code, count(&run.out))
}

#[test]
fn one_run_writes_several_reports() {
    let folder = Folder::new("outputs");
    folder.file("job.py", JOB);
    let run = folder.ranklint(&[
        "check",
        "--output-format=concise",
        "--color=always",
        "--output=json:all.json",
        "--output",
        "sarif:all.sarif",
        "--output=text:all.txt",
    ]);
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    assert!(run.out.contains("conditional-collective"), "{run:?}");
    assert_eq!(folder.read("all.json"), folder.ranklint(&["check", "--output-format=json"]).out);
    assert_eq!(folder.read("all.sarif"), folder.ranklint(&["check", "--output-format=sarif"]).out);
    assert_eq!(folder.read("all.txt"), folder.ranklint(&["check"]).out, "files hold no colours");
}

#[test]
fn what_is_wrong_with_an_output_is_told() {
    let folder = Folder::new("wrong-outputs");
    folder.file("job.py", JOB);
    let fails = |outputs: &[&str], part: &str| {
        let run = folder.ranklint(&[&["check"], outputs].concat());
        assert!(run.code == Some(2) && run.err.contains(part), "{run:?}");
    };
    fails(&["--output=report.json"], "FORMAT:FILE");
    fails(&["--output=jsn:report"], "`jsn` is no format");
    fails(&["--output=json:"], "names no file");
    fails(&["--output=json:-"], "`--output-format json`");
    fails(&["--output=json:no/such/folder.json"], "cannot write `no/such/folder.json`");
    fails(&["--output=json:a", "--output=sarif:a"], "same file `a`");
}

const CHECK: [&str; 3] = ["check", "--output-format=json", "--baseline=known.json"];

#[test]
fn what_the_baseline_knows_is_not_shown() {
    let folder = Folder::new("baseline");
    folder.file("job.py", JOB);
    folder.ranklint(&CHECK).fails_with(2, &["there is no baseline `known.json`", "--update-baseline"]);

    let update = folder.ranklint(&[&CHECK[..], &["--update-baseline"]].concat());
    assert_eq!(outcome(&update), (Some(0), 0));
    let advice = "help: the key `baseline` in `ranklint.toml` makes every run and the editor honour it\n";
    assert_eq!(update.err, format!("note: the baseline `known.json` knows 1 (1 new, 0 gone)\n{advice}"));
    let again = folder.ranklint(&[&CHECK[..], &["--update-baseline"]].concat());
    assert_eq!(again.err, "note: the baseline `known.json` knows 1 (0 new, 0 gone)\n", "once is enough");
    let kept = folder.read("known.json");
    assert!(kept.contains("\"code\": \"dist.all_reduce(x)\"") && !kept.contains("\"line\""), "{kept}");

    // Lines above and below do not matter; a second finding does.
    folder.file(
        "job.py",
        format!("\n\n# moved\n{JOB}\n\ndef other(x):\n    if dist.get_rank() == 0:\n        dist.barrier()\n"),
    );
    let later = folder.ranklint(&CHECK);
    assert_eq!(outcome(&later), (Some(1), 1));
    assert!(later.out.contains("barrier") && later.out.contains("\"suppressed\": 1"), "{later:?}");
    assert_eq!(folder.read("known.json"), kept, "it is written only when asked");
}

#[test]
fn stale_entries_are_told_and_removed() {
    let folder = Folder::new("stale-baseline");
    folder.file("job.py", JOB).file("gone.py", JOB).file("fine.py", "x = 1\n");
    assert_eq!(folder.ranklint(&[&CHECK[..], &["--update-baseline"]].concat()).code, Some(0));
    let both = folder.read("known.json");
    std::fs::remove_file(folder.path("gone.py")).expect("it can be removed");

    let stale = folder.ranklint(&CHECK);
    assert_eq!(outcome(&stale), (Some(0), 0));
    assert!(stale.err.contains("note: 1 entry of the baseline `known.json` fits nothing any more"), "{stale:?}");

    // Of what a run does not look at, it says nothing, and keeps it.
    folder.file("gone.py", JOB).file("job.py", "x = 1\n");
    for partly in [&["fine.py"][..], &["--select=filesystem"], &["--min-confidence=high", "gone.py"]] {
        assert_eq!(folder.ranklint(&[&CHECK[..], partly].concat()).err, "", "{partly:?}");
    }
    folder.ranklint(&[&CHECK[..], &["--update-baseline", "fine.py"]].concat());
    assert_eq!(folder.read("known.json"), both);
    let update = folder.ranklint(&[&CHECK[..], &["--update-baseline"]].concat());
    assert!(update.err.contains("knows 1 (0 new, 1 gone)"), "{update:?}");
}

#[test]
fn the_configuration_names_the_baseline_for_every_place_a_run_starts_from() {
    let folder = Folder::new("configured-baseline");
    folder.file("ranklint.toml", "baseline = \"known.json\"\n").file("inner/job.py", JOB);
    assert_eq!(folder.ranklint(&["check", "--update-baseline"]).code, Some(0));
    assert_eq!(folder.ranklint(&["check"]).code, Some(0));
    assert_eq!(folder.ranklint(&["check", "inner/job.py"]).code, Some(0));
    let inside = folder.inside("inner");
    assert_eq!(inside.ranklint(&["check"]).code, Some(0), "paths are relative to the baseline's folder");
    assert_eq!(folder.ranklint(&["check", "--isolated"]).code, Some(1));
    folder.ranklint(&["check", "--isolated", "--update-baseline"]).fails_with(2, &["add `--baseline FILE`"]);

    folder.file("known.json", "[]");
    folder.ranklint(&["check"]).fails_with(2, &["`known.json` is no baseline"]);
    folder.file("known.json", "{\"version\": 9, \"findings\": []}");
    folder.ranklint(&["check"]).fails_with(2, &["version 9"]);
}

/// The answer of `hook` to an event.
fn answered(folder: &Folder, event: &serde_json::Value) -> serde_json::Value {
    let run = folder.piped(&["hook"], &event.to_string());
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

#[test]
fn the_hook_judges_the_edited_file_in_its_project() {
    let folder = Folder::new("hook");
    let caller = "import torch.distributed as dist\nfrom pkg.helper import agree\n\n\ndef step(x):\n    \
                  if dist.get_rank() == 0:\n        agree(x)\n";
    let helper = "import torch.distributed as dist\n\n\ndef agree(x):\n    dist.all_reduce(x)\n";
    folder.file("ranklint.toml", "exclude = [\"vendor\"]\n").file("vendor/job.py", JOB).file("notes.md", "# notes\n");
    folder.file("pkg/__init__.py", "").file("pkg/caller.py", caller).file("pkg/helper.py", helper);

    // The collective stands in a file that was not edited.
    let path = folder.path("pkg/caller.py");
    let event = json!({ "cwd": "/", "tool_name": "Edit", "hook_event_name": "PostToolUse", "tool_input": { "file_path": path } });
    let blocked = answered(&folder, &event);
    assert_eq!(blocked["decision"], "block");
    let reason = blocked["reason"].as_str().expect("it says why");
    assert!(reason.contains("pkg/caller.py:7:9 conditional-collective: "), "{reason}");
    let finding = &blocked["findings"][0];
    assert_eq!((&finding["line"], &finding["path"]), (&json!(7), &json!("pkg/caller.py")));
    assert!(finding["help"].as_str().is_some_and(|help| !help.is_empty()), "{finding}");

    let allow = json!({ "decision": "allow" });
    for file in ["pkg/helper.py", "vendor/job.py", "notes.md", "no/such/file.py"] {
        let event = json!({ "cwd": folder.path(""), "tool_input": { "file_path": file } });
        assert_eq!(answered(&folder, &event), allow, "{file}");
    }
    assert_eq!(answered(&folder, &json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } })), allow);
    assert_eq!(answered(&folder, &json!({ "file_path": "pkg/caller.py" }))["decision"], "block");
    let before = json!({ "hook_event_name": "PreToolUse", "tool_input": { "file_path": "pkg/helper.py" } });
    assert_eq!(answered(&folder, &before), json!({}), "whether the tool may run is not for it to say");

    // What is known is let pass.
    folder.file("ranklint.toml", "baseline = \"known.json\"\n");
    assert_eq!(folder.ranklint(&["check", "--update-baseline"]).code, Some(0));
    assert_eq!(answered(&folder, &json!({ "file_path": "pkg/caller.py" })), allow);
}

#[test]
fn an_edit_that_the_hook_cannot_look_at_is_allowed() {
    let folder = Folder::new("hook-malformed");
    folder.file("job.py", JOB).file("ranklint.toml", "");
    let passes = |input: &str, why: &str| {
        let run = folder.piped(&["hook"], input);
        assert_eq!((run.code, run.out.as_str()), (Some(4), "{\"decision\":\"allow\"}\n"), "{run:?}");
        assert!(run.err.contains(why), "{run:?}");
    };
    passes("", "standard input is empty");
    passes("{\"tool_name\":", "it is no JSON");
    passes("[1]", "no object");
    assert_eq!(folder.piped(&["hook"], "{\"cwd\": 3, \"tool_input\": [\"job.py\"]}").out, "{\"decision\":\"allow\"}\n");
    folder.file("ranklint.toml", "colour = 1\n");
    passes("{\"file_path\": \"job.py\"}", "unknown key `colour`");
}

/// A project that compares one test key, reads two, makes a group and wraps a collective.
fn lay_out_project(folder: &Folder) {
    folder.file("acme/__init__.py", "").file(
        "acme/comm.py",
        "import os\n\nimport torch.distributed as dist\n\nTP = dist.new_group([0, 1])\n\n\ndef all_mean(x, group):\n    \
         dist.all_reduce(x, group=group)\n    return x\n\n\ndef check():\n    \
         mine = {\"ACME_TEST_DROP\": os.environ.get(\"ACME_TEST_DROP\")}\n    theirs = [None] * dist.get_world_size()\n    \
         dist.all_gather_object(theirs, mine)\n    assert theirs.count(mine) == len(theirs)\n\n\ndef slow():\n    \
         return os.environ.get(\"ACME_TEST_SLOW\")\n",
    );
    folder.file(
        "acme/losses.py",
        "import torch.distributed as dist\n\n\ndef compare(a, b):\n    both = [None] * 2\n    \
         dist.all_gather_object(both, {\"first\": a, \"second\": b})\n",
    );
    folder.file("ops/add/add_golden.py", "x = 1\n").file("ops/add/add_impl.py", "x = 1\n");
    // What a launcher says is looked at by all ranks, and no setting that they compare; one that stands beside it is.
    folder.file(
        "acme/launched.py",
        "import os\nimport torch.distributed as dist\n\n\ndef look(out):\n    \
         mine = [int(os.environ[\"WORLD_SIZE\"]), os.environ.get(\"LOCAL_RANK\"), os.environ[\"MASTER_ADDR\"]]\n    \
         dist.all_gather_object(out, mine)\n    assert out[0] == mine\n\n\n\
         def both(out):\n    mine = {\"mode\": os.environ[\"ACME_MODE\"], \"size\": os.environ[\"WORLD_SIZE\"]}\n    \
         dist.all_gather_object(out, mine)\n    assert out[0] == mine\n",
    );
}

#[test]
fn init_writes_what_it_detects() {
    let folder = Folder::new("init");
    lay_out_project(&folder);
    let run = folder.ranklint(&["init"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
    assert!(run.out.starts_with("wrote ranklint.toml, from 6 files"), "{run:?}");
    let written = folder.read("ranklint.toml");
    assert!(!written.contains("first, second"), "{written}");
    for key in ["WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR"] {
        assert!(!written.contains(key), "a launcher gives `{key}`:\n{written}");
    }
    for part in [
        "\ntest-keys = [\"ACME_TEST_*\", \"SCOPE_TEST_*\"]\n",
        "#   acme/comm.py:16  ACME_TEST_DROP\n",
        "#   acme/comm.py:21  ACME_TEST_SLOW\n",
        "#   acme/comm.py:5  new_group\n",
        "#   acme/comm.py:9  acme.comm.all_mean issues all_reduce\n",
        "#   ops/add\n",
        "#   acme/launched.py:13  ACME_MODE\n",
    ] {
        assert!(written.contains(part), "`{part}` is missing:\n{written}");
    }
    // What it wrote is a configuration, and so is what stands behind the marks.
    assert_ne!(folder.ranklint(&["check"]).code, Some(2));
    let is_key =
        |line: &str| line.starts_with("# [[") || line.split_once(" = ").is_some_and(|(key, _)| !key[2..].contains(' '));
    let keys: Vec<&str> =
        written.lines().map(|line| if line.starts_with("# ") && is_key(line) { &line[2..] } else { line }).collect();
    let baseline = "{\"version\": 1, \"findings\": []}";
    folder.file("ranklint.toml", keys.join("\n")).file("ranklint-baseline.json", baseline);
    let all = folder.ranklint(&["check"]);
    assert!(all.code != Some(2), "{all:?}\n{}", keys.join("\n"));
}

#[test]
fn init_does_not_overwrite_unless_told() {
    let folder = Folder::new("init-again");
    lay_out_project(&folder);
    folder.file("ranklint.toml", "select = [\"all\"]\n");
    folder.ranklint(&["init"]).fails_with(2, &["there is a `ranklint.toml` already", "--force"]);
    assert_eq!(folder.read("ranklint.toml"), "select = [\"all\"]\n");
    assert_eq!(folder.ranklint(&["init", "--force"]).code, Some(0));
    assert!(folder.read("ranklint.toml").contains("ACME_TEST_*"));

    let other = Folder::new("init-pyproject");
    other.file("pyproject.toml", "[tool.ranklint]\nselect = [\"all\"]\n");
    other.ranklint(&["init"]).fails_with(2, &["`[tool.ranklint]` table already"]);
    other.file("pyproject.toml", "[project]\nname = \"x\"\n").file("broken.py", "def f(:\n");
    assert_eq!(other.ranklint(&["init"]).code, Some(0));
    other.ranklint(&["init", "nowhere"]).fails_with(2, &["there is no folder"]);
}

#[test]
fn completions_and_manual_pages_know_the_commands() {
    let folder = Folder::new("generated");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = folder.ranklint(&["completions", shell]);
        assert!(run.code == Some(0) && run.out.contains("update-baseline"), "{shell}: {run:?}");
    }
    assert!(folder.ranklint(&["man"]).out.contains(".TH ranklint 1"));
    let check = folder.ranklint(&["man", "check"]).out;
    assert!(check.contains(".TH ranklint-check 1") && check.contains("update\\-baseline"), "{check}");
    assert!(folder.ranklint(&["man", "verify", "run"]).out.contains(".TH ranklint-verify-run 1"));
    folder.ranklint(&["man", "chekc"]).fails_with(2, &["there is no command `chekc`"]);
    folder.ranklint(&["completions", "tcsh"]).fails_with(2, &["tcsh"]);
}

#[test]
fn the_version_is_told_to_programs() {
    let folder = Folder::new("version");
    let json = folder.ranklint(&["version", "--json"]);
    let whole: serde_json::Value = serde_json::from_str(&json.out).expect("it is JSON");
    assert_eq!(whole["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(folder.ranklint(&["version", "--output-format=json"]).out, json.out);
    assert_eq!(folder.ranklint(&["version"]).out, format!("ranklint {}\n", env!("CARGO_PKG_VERSION")));
}
