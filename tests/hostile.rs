//! Files that must neither crash nor stall the binary. Small ones lie in `testdata/hostile`, big ones are made here.
//!
//! What is found in them is of no interest; the run must end in time, with 0 or 1.

#![allow(clippy::disallowed_methods, reason = "harnesses read and copy files")]

mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use support::fixtures::entries;
use support::{Case, check, in_parallel, must_be_empty, ranklint, root, scratch, tree};

/// What takes longer counts as a hang: several times what the largest of them takes in a test build beside other tests.
const LIMIT: Duration = Duration::from_secs(120);
const HEAD: &str = "import torch.distributed as dist\n\n\n";

/// Name and maker of a big file.
type Big = (&'static str, fn() -> String);

/// Formats that are tried on every hostile file: each has its own idea of a line.
const FORMATS: [&str; 3] = ["json", "text", "concise"];

fn ends(folder: &Path, name: &str, target: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for format in FORMATS {
        let arguments =
            ["check", "--isolated", "--no-cache", "--output-format", format, "--min-confidence", "low", target];
        let output = ranklint(folder, &arguments, LIMIT);
        if !matches!(output.status.code(), Some(0 | 1)) {
            let stderr = String::from_utf8_lossy(&output.stderr);
            let tail: Vec<&str> = stderr.lines().rev().take(3).collect();
            problems.push(format!("{name} as {format}: ended with {}: {}", output.status, tail.join(" | ")));
            break;
        }
    }
    problems
}

fn copy(name: &str, from: &Path) -> std::path::PathBuf {
    let folder = scratch("hostile", name);
    for file in tree(from) {
        let target = folder.join(&file);
        fs::create_dir_all(target.parent().expect("a file lies in a folder")).expect("the target folder is writable");
        fs::copy(from.join(&file), target).expect("hostile files can be copied");
    }
    folder
}

#[test]
fn small_hostile_files_one_by_one() {
    let folder = copy("one-by-one", &root().join("testdata/hostile"));
    let names = entries(&folder);
    assert!(names.len() > 20, "testdata/hostile is not there");
    let problems = in_parallel(&names, |name| ends(&folder, name, name));
    must_be_empty("hostile files break a run", &problems.concat());
}

#[test]
fn small_hostile_files_together() {
    let folder = copy("together", &root().join("testdata/hostile"));
    must_be_empty("runs break", &ends(&folder, "all hostile files", "."));
}

#[test]
fn the_file_of_all_syntax_is_python() {
    let text = fs::read_to_string(root().join("testdata/hostile/syntax_3_13.py")).expect("it is there");
    assert_eq!(ranklint::syntax::parse(&text).error, None);
}

#[test]
fn big_hostile_files() {
    let made: Vec<Big> = vec![
        ("nested_parentheses", || format!("x = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000))),
        ("open_parentheses", || format!("x = {}", "(".repeat(10_000))),
        ("nested_lists", || format!("x = {}{}\n", "[".repeat(10_000), "]".repeat(10_000))),
        ("nested_calls", || format!("x = {}{}\n", "f(".repeat(10_000), ")".repeat(10_000))),
        ("nested_lambdas", || format!("x = {}1\n", "lambda: ".repeat(10_000))),
        ("unary_chain", || format!("x = {}1\n", "not ".repeat(10_000))),
        ("binary_chain", || format!("x = {}1\n", "1 + ".repeat(100_000))),
        ("ternary_chain", || format!("{HEAD}x = {}1\n", "dist.barrier() if a else ".repeat(10_000))),
        ("attribute_chain", || format!("x = a{}\n", ".b".repeat(100_000))),
        ("call_chain", || format!("{HEAD}x = a{}\n", ".b()".repeat(20_000))),
        ("boolean_chain", || format!("{HEAD}x = a{}\n", " and dist.barrier() or b".repeat(20_000))),
        ("comparison_chain", || format!("x = a{}\n", " < b".repeat(100_000))),
        ("lines", || format!("{HEAD}{}", "x = dist.get_rank()\n".repeat(100_000))),
        ("one_long_line", || format!("{HEAD}{}\n", "if_(dist.get_rank()); dist.barrier(); ".repeat(50_000))),
        ("huge_string", || format!("x = '''{}'''\n", "0123456789\n".repeat(1_000_000))),
        ("huge_comment", || format!("# {}\n", "ranklint: ignore[x] ".repeat(500_000))),
        ("huge_list", || format!("x = [{}]\n", "'key', 0x1, ".repeat(200_000))),
        ("branches", branches),
        ("nested_branches", || nested("if dist.get_rank() == 0:", 90)),
        ("deep_branches", || nested("if dist.get_rank() == 0:", 2_000)),
        ("deep_loops", || nested("for i in range(dist.get_rank()):", 500)),
        ("deep_tries", || nested("with f():", 1_000)),
        ("deep_functions", || nested("def f():", 1_000)),
        ("deep_classes", || nested("class C:", 1_000)),
        ("elifs", elifs),
        ("cases", cases),
        ("exits", exits),
        ("recursion", recursion),
        ("call_tower", call_tower),
        ("doubling_calls", doubling_calls),
        ("one_method_name", one_method_name),
        ("inheritance_tower", inheritance_tower),
        ("variable_chain", variable_chain),
        ("decorators", || format!("{HEAD}{}def f():\n    dist.barrier()\n", "@f\n".repeat(10_000))),
        ("handlers", handlers),
        ("text_worked_over", text_worked_over),
    ];
    let problems = in_parallel(&made, |(name, make)| {
        let folder = scratch("hostile", name);
        fs::write(folder.join("big.py"), make()).expect("the target folder is writable");
        ends(&folder, name, ".")
    });
    must_be_empty("hostile files break a run", &problems.concat());
}

#[test]
fn many_files_in_a_cycle() {
    let files = (0..1_000).map(|n| {
        let next = (n + 1) % 1_000;
        let text = format!(
            "from m{next} import *\nfrom m{next} import f{next}\nimport torch.distributed as dist\n\n\n\
             def f{n}(x):\n    if x == dist.get_rank():\n        dist.barrier()\n    f{next}(x)\n"
        );
        (format!("m{n}.py"), text.into_bytes())
    });
    let case = Case { name: "cycle".into(), files: files.collect() };
    check("hostile", &case).expect("a thousand modules in a cycle are checked");
}

/// A thousand branches in one function, each around a collective.
fn branches() -> String {
    let mut text = format!("{HEAD}def f(x):\n");
    for n in 0..1_000 {
        let _ = write!(text, "    if x.a{n} == dist.get_rank():\n        dist.all_reduce(x.a{n})\n");
    }
    text
}

/// `depth` times `opener`, each inside the one before, with a collective at the bottom.
fn nested(opener: &str, depth: usize) -> String {
    let mut text = HEAD.to_owned();
    for level in 0..depth {
        let _ = writeln!(text, "{}{opener}", " ".repeat(level));
    }
    let _ = writeln!(text, "{}dist.barrier()", " ".repeat(depth));
    text
}

fn elifs() -> String {
    let mut text = format!("{HEAD}def f(x):\n    if x:\n        pass\n");
    for n in 0..5_000 {
        let _ = write!(text, "    elif x == dist.get_rank() + {n}:\n        dist.barrier()\n");
    }
    text
}

fn cases() -> String {
    let mut text = format!("{HEAD}def f(x):\n    match dist.get_rank():\n");
    for n in 0..5_000 {
        let _ = write!(text, "        case {n} | [{n}, *_] if x > {n}:\n            dist.barrier()\n");
    }
    text
}

/// A thousand early exits, each before a collective, in nested loops.
fn exits() -> String {
    let mut text = format!("{HEAD}def f(x):\n    rank = dist.get_rank()\n    for i in x:\n        while i:\n");
    for n in 0..1_000 {
        let exit = ["return", "continue", "break", "raise ValueError"][n % 4];
        let _ = write!(text, "            if rank == {n}:\n                {exit}\n            dist.barrier()\n");
    }
    text
}

/// Ten thousand functions, each of which calls the next and the one before.
fn recursion() -> String {
    let mut text = HEAD.to_owned();
    for n in 0..10_000 {
        let (next, before) = ((n + 1) % 10_000, (n + 9_999) % 10_000);
        let _ = write!(
            text,
            "def f{n}(x):\n    if x == dist.get_rank():\n        dist.barrier()\n        return f{next}(x)\n    f{before}(x)\n\n\n"
        );
    }
    text
}

/// Ten thousand functions, each of which calls the next; the last one issues a collective.
fn call_tower() -> String {
    let mut text = HEAD.to_owned();
    for n in 0..10_000 {
        let _ = write!(text, "def f{n}(x):\n    f{}(x)\n\n\n", n + 1);
    }
    text + "def f10000(x):\n    dist.barrier()\n\n\nif dist.get_rank() == 0:\n    f0(1)\n"
}

/// Sixty functions, each of which calls the next twice: a trace of 2^60 collectives.
fn doubling_calls() -> String {
    let mut text = HEAD.to_owned();
    for n in 0..60 {
        let _ = write!(
            text,
            "def f{n}(x):\n    f{0}(x)\n    if x == dist.get_rank():\n        f{0}(x)\n    f{0}(x)\n\n\n",
            n + 1
        );
    }
    text + "def f60(x):\n    dist.all_reduce(x)\n"
}

/// Five hundred classes whose methods have one name and call each other through it.
fn one_method_name() -> String {
    let mut text = HEAD.to_owned();
    for n in 0..500 {
        let _ = write!(
            text,
            "class C{n}:\n    def forward(self, x):\n        x.child{n}.forward(x)\n        if x.rank == {n}:\n            dist.all_reduce(x)\n\n\n"
        );
    }
    text
}

fn inheritance_tower() -> String {
    let mut text = format!("{HEAD}class C0:\n    def run(self):\n        dist.barrier()\n\n\n");
    for n in 1..3_000 {
        let _ = write!(text, "class C{n}(C{}, C0):\n    def run(self):\n        super().run()\n\n\n", n - 1);
    }
    text
}

/// A value that passes through twenty thousand variables before a condition looks at it.
fn variable_chain() -> String {
    let mut text = format!("{HEAD}def f():\n    x0 = dist.get_rank()\n");
    for n in 1..20_000 {
        let _ = writeln!(text, "    x{n} = x{} + x{}", n - 1, n / 2);
    }
    text + "    if x19999:\n        dist.barrier()\n"
}

fn handlers() -> String {
    let mut text = format!("{HEAD}def f(x):\n    try:\n        x()\n");
    for n in 0..3_000 {
        let _ = write!(text, "    except E{n} as e:\n        dist.barrier()\n        raise\n");
    }
    text + "    finally:\n        dist.barrier()\n"
}

/// A path that is made of itself again and again before a folder is made there.
fn text_worked_over() -> String {
    let mut text = "import os\n\nHOME = '/tmp/x'\n\n\ndef f(text, other):\n".to_owned();
    for n in 0..40 {
        let _ = writeln!(text, "    if other:\n        text = os.path.join(text, f'{{other}}-{n}')");
    }
    text + "    os.makedirs(text)\n"
}
