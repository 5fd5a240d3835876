//! The command line from outside: bad input, exit codes, suppressions, configuration, determinism.
#![expect(clippy::disallowed_methods, reason = "the tests lay out folders and start the program")]

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

/// A folder of its own for one test, below cargo's folder for such things.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name);
        if path.exists() {
            std::fs::remove_dir_all(&path).expect("left over from an earlier run");
        }
        std::fs::create_dir_all(&path).expect("cargo's folder can be written to");
        Folder(path)
    }

    /// A folder of `testdata/cli`, which the test only reads.
    fn of_testdata(name: &str) -> Folder {
        Folder(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli").join(name))
    }

    fn file(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("it can be made");
        std::fs::write(path, content).expect("it can be written");
        self
    }

    /// The user's cache folder, as the program sees it.
    fn cache(&self) -> PathBuf {
        let place = self.0.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&self.0);
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache").join(place.to_string_lossy().replace('/', "-"))
    }

    fn ranklint(&self, arguments: &[&str]) -> Run {
        self.piped(arguments, "")
    }

    fn piped(&self, arguments: &[&str], input: &str) -> Run {
        let output = Command::new(env!("CARGO_BIN_EXE_ranklint"))
            .current_dir(&self.0)
            .env_remove("FORCE_COLOR")
            .env("XDG_CACHE_HOME", self.cache())
            .args(arguments)
            .write_stdin(input)
            .output()
            .expect("the program starts");
        Run::of(output)
    }

    /// Findings of `check` as `path:line rule`.
    fn findings(&self, arguments: &[&str]) -> Vec<String> {
        let run = self.ranklint(&[&["check", "--output-format", "json"], arguments].concat());
        let whole: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
        whole["findings"]
            .as_array()
            .expect("findings are a list")
            .iter()
            .map(|finding| {
                let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
                format!("{}:{} {}", text("path"), finding["line"], text("rule"))
            })
            .collect()
    }
}

#[derive(Debug)]
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Run {
    fn of(output: Output) -> Run {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints UTF-8");
        Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    fn fails_with(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is missing: {}", self.err);
        }
    }
}

