//! The tables of README.md say what the code says. `UPDATE=1 cargo test --test stale` writes them anew.
#![expect(clippy::disallowed_methods, reason = "the test reads README.md and starts the program")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn readme() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")
}

/// What `ranklint` prints.
fn ranklint(arguments: &[&str]) -> String {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_ranklint")).args(arguments).output().expect("it starts");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&ranklint(arguments)).expect("it prints JSON")
}

fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of[key].as_str().unwrap_or_else(|| panic!("`{key}` is no text in {of}"))
}

/// The rules by group, each with a link to its page where it has one.
fn rules() -> String {
    let object = json(&["rules", "--output-format", "json"]);
    let mut table = "| rule | group | severity | finds |\n|---|---|---|---|\n".to_owned();
    for rule in object["rules"].as_array().expect("rules are a list") {
        let (name, group) = (text(rule, "name"), text(rule, "group"));
        let page = format!("rules/{group}/{name}.md");
        let has_page = Path::new(env!("CARGO_MANIFEST_DIR")).join(&page).is_file();
        let name = if has_page { format!("[`{name}`]({page})") } else { format!("`{name}`") };
        let _ = writeln!(table, "| {name} | {group} | {} | {} |", text(rule, "severity"), text(rule, "summary"));
    }
    table
}

/// The exit codes as `--help` lists them.
fn exit_codes() -> String {
    let help = ranklint(&["--help"]);
    let (_, codes) = help.split_once("Exit codes:\n").expect("help lists the exit codes");
    let mut table = "| code | meaning |\n|---|---|\n".to_owned();
    for line in codes.lines().filter(|line| !line.trim().is_empty()) {
        let (code, meaning) = line.trim().split_once("  ").expect("a code and its meaning");
        let _ = writeln!(table, "| {code} | {meaning} |");
    }
    table
}

/// The keys of the configuration, from its schema.
fn configuration() -> String {
    let schema = json(&["config-schema"]);
    let mut table = "| key | meaning |\n|---|---|\n".to_owned();
    for (key, property) in schema["properties"].as_object().expect("a schema has properties") {
        let _ = writeln!(table, "| `{key}` | {} |", text(property, "description").replace('|', "\\|"));
    }
    table
}

/// Where the part between the marks of `name` begins and ends.
fn part(page: &str, name: &str) -> (usize, usize) {
    let (open, close) =
        (format!("<!-- {name}: written by tests/stale.rs -->\n\n"), format!("\n<!-- end of {name} -->"));
    let start = page.find(&open).unwrap_or_else(|| panic!("README.md has no `{open}`")) + open.len();
    let length = page[start..].find(&close).unwrap_or_else(|| panic!("README.md has no `{close}`"));
    (start, start + length)
}

#[test]
fn the_tables_of_the_readme_are_fresh() {
    let kept = fs::read_to_string(readme()).expect("README.md is there");
    let mut fresh = kept.clone();
    for (name, table) in [("rules", rules()), ("exit codes", exit_codes()), ("configuration", configuration())] {
        let (start, end) = part(&fresh, name);
        fresh.replace_range(start..end, &table);
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(readme(), &fresh).expect("README.md can be written");
    } else if let Some((line, (kept, fresh))) =
        kept.lines().zip(fresh.lines()).enumerate().find(|(_, (kept, fresh))| kept != fresh)
    {
        panic!("README.md:{} is stale: run this test with UPDATE=1\n   is: {kept}\nwants: {fresh}", line + 1);
    } else {
        assert_eq!(kept.len(), fresh.len(), "README.md is stale: run this test with UPDATE=1");
    }
}