#[test]
fn clean_files_are_clean() {
    let folder = Folder::new("clean");
    folder
        .file("a.py", "x = 1\n")
        .file("empty.py", "")
        .file("run.sh", "echo done\n")
        .file("mark.py", "\u{feff}x = 1\n");
    folder.file("latin.py", b"# coding: latin-1\nx = '\xe9'\n");
    let run = folder.ranklint(&["check"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
}

#[test]
fn what_cannot_be_read_is_one_finding_and_harms_nothing_else() {
    let folder = Folder::new("unreadable");
    folder
        .file("a.py", "x = 1\n")
        .file("bytes.py", b"x = '\xff'\n")
        .file("broken.py", "def f(:\n")
        .file("dir.py/in.py", "y = 1\n");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere.py", folder.0.join("dangling.py")).expect("a link");
        std::os::unix::fs::symlink("loop.py", folder.0.join("loop.py")).expect("a link");
        std::os::unix::fs::symlink(".", folder.0.join("again")).expect("a link");
        std::os::unix::fs::symlink("dir.py", folder.0.join("link")).expect("a link");
    }
    let mut expected = vec!["broken.py:1 syntax-error", "bytes.py:1 unreadable-file"];
    if cfg!(unix) {
        expected.extend(["dangling.py:1 unreadable-file", "loop.py:1 unreadable-file"]);
    }
    assert_eq!(folder.findings(&[]), expected);
    assert_eq!(folder.ranklint(&["check"]).code, Some(1));
    assert_eq!(folder.ranklint(&["check", "--exit-zero"]).code, Some(0));
    assert_eq!(folder.ranklint(&["check", "link"]).err, "", "a link given by name is followed");
    assert_eq!(folder.ranklint(&["check", "--select", "filesystem", "a.py", "dir.py"]).code, Some(0));
    assert!(folder.ranklint(&["check", "bytes.py"]).out.contains("offset 5 (line 1)"));
    assert_eq!(folder.findings(&["--ignore", "syntax-error,unreadable-file"]), Vec::<String>::new());
}

#[test]
fn deep_and_long_files_do_not_overflow() {
    let folder = Folder::new("deep");
    folder.file("parentheses.py", format!("x = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000)));
    folder.file("sum.py", format!("x = a{}\n", " + a".repeat(10_000)));
    folder.file("attributes.py", format!("x = a{}\n", ".b()[0]".repeat(10_000)));
    folder.file("lambdas.py", format!("x = {}1\n", "lambda: ".repeat(10_000)));
    folder.file("ternaries.py", format!("x = {}1\n", "a if b else ".repeat(10_000)));
    folder.file("elif.py", format!("if a:\n    pass\n{}", "elif b:\n    pass\n".repeat(10_000)));
    let ifs: String = (0..5_000).map(|depth| format!("{}if a:\n", " ".repeat(depth))).collect();
    folder.file("ifs.py", format!("{ifs}{}pass\n", " ".repeat(5_000)));
    folder.file("long.py", "x = 1\n".repeat(100_000));
    let run = folder.ranklint(&["check"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
    folder.file("absurd.py", format!("x = a{}\n", " + a".repeat(1_000_000)));
    assert_eq!(folder.findings(&[]), ["absurd.py:1 syntax-error"]);
}

#[test]
fn a_missing_path_is_named_with_a_suggestion() {
    let folder = Folder::new("missing");
    folder.file("train/step.py", "x = 1\n");
    folder.ranklint(&["check", "trian/step.py"]).fails_with(2, &["`trian/step.py`", "did you mean `train/step.py`?"]);
    folder.ranklint(&["check", "train/stop.py"]).fails_with(2, &["did you mean `train/step.py`?"]);
    folder.ranklint(&["check", "train/zzzz.py"]).fails_with(2, &["`train` exists"]);
}

#[test]
fn an_unknown_rule_is_named_with_a_suggestion() {
    let folder = Folder::new("unknown-rule");
    let meant = "did you mean `unused-ignore`?";
    folder.ranklint(&["check", "--select", "unused_ignor"]).fails_with(2, &["--select", "`unused_ignor`", meant]);
    folder.ranklint(&["check", "--ignore", "unsed-ignore"]).fails_with(2, &["--ignore", meant]);
    folder.ranklint(&["explain", "unused-ignores"]).fails_with(2, &[meant]);
    folder.ranklint(&["check", "--no-such-option"]).fails_with(2, &["--no-such-option"]);
    folder.ranklint(&["check", "--output-format", "jsn"]).fails_with(2, &["json"]);
}

#[test]
fn mistakes_in_the_configuration_have_a_place_and_a_suggestion() {
    let folder = Folder::new("configuration");
    folder.file("a.py", "x = 1\n");
    let check = |text: &str, parts: &[&str]| {
        folder.file("ranklint.toml", text);
        folder.ranklint(&["check"]).fails_with(2, parts);
    };
    check("select = [\"all\"\nignore = 1\n", &["ranklint.toml:2:1"]);
    check("# one\nselct = [\"all\"]\n", &["ranklint.toml:2:1: unknown key `selct`", "2 | selct", "^^^^^", "`select`?"]);
    check("select = \"all\"\n", &["ranklint.toml:1:10", "sequence"]);
    check("select = [\"all\", \"unused-ignor\"]\n", &["ranklint.toml:1:18: `unused-ignor`", "`unused-ignore`?"]);
    check("[per-file-ignores]\n\"a/*.py\" = [\"mta\"]\n", &["ranklint.toml:2:13: `mta`", "`meta`?"]);
    check("[per-file-ignores]\n\"a/[.py\" = [\"meta\"]\n", &["ranklint.toml:2:1", "no path pattern"]);
    check("min-confidence = \"mid\"\n", &["ranklint.toml:1:18: unknown value `mid`"]);
    check("[[allowed-writes]]\npath = \"/dev/shm\"\n", &["ranklint.toml:1:1", "reason"]);
    check("[[allowed-writes]]\npath = \"/dev/shm\"\nreason = \" \"\n", &["ranklint.toml:3:10", "`reason`"]);
    check("extend = \"base.toml\"\n", &["ranklint.toml:1:10", "`base.toml`"]);
    check("extend = \"ranklint.toml\"\n", &["ranklint.toml:1:10", "leads back"]);
    check("[[models.colective]]\nname = \"x\"\n", &["ranklint.toml:1:10", "colective"]);
    folder.ranklint(&["check", "--config", "none.toml"]).fails_with(2, &["none.toml: there is no such file"]);
    assert_eq!(folder.ranklint(&["check", "--isolated"]).code, Some(0));
}

#[test]
fn the_nearest_configuration_holds() {
    let folder = Folder::new("nearest");
    let bad = "def f(:\n";
    folder
        .file("pyproject.toml", "[tool.ranklint]\nignore = [\"syntax-error\"]\n")
        .file("a.py", bad)
        .file("sub/a.py", bad);
    folder
        .file("sub/ranklint.toml", "exclude = [\"gen\"]\n")
        .file("sub/gen/b.py", bad)
        .file("sub/pyproject.toml", "[tool.black]\n");
    assert_eq!(folder.findings(&["."]), Vec::<String>::new());
    assert_eq!(folder.findings(&["sub"]), ["sub/a.py:1 syntax-error"]);
    assert_eq!(
        folder.findings(&["sub/a.py", "sub/gen/b.py"]),
        ["sub/a.py:1 syntax-error", "sub/gen/b.py:1 syntax-error"]
    );
    assert_eq!(folder.findings(&["--force-exclude", "sub/a.py", "sub/gen/b.py"]), ["sub/a.py:1 syntax-error"]);
    folder.file("sub/ranklint.toml", "extend = \"../pyproject.toml\"\n");
    assert_eq!(folder.findings(&["sub"]), Vec::<String>::new());
    folder.file("sub/ranklint.toml", "[per-file-ignores]\n\"gen\" = [\"syntax-error\"]\n");
    assert_eq!(folder.findings(&["sub"]), ["sub/a.py:1 syntax-error"]);
    folder.file("sub/ranklint.toml", "include = [\"gen/*.py\"]\n");
    assert_eq!(folder.findings(&["sub"]), ["sub/gen/b.py:1 syntax-error"]);
    assert_eq!(folder.findings(&["sub", "--min-severity", "error", "--ignore", "meta"]).len(), 1, "by name only");
}

#[test]
fn ignored_and_hidden_files_are_passed_over_unless_named() {
    let folder = Folder::new("walk");
    let bad = "def f(:\n";
    folder.file(".gitignore", "out/\n").file("out/a.py", bad).file(".hidden/a.py", bad).file(".venv/a.py", bad);
    folder
        .file("node_modules/a.py", bad)
        .file("lib/site-packages/a.py", bad)
        .file("dist/a.py", bad)
        .file("notes.txt", bad);
    assert_eq!(folder.findings(&[]), ["dist/a.py:1 syntax-error"]);
    assert_eq!(folder.findings(&["out/a.py", "notes.txt"]), ["notes.txt:1 syntax-error", "out/a.py:1 syntax-error"]);
    assert_eq!(folder.findings(&[".venv", "./.venv/../.venv/a.py"]), [".venv/a.py:1 syntax-error"]);
    folder.file("ranklint.toml", "respect-gitignore = false\n");
    assert_eq!(folder.findings(&[]), ["dist/a.py:1 syntax-error", "out/a.py:1 syntax-error"]);
}

#[test]
fn suppressions_work_and_are_judged() {
    let folder = Folder::of_testdata("suppressions/work");
    assert_eq!(folder.findings(&[]), Vec::<String>::new());
    let summary: Value =
        serde_json::from_str(&folder.ranklint(&["check", "--output-format", "json"]).out).expect("JSON");
    assert_eq!(summary["summary"]["suppressed"], 4);

    let folder = Folder::of_testdata("suppressions/wrong");
    let expected = [
        "bare.py:1 bare-ignore",
        "bare.py:2 syntax-error",
        "closed.py:1 unused-ignore",
        "closed.py:4 syntax-error",
        "string.py:2 syntax-error",
        "typo.py:1 unused-ignore",
        "typo.py:1 unknown-rule-in-ignore",
        "unused.sh:1 unused-ignore",
        "verb.py:1 bare-ignore",
    ];
    assert_eq!(folder.findings(&[]), expected);
    assert_eq!(folder.findings(&["--select", "filesystem", "unused.sh", "typo.py"]), Vec::<String>::new());
    assert!(folder.ranklint(&["check", "typo.py"]).out.contains("did you mean `syntax-error`?"));
}

#[test]
fn reasons_can_be_required() {
    let folder = Folder::new("reasons");
    folder.file("ranklint.toml", "require-reason = true\n");
    folder.file("a.py", "def f(: # ranklint: ignore[syntax-error]\n");
    folder.file("b.py", "def f(: # ranklint: ignore[syntax-error] -- a template\n");
    assert_eq!(folder.findings(&[]), ["a.py:1 missing-reason"]);
}

#[test]
fn standard_input_has_a_name() {
    let folder = Folder::new("stdin");
    folder.file("sub/ranklint.toml", "ignore = [\"syntax-error\"]\n");
    let run = |arguments: &[&str]| folder.piped(arguments, "def f(:\n");
    let named = run(&["check", "--output-format", "concise", "--stdin-filename", "x/y.py"]);
    assert!(named.out.starts_with("x/y.py:1:"), "{named:?}");
    assert_eq!(run(&["check", "--stdin-filename", "sub/y.py", "-"]).code, Some(0));
    assert_eq!(run(&["check", "-"]).code, Some(1));
}

#[test]
fn one_thread_and_many_print_the_same_bytes() {
    let folder = Folder::new("determinism");
    for number in 0..60 {
        let body = ["x = 1\n", "def f(:\n", "x = 1  # ranklint: ignore[meta]\n", "if rank == 0:\n    dist.barrier()\n"];
        folder.file(&format!("p{}/m{number}.py", number % 7), body[number % 4]);
    }
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let testdata = testdata.to_string_lossy();
    for format in ["json", "concise"] {
        let run = |jobs: &str| {
            let arguments = ["check", "--output-format", format, "--isolated", "--min-confidence", "low", "--no-cache"];
            folder.ranklint(&[&arguments[..], &["-j", jobs, ".", &*testdata]].concat())
        };
        let (one, many) = (run("1"), run("8"));
        assert_eq!((&one.out, one.code), (&many.out, many.code));
        assert!(one.out.contains("syntax-error"));
        assert_eq!(run("8").out, many.out);
    }
}

#[test]
fn a_kept_result_prints_the_same_bytes() {
    let folder = Folder::new("cache");
    folder.file("a.py", "def f(:\n").file("b.py", "x = 1 # ranklint: ignore[meta]\n").file("c.py", b"\xff");
    if folder.cache().exists() {
        std::fs::remove_dir_all(folder.cache()).expect("left over from an earlier run");
    }
    for format in ["text", "concise", "json"] {
        let run = |more: &[&str]| folder.ranklint(&[&["check", "--output-format", format], more].concat());
        let (fresh, first, second) = (run(&["--no-cache"]), run(&[]), run(&[]));
        assert_eq!((&fresh.out, fresh.code), (&first.out, first.code));
        assert_eq!((&fresh.out, fresh.code), (&second.out, second.code));
    }
    let kept: Vec<PathBuf> = std::fs::read_dir(folder.cache().join("ranklint/results"))
        .expect("results are kept in the user's cache folder")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    assert_eq!(kept.len(), 1, "one result, whatever the format");
    std::fs::write(&kept[0], "damaged").expect("it can be written");
    assert_eq!(folder.findings(&[]).len(), 3);
    folder.file("a.py", "x = 1\n");
    assert_eq!(folder.findings(&[]).len(), 2);
    assert_eq!(folder.findings(&["--ignore", "unused-ignore"]).len(), 1);
}

#[test]
fn rules_are_listed_and_explained() {
    let folder = Folder::new("rules");
    let list: Value = serde_json::from_str(&folder.ranklint(&["rules", "--output-format", "json"]).out).expect("JSON");
    for rule in list["rules"].as_array().expect("a list") {
        let name = rule["name"].as_str().expect("a name");
        let page = folder.ranklint(&["explain", name]);
        assert_eq!(page.code, Some(0));
        assert!(page.out.starts_with('#'), "{name} has no page");
        assert!(folder.ranklint(&["rules"]).out.contains(name));
    }
    assert!(folder.ranklint(&["explain", "meta"]).out.contains("# unused-ignore"));
    assert!(folder.ranklint(&["version"]).out.starts_with("ranklint "));
}

#[test]
fn statistics_count_by_rule() {
    let folder = Folder::new("statistics");
    folder.file("a.py", "def f(:\n").file("b.py", "def f(:\n").file("c.py", b"\xff");
    let run = folder.ranklint(&["check", "--statistics"]);
    assert_eq!(run.out, "2  syntax-error\n1  unreadable-file\n");
    assert_eq!(run.code, Some(1));
}

/// Two writes go wrong by one constant: people are told once, tools of both, and a comment on one of them silences that one.
#[test]
fn what_has_one_cause_is_told_once() {
    let folder = Folder::new("one-cause");
    let line = "    open(f\"{OUT}/{name}\", \"w\").close()";
    let text = |second: &str| format!("OUT = \"/tmp/out\"\n\n\ndef f(name):\n{line}\n{line}{second}\n");
    folder.file("a.py", text(""));
    for format in ["text", "concise", "github"] {
        let run = folder.ranklint(&["check", "--output-format", format]);
        assert_eq!(run.out.matches("writes to `/tmp/out/").count(), 1, "{format}: {run:?}");
        assert_eq!(run.out.matches("(and 1 more like it)").count(), 1, "{format}: {run:?}");
        assert!(run.out.contains("2 findings"), "{format}: {run:?}");
    }
    assert_eq!(folder.findings(&[]), ["a.py:5 write-outside-workdir", "a.py:6 write-outside-workdir"]);
    folder.file("a.py", text("  # ranklint: ignore[write-outside-workdir] -- read by hand"));
    let run = folder.ranklint(&["check", "--output-format", "concise"]);
    assert!(run.out.starts_with("a.py:5:") && !run.out.contains("more like it"), "{run:?}");
}

/// A script in one folder shows that several ranks run a helper in another one, where both are parts of one project.
#[test]
fn folders_of_a_project_are_looked_at_together() {
    let folder = Folder::new("project");
    let helper = ["import os", "", "def prepare(path):", "    if not os.path.exists(path):", "        os.mkdir(path)"];
    let script = [
        "import torch.distributed as dist",
        "from helpers.files import prepare",
        "",
        "def main(args):",
        "    dist.init_process_group(\"nccl\")",
        "    prepare(args.output)",
        "    dist.barrier()",
    ];
    folder.file("helpers/__init__.py", "").file("helpers/files.py", helper.join("\n"));
    folder.file("scripts/train.py", script.join("\n"));
    assert_eq!(folder.findings(&[]), Vec::<String>::new());
    folder.file("setup.cfg", "");
    assert_eq!(folder.findings(&[]), ["helpers/files.py:5 file-race"]);
}

/// What an import asks for that is not there ends it, and what comes after: unless git may not have fetched it.
#[test]
fn what_git_has_not_fetched_may_be_there() {
    let folder = Folder::new("unfetched");
    let lines = [
        "import torch.distributed as dist",
        "",
        "def f(x, stages):",
        "    group = dist.group.WORLD",
        "    if stages:",
        "        from kit.grid.rows import get_tensor_parallel_group",
        "        group = get_tensor_parallel_group()",
        "    dist.broadcast(x, src=0, group=group)",
    ];
    folder.file("kit/__init__.py", "").file("kit/grid/__init__.py", "").file("kit/send.py", lines.join("\n"));
    assert_eq!(folder.findings(&[]), Vec::<String>::new());
    folder.file(".gitmodules", "[submodule \"rows\"]\n\tpath = kit/grid/rows\n\turl = ../rows.git\n");
    assert_eq!(folder.findings(&[]), ["kit/send.py:8 wrong-root"]);
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let folder = Folder::new("pipe");
    for number in 0..3000 {
        folder.file(&format!("m{number}.py"), "def f(:\n");
    }
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_ranklint"))
        .current_dir(&folder.0)
        .args(["check", "--no-cache", "--output-format", "json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let run = Run::of(child.wait_with_output().expect("it ends"));
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
}

#[test]
fn the_schema_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ranklint.schema.json");
    let fresh = ranklint::config::schema();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).expect("the schema can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == fresh, "ranklint.schema.json is stale: run this test with UPDATE=1");
    assert_eq!(Folder::new("schema").ranklint(&["config-schema"]).out, fresh);
}

#[test]
fn mistakes_in_own_models_keep_their_place() {
    let folder = Folder::new("models");
    folder.file("a.py", "x = 1\n");
    folder.file("pyproject.toml", "[project]\nname = \"x\"\n\n[[tool.ranklint.models.colective]]\nname = \"x\"\n");
    folder.ranklint(&["check"]).fails_with(2, &["pyproject.toml:4:", "colective", "did you mean `collective`?"]);
    folder.file("pyproject.toml", "[[tool.ranklint.models.exit]]\nnames = [\"mine.abort\"]\n");
    let run = folder.ranklint(&["check"]);
    assert!(run.code == Some(0) || run.err.contains("pyproject.toml:"), "{run:?}");
}

#[test]
fn what_a_function_issues_is_drawn() {
    let folder = Folder::new("graph");
    let text = "import torch.distributed as dist\n\n\ndef sync(t, steps):\n    for _ in range(steps):\n        dist.all_reduce(t)\n\n\n\
        def save(t):\n    rank = dist.get_rank()\n    if rank == 0:\n        dist.broadcast(t, src=0)\n    sync(t, 3)\n";
    folder.file("train.py", text);
    let run = folder.ranklint(&["graph", "train.save"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let parts = [
        "train.save (train.py:9)\n",
        "\n  if `rank == 0` (train.py:11): differs between ranks, ",
        "\n    broadcast on WORLD, root 0 (train.py:12)\n",
        "\n  call sync (train.py:13)\n",
        "(train.py:5): the same on every rank\n      all_reduce on WORLD (train.py:6)\n",
    ];
    for part in parts {
        assert!(run.out.contains(part), "`{part}` is missing: {}", run.out);
    }
    assert_eq!(folder.ranklint(&["graph", "train.py::save"]).out, run.out);
    assert_eq!(folder.ranklint(&["graph", "save", "train.py"]).out, run.out);
    folder.file("jobs/main.py", "import torch.distributed as dist\n\nif dist.get_rank() == 0:\n    dist.barrier()\n");
    let top = folder.ranklint(&["graph", "main.py"]);
    assert!(top.out.starts_with("main (jobs/main.py:1)\n  if `dist.get_rank() == 0` "), "{top:?}");
    assert_eq!(folder.ranklint(&["graph", "ain.py"]).code, Some(2), "a path ends at a folder");
    folder.file("main.py", "import torch.distributed as dist\n\ndist.barrier()\n");
    assert!(folder.ranklint(&["graph", "main.py"]).out.starts_with("main (main.py:1)\n  barrier on WORLD "));
    let cut = folder.ranklint(&["graph", "--lines", "1", "jobs/main.py"]);
    assert_eq!(cut.out, "main (jobs/main.py:1)\n  … and more\n");
    folder.ranklint(&["graph", "train.saev"]).fails_with(2, &["`train.saev`", "did you mean `train.save`?"]);
}

#[test]
fn a_call_of_one_of_many_unknown_things_is_one_question() {
    let folder = Folder::new("many");
    let text = "import torch.distributed as dist\n\n\ndef encode(encoder, x):\n    dist.barrier()\n    return encoder(x)\n\n\n\
        def train(cfg, x, a, b, c, d):\n    encoder = a\n    if cfg.second:\n        encoder = b\n    if cfg.third:\n        encoder = c\n\
        \x20   if cfg.fourth:\n        encoder = d\n    encode(encoder, x)\n\n\n\
        def either(cfg, x, a, b):\n    encode(a if cfg.first else b, x)\n";
    folder.file("job.py", text);
    let asked = |function: &str| folder.ranklint(&["graph", function]).out.matches("which the caller knows").count();
    assert_eq!((asked("job.train"), asked("job.either")), (1, 2));
}

#[test]
fn a_difference_is_explained_by_the_condition_that_a_variable_was_set_under() {
    let folder = Folder::new("set-apart");
    let trainer = "import os

import torch.distributed as dist


class Trainer:
    def __init__(self):
        self.start = 0

    def resume(self, checkpoint, rank):
        if rank == 0:
            self.start = checkpoint[\"epoch\"]

    def fit(self, checkpoint, t):
        self.resume(checkpoint, int(os.environ[\"RANK\"]))
        for _ in range(self.start, 9):
            dist.all_reduce(t)


def shares(t):
    rank = dist.get_rank()
    turns = 3 if rank else 4
    for _ in range(turns):
        dist.all_reduce(t)


def in_one_place(t):
    if dist.get_rank() == 0:
        dist.all_reduce(t)
";
    folder.file("job.py", trainer);
    let run = folder.ranklint(&["check", "--no-cache", "--select", "collectives", "--output-format", "json", "."]);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("a report");
    let said = |line: u64| {
        let findings = report["findings"].as_array().expect("findings");
        let finding = findings.iter().find(|finding| finding["line"] == line).expect("a finding at the line");
        let related = finding["related"].as_array().expect("places").iter();
        let apart =
            related.filter(|place| place["message"].as_str().is_some_and(|text| text.starts_with("here ranks")));
        let apart =
            apart.map(|place| (place["line"].as_u64().expect("a line"), place["message"].as_str().expect("words")));
        apart.collect::<Vec<_>>()
    };
    assert_eq!(said(17), [(11, "here ranks come to different values of `self.start`")]);
    assert_eq!(said(24), [(22, "here ranks come to different values")]);
    assert_eq!(said(29), []);
}

#[test]
fn an_exit_is_shown_where_its_condition_does_not_show_it() {
    let folder = Folder::new("exits");
    let head = "import torch.distributed as dist\n\n\n";
    let far = "def far(path, t):\n    if dist.get_rank() == 0:\n        names = sorted(path.iterdir())\n        \
        print(names)\n        if not names:\n            return\n    dist.all_reduce(t)\n";
    let near =
        "\n\ndef near(t):\n    if dist.get_rank() == 0:\n        print(t)\n        return\n    dist.all_reduce(t)\n";
    folder.file("job.py", [head, far, near].concat());
    let run =
        folder.ranklint(&["check", "--no-cache", "--select", "divergent-early-exit", "--output-format", "json", "."]);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("a report");
    let exits = |line: u64| {
        let findings = report["findings"].as_array().expect("findings");
        let finding = findings.iter().find(|finding| finding["line"] == line).expect("a finding at the line");
        let related = finding["related"].as_array().expect("places").iter();
        let exits = related.filter(|place| place["message"] == "and this is where it leaves");
        exits.map(|place| place["line"].as_u64().expect("a line")).collect::<Vec<_>>()
    };
    assert_eq!(exits(10), [9]);
    assert!(exits(17).is_empty());
}

#[test]
fn a_call_that_decides_by_failing_says_why_it_may_fail_on_one_rank() {
    let folder = Folder::new("failing");
    let program = "import torch
import torch.distributed as dist


def step(model, batch):
    try:
        model(batch).backward()
    except torch.cuda.OutOfMemoryError:
        return None
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
";
    folder.file("job.py", program);
    let run =
        folder.ranklint(&["check", "--no-cache", "--select", "divergent-early-exit", "--output-format", "json", "."]);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("a report");
    let [finding] = &report["findings"].as_array().expect("findings")[..] else { panic!("{run:?}") };
    let related = finding["related"].as_array().expect("places").iter();
    let said: Vec<(u64, &str)> = related
        .map(|place| (place["line"].as_u64().expect("a line"), place["message"].as_str().expect("words")))
        .collect();
    assert!(said.contains(&(7, "memory may run out on one rank alone")), "{said:?}");
}

#[test]
fn a_difference_is_explained_by_the_variable_that_was_asked() {
    let folder = Folder::new("explained");
    let reads = |name: &str| format!("{name} = int(os.getenv(\"{name}\", -1))\n");
    let waits = |name: &str| format!("\n\ndef wait_{name}():\n    if {name} == 0:\n        dist.barrier()\n");
    let head = "import os\n\nimport torch.distributed as dist\n\n";
    let whole = [head, &reads("LOCAL_RANK"), &reads("RANK"), &waits("RANK"), &waits("LOCAL_RANK")].concat();
    folder.file("job.py", whole);
    let run = folder.ranklint(&["check", "--no-cache", "--select", "conditional-collective", "."]);
    let said: Vec<&str> = run.out.lines().filter(|line| line.contains("is set by the launcher")).collect();
    assert_eq!(said.len(), 2, "{run:?}");
    assert!(said[0].contains("`RANK`") && said[1].contains("`LOCAL_RANK`"), "{run:?}");
}

#[test]
fn the_rank_within_the_node_is_right_where_the_description_launches_on_one() {
    let job = "\
import os

import torch.distributed as dist

rank = int(os.environ[\"LOCAL_RANK\"])
dist.init_process_group(\"nccl\", rank=rank, world_size=int(os.environ[\"WORLD_SIZE\"]))
";
    let folder = Folder::new("launched-on-one-node");
    folder.file("job.py", job);
    assert_eq!(folder.findings(&["."]), ["job.py:6 rank-local-identity"]);
    folder.file("README.md", "Run `torchrun --nproc_per_node 8 job.py`.\n");
    assert_eq!(folder.findings(&["."]), ["job.py:6 rank-local-identity"]);
    folder.file("README.md", "Run `torchrun --nproc_per_node 8 --nnodes 1 job.py`.\n");
    assert!(folder.findings(&["."]).is_empty());
    // The scripts beside it say so too, each of them, whatever they wrap over lines.
    folder.file("README.md", "A job.\n");
    folder.file("scripts/train.sh", "torchrun --nproc_per_node 8 \\\n  --master_addr localhost \\\n  job.py\n");
    assert!(folder.findings(&["."]).is_empty());
    folder.file("scripts/wide.sh", "torchrun --nproc_per_node 8 --nnodes 2 job.py\n");
    assert_eq!(folder.findings(&["."]), ["job.py:6 rank-local-identity"]);
}

#[test]
fn a_race_two_calls_away_shows_both_of_them() {
    let folder = Folder::new("race-two-calls-away");
    let head = "import torch.distributed as dist\nfrom torchvision.datasets import CIFAR10\n";
    let opens = "\n\ndef opened(root):\n    return CIFAR10(root, download=True)\n";
    let chooses = "\n\ndef chosen(root):\n    return opened(root)\n";
    let trains = "\n\ndef train(root):\n    print(dist.get_rank())\n    dist.all_reduce(chosen(root))\n";
    folder.file("job.py", [head, opens, chooses, trains].concat());
    let run = folder.ranklint(&["check", "--no-cache", "--select", "write-race", "."]);
    for called in ["opened", "chosen"] {
        assert!(run.out.contains(&format!("`{called}` is called on every rank")), "{run:?}");
    }
}

#[test]
fn a_key_that_a_helper_is_handed_is_named_where_it_is_handed_over() {
    let job = "\
import os

import torch.distributed as dist


def read(name):
    return int(os.environ[name])


def of_the_job():
    if read(\"RANK\") == 0:
        dist.barrier()


def of_the_node():
    if read(\"SERVICE_LOCAL_RANK\") == 0:
        dist.barrier()
";
    let folder = Folder::new("handed_keys");
    folder.file("job.py", job);
    let run = folder.ranklint(&["check", "--no-cache", "--isolated"]);
    let said: Vec<&str> = run.out.lines().filter(|line| line.contains("is set by the launcher")).collect();
    assert_eq!(said.len(), 2, "{run:?}");
    assert!(said[0].contains("`RANK`") && said[1].contains("`SERVICE_LOCAL_RANK`"), "{run:?}");
}

#[test]
fn a_group_of_other_ranks_on_each_rank_shows_them() {
    let job = "\
import torch.distributed as dist


def neighbours():
    return dist.new_group([dist.get_rank(), dist.get_rank() + 1])


def row(width):
    first = dist.get_rank() // width * width
    return dist.new_group(list(range(first, first + width)))
";
    let folder = Folder::new("own_ranks");
    folder.file("job.py", job);
    let run = folder.ranklint(&["check", "--no-cache", "--isolated"]);
    assert_eq!(run.out.matches("`new_group` is given other ranks on each rank").count(), 2, "{run:?}");
    let shows = |rank: &str, ranks: &str| {
        run.out.lines().any(|line| line.trim_start().starts_with(rank) && line.contains(ranks))
    };
    assert!(shows("rank 0 ", "ranks 0, 1") && shows("rank 1 ", "ranks 1, 2"), "{run:?}");
    assert!(shows("rank 0 ", "its own ranks"), "{run:?}");
}

#[test]
fn ranks_that_a_fact_parts_are_shown_by_their_place() {
    let folder = Folder::new("many_facts");
    folder.file("job.py", include_str!("../testdata/rules/collectives/conditional-collective/many_facts.py"));
    let run = folder.ranklint(&["check", "--no-cache", "--select", "conditional-collective", "."]);
    // What is less than sure is said.
    assert!(!run.out.contains("confidence:"), "{run:?}");
    assert!(run.out.lines().any(|line| line.trim_start().starts_with("rank 0 ")), "{run:?}");
}

#[test]
fn a_witness_says_where_a_rank_leaves_and_not_where_a_loop_of_its_own_goes_on() {
    let run = Folder::of_testdata("witness").ranklint(&["check", "--isolated", "--no-cache"]);
    let witness = run.out.lines().find(|line| line.contains("leaves the loop")).unwrap_or_default();
    assert!(witness.contains("rank 3") && witness.contains("search.py:13"), "{}", run.out);
}

#[test]
fn a_rank_that_may_fail_is_less_certain_than_one_that_leaves() {
    let job = "\
import torch.distributed as dist


def leaves(state):
    if dist.get_rank() == 0:
        return
    dist.all_reduce(state)


def fails(state):
    try:
        if dist.get_rank() == 0:
            raise ValueError(state)
        dist.all_reduce(state)
    except ValueError:
        pass
";
    let folder = Folder::new("failing");
    folder.file("job.py", job);
    let lines = |least: &str| {
        let least = format!("--min-confidence={least}");
        let run = folder.ranklint(&[
            "check",
            "--isolated",
            "--output-format=concise",
            "--select=divergent-early-exit",
            &least,
        ]);
        let places = run.out.lines().filter_map(|line| line.strip_prefix("job.py:")?.split(':').next()?.parse().ok());
        places.collect::<Vec<u32>>()
    };
    assert_eq!((lines("high"), lines("medium")), (vec![7], vec![7, 14]));
}
