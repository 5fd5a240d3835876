//! `ranklint server` over pipes, as an editor speaks with it.
#![allow(clippy::disallowed_methods, reason = "the tests start the server and write the files it reads")]

#[path = "lsp/client.rs"]
mod client;

use client::{Client, Folder, rules, uri};
use serde_json::{Value, json};

const DIVERGENT: &str =
    "import torch.distributed as dist\n\n\ndef step(x):\n    if dist.get_rank() == 0:\n        dist.all_reduce(x)\n";
const SOUND: &str = "import torch.distributed as dist\n\n\ndef step(x):\n    dist.all_reduce(x)\n";
const HELPER: &str = "import torch.distributed as dist\n\n\ndef agree(x):\n    dist.all_reduce(x)\n";
const QUIET_HELPER: &str = "import torch.distributed as dist\n\n\ndef agree(x):\n    return x\n";
const CALLER: &str = "import torch.distributed as dist\nfrom helper import agree\n\n\ndef step(x):\n    if dist.get_rank() == 0:\n        agree(x)\n";
const RULE: &str = "conditional-collective";

fn pulls() -> Value {
    json!({
        "textDocument": { "diagnostic": {} },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    })
}

fn found(rule: &str, line: u64) -> Vec<(String, u64)> {
    vec![(rule.to_owned(), line)]
}

#[test]
fn diagnostics_are_given_when_asked_for_and_follow_edits() {
    let folder = Folder::new("pull", &[("job.py", DIVERGENT)]);
    let mut client = Client::open(&folder, pulls());
    let job = folder.uri("job.py");
    client.open_file(&job, DIVERGENT);
    let items = client.pull(&job);
    assert_eq!(rules(&items), found(RULE, 5));
    let item = &items[0];
    assert_eq!(item["severity"], 1);
    assert_eq!(item["source"], "ranklint");
    assert!(item["message"].as_str().is_some_and(|text| text.contains("all_reduce") && text.contains("help: ")));
    let page = item["codeDescription"]["href"].as_str().expect("a page").strip_prefix("file://").expect("a file");
    assert!(std::fs::read_to_string(page).is_ok_and(|text| text.contains("## Contract")));
    let related = item["relatedInformation"].as_array().expect("an explanation");
    assert!(related.iter().any(|place| place["location"]["range"]["start"]["line"] == 4), "{related:?}");

    // One letter at a time: the condition becomes the same for all ranks.
    let range = json!({ "start": { "line": 4, "character": 7 }, "end": { "line": 4, "character": 27 } });
    client.edit(&job, json!([{ "range": range, "text": "x" }, ]));
    client.pull_until(&job, &[]);
    let range = json!({ "start": { "line": 4, "character": 7 }, "end": { "line": 4, "character": 8 } });
    client.edit(&job, json!([{ "range": range, "text": "dist.get_rank() > 1" }]));
    let report = client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": job } }));
    assert_eq!(report["items"].as_array().map(Vec::len), Some(1));
    let again = json!({ "textDocument": { "uri": job }, "previousResultId": report["resultId"] });
    assert_eq!(client.ask("textDocument/diagnostic", again)["kind"], "unchanged");
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn clients_that_do_not_ask_are_told_also_of_files_that_are_not_open() {
    let folder = Folder::new("push", &[("job.py", DIVERGENT), ("other.py", DIVERGENT)]);
    let mut client = Client::open(&folder, json!({}));
    let (job, other) = (folder.uri("job.py"), folder.uri("other.py"));
    assert_eq!(rules(&client.published(&other, |items| !items.is_empty())), found(RULE, 5));
    client.open_file(&job, DIVERGENT);
    client.change(&job, SOUND);
    client.published(&job, <[Value]>::is_empty);
    std::fs::remove_file(folder.0.join("other.py")).expect("it is there");
    client.tell("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": other, "type": 3 }] }));
    client.published(&other, <[Value]>::is_empty);
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn an_edit_of_a_callee_reaches_its_callers() {
    let folder = Folder::new("callers", &[("helper.py", HELPER), ("job.py", CALLER)]);
    let mut client = Client::open(&folder, json!({}));
    let (helper, job) = (folder.uri("helper.py"), folder.uri("job.py"));
    let items = client.published(&job, |items| !items.is_empty());
    assert_eq!(rules(&items), found(RULE, 6));
    let related = items[0]["relatedInformation"].as_array().expect("an explanation");
    assert!(related.iter().any(|place| place["location"]["uri"] == helper.as_str()), "{related:?}");
    client.open_file(&helper, HELPER);
    client.change(&helper, QUIET_HELPER);
    client.published(&job, <[Value]>::is_empty);
    client.forget_diagnostics();
    client.change(&helper, HELPER);
    client.published(&job, |items| !items.is_empty());
    client.forget_diagnostics();
    // What was never saved is gone with its window.
    client.change(&helper, QUIET_HELPER);
    client.published(&job, <[Value]>::is_empty);
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": helper } }));
    client.published(&job, |items| !items.is_empty());
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn the_whole_workspace_is_reported_and_then_what_changes() {
    let folder = Folder::new("workspace", &[("a.py", DIVERGENT), ("b.py", SOUND), ("run.sh", "mktemp -p /tmp\n")]);
    let mut client = Client::open(&folder, pulls());
    let report = client.ask("workspace/diagnostic", json!({ "previousResultIds": [] }));
    let items = report["items"].as_array().expect("a list");
    let of = |path: &str| items.iter().find(|item| item["uri"] == folder.uri(path).as_str());
    assert_eq!(of("a.py").map(|item| rules(item["items"].as_array().expect("a list"))), Some(found(RULE, 5)));
    assert!(of("run.sh").is_some(), "{items:?}");
    assert!(of("b.py").is_none());

    // Nothing is new: the answer waits until something is.
    let known: Vec<Value> = items.iter().map(|item| json!({ "uri": item["uri"], "value": item["resultId"] })).collect();
    let waiting = client.request("workspace/diagnostic", json!({ "previousResultIds": known }));
    client.open_file(&folder.uri("b.py"), DIVERGENT);
    let answer = client.answer(waiting);
    let items = answer["result"]["items"].as_array().expect("a list").clone();
    let of = |path: &str| items.iter().find(|item| item["uri"] == folder.uri(path).as_str());
    assert_eq!(of("a.py").map(|item| item["kind"].clone()), Some(json!("unchanged")));
    assert_eq!(of("b.py").map(|item| item["kind"].clone()), Some(json!("full")));
    client.until("the wish to be asked again", |message| message["method"] == "workspace/diagnostic/refresh");

    // One that waits can be cancelled.
    let known: Vec<Value> = items.iter().map(|item| json!({ "uri": item["uri"], "value": item["resultId"] })).collect();
    let waiting = client.request("workspace/diagnostic", json!({ "previousResultIds": known }));
    client.tell("$/cancelRequest", json!({ "id": waiting }));
    assert_eq!(client.answer(waiting)["error"]["code"], -32800);
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn findings_are_those_of_the_command_line_configuration_included() {
    let suppressed = DIVERGENT
        .replace("        dist.all", "        # ranklint: ignore[conditional-collective] -- meant\n        dist.all");
    let files = [
        ("ranklint.toml", "ignore = [\"wrong-root\"]\nper-file-ignores = { \"quiet.py\" = [\"collectives\"] }\n"),
        ("quiet.py", DIVERGENT),
        ("meant.py", suppressed.as_str()),
        ("idle.py", "x = 1  # ranklint: ignore[wrong-group]\n"),
        ("inner/ranklint.toml", "ignore = [\"conditional-collective\"]\n"),
        ("inner/job.py", DIVERGENT),
        ("job.py", DIVERGENT),
        ("broken.py", "def f(:\n"),
    ];
    let folder = Folder::new("config", &files);
    let mut client = Client::open(&folder, pulls());
    let report = client.ask("workspace/diagnostic", json!({ "previousResultIds": [] }));
    let mut ours: Vec<(String, String, u64)> = Vec::new();
    for item in report["items"].as_array().expect("a list") {
        let path = item["uri"].as_str().expect("an address").strip_prefix(&uri(&folder.0)).expect("it lies inside");
        for (rule, line) in rules(item["items"].as_array().expect("a list")) {
            ours.push((path[1..].to_owned(), rule, line + 1));
        }
    }
    let mut theirs: Vec<(String, String, u64)> = Vec::new();
    for paths in [&[".", "--no-cache"][..], &["inner", "--no-cache"]] {
        let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_ranklint"))
            .current_dir(&folder.0)
            .args(["check", "--output-format", "json"])
            .args(paths)
            .output()
            .expect("it runs");
        let printed: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
        for finding in printed["findings"].as_array().expect("a list") {
            let text = |key: &str| finding[key].as_str().expect("a text").to_owned();
            // The editor goes by the nearest configuration, file by file.
            if paths[0] != "." || !text("path").starts_with("inner/") {
                theirs.push((text("path"), text("rule"), finding["line"].as_u64().expect("a line")));
            }
        }
    }
    ours.sort();
    theirs.sort();
    assert_eq!(ours, theirs);
    assert!(ours.iter().any(|(path, rule, _)| path == "job.py" && rule == RULE), "{ours:?}");

    // A configuration that changes counts from then on; one that is wrong is complained about.
    folder.write("ranklint.toml", "ignore = [\"conditional-collective\"]\n");
    let changed = json!({ "changes": [{ "uri": folder.uri("ranklint.toml"), "type": 2 }] });
    client.tell("workspace/didChangeWatchedFiles", changed.clone());
    client.open_file(&folder.uri("job.py"), DIVERGENT);
    client.pull_until(&folder.uri("job.py"), &[]);
    folder.write("ranklint.toml", "ignore = [\"no-such-rule\"]\n");
    client.tell("workspace/didChangeWatchedFiles", changed);
    let complaint = client.until("a complaint", |message| message["method"] == "window/showMessage");
    assert!(complaint["params"]["message"].as_str().is_some_and(|text| text.contains("no-such-rule")));
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn what_the_baseline_knows_is_not_shown() {
    let folder = Folder::new("baseline", &[("ranklint.toml", "baseline = \"known.json\"\n"), ("job.py", DIVERGENT)]);
    // It was not written yet: nothing is known.
    let mut client = Client::open(&folder, pulls());
    let job = folder.uri("job.py");
    client.open_file(&job, DIVERGENT);
    client.pull_until(&job, &found(RULE, 5));
    let update = std::process::Command::new(env!("CARGO_BIN_EXE_ranklint"))
        .args(["check", "--no-cache", "--update-baseline"])
        .current_dir(&folder.0)
        .output()
        .expect("the program starts");
    assert!(update.status.success(), "{update:?}");
    let changed = json!({ "changes": [{ "uri": folder.uri("known.json"), "type": 2 }] });
    client.tell("workspace/didChangeWatchedFiles", changed.clone());
    client.pull_until(&job, &[]);
    // A line above does not matter; a second finding does.
    let more = format!("# moved\n{DIVERGENT}\n\ndef other(x):\n    if dist.get_rank() == 0:\n        dist.barrier()\n");
    client.change(&job, &more);
    client.pull_until(&job, &found(RULE, 11));
    client.change(&job, DIVERGENT);
    client.pull_until(&job, &[]);
    std::fs::remove_file(folder.0.join("known.json")).expect("it is there");
    client.tell("workspace/didChangeWatchedFiles", changed);
    client.pull_until(&job, &found(RULE, 5));
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn fixes_are_offered_and_told_apart() {
    let text = "import os\nimport torch.distributed as dist\n\n\ndef f(d, x):\n    for n in os.listdir(d):\n        dist.all_reduce(x[n])\n    group = dist.new_group([2, 3])\n    dist.broadcast(x, src=0, group=group)\n";
    let folder = Folder::new("offered-fixes", &[("job.py", text)]);
    let mut client = Client::open(&folder, pulls());
    let job = folder.uri("job.py");
    client.open_file(&job, text);
    let items = client.pull(&job);
    let mut ask = |line: u32, only: Value| {
        let place = json!({ "line": line, "character": 14 });
        let params = json!({
            "textDocument": { "uri": job },
            "range": { "start": place, "end": place },
            "context": { "diagnostics": items, "only": only },
        });
        client.ask("textDocument/codeAction", params).as_array().expect("a list").clone()
    };
    let sorting = ask(5, Value::Null);
    assert_eq!((&sorting[0]["title"], &sorting[0]["isPreferred"]), (&json!("iterate in sorted order"), &json!(true)));
    let sorted = text.replace("os.listdir(d)", "sorted(os.listdir(d))");
    assert_eq!(applied(text, &sorting[0]), sorted);
    let rooted = ask(8, Value::Null);
    let title = rooted[0]["title"].as_str().expect("a title");
    assert!(title.contains("group_src=0") && title.ends_with("(may change what the program does)"), "{title}");
    assert_eq!(applied(text, &rooted[0]), text.replace("src=0, group", "group_src=0, group"));
    let all = ask(0, json!(["source.fixAll.ranklint"]));
    assert_eq!(applied(text, &all[0]), sorted, "what is not certain is left");
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn hovers_tell_the_page_the_story_and_what_a_function_issues() {
    let text = format!("{DIVERGENT}\n\n# ranklint: ignore[wrong-root] -- x\ny = 1\n");
    let folder = Folder::new("hover", &[("job.py", &text)]);
    let mut client = Client::open(&folder, pulls());
    let job = folder.uri("job.py");
    client.open_file(&job, &text);
    client.pull(&job);
    let mut hover = |line: u32, character: u32| {
        let position = json!({ "line": line, "character": character });
        let answer = client.ask("textDocument/hover", json!({ "textDocument": { "uri": job }, "position": position }));
        answer["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let finding = hover(5, 12);
    assert!(finding.contains("is reached by some ranks only"), "{finding}");
    assert!(finding.contains("## Contract") && finding.contains("What it issues"), "{finding}");
    let function = hover(3, 5);
    assert!(function.contains("all_reduce on WORLD") && function.contains("differs between ranks"), "{function}");
    assert!(hover(8, 22).contains("wrong-root"));
    assert_eq!(hover(9, 0), "");
    assert_eq!(client.close().code(), Some(0));
}

/// The text after the edits of an action, which must concern one file.
fn applied(text: &str, action: &Value) -> String {
    let changes = action["edit"]["changes"].as_object().expect("it edits");
    let edits = changes.values().next().and_then(Value::as_array).expect("edits");
    let mut out = text.to_owned();
    let offset = |place: &Value| {
        let line = place["line"].as_u64().expect("a line") as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + place["character"].as_u64().expect("a column") as usize
    };
    let mut edits: Vec<&Value> = edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(offset(&edit["range"]["start"])));
    for edit in edits {
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        out.replace_range(range, edit["newText"].as_str().expect("a text"));
    }
    out
}

#[test]
fn actions_silence_fix_and_explain() {
    let folder = Folder::new("actions", &[("job.py", DIVERGENT)]);
    let mut client = Client::open(&folder, pulls());
    let idle = "#!/usr/bin/env python\nx = 1  # ranklint: ignore[wrong-root]\n";
    let mut opened = 0;
    let mut ask = |text: &str, line: u32, only: Value| {
        // A file that was not open before: of one that was, the first answer may tell what was known of the other text.
        opened += 1;
        let job = folder.uri(&format!("job{opened}.py"));
        client.open_file(&job, text);
        let items = client.pull(&job);
        let place = json!({ "line": line, "character": 10 });
        let params = json!({
            "textDocument": { "uri": job },
            "range": { "start": place, "end": place },
            "context": { "diagnostics": items, "only": only },
        });
        let actions = client.ask("textDocument/codeAction", params);
        (items, actions.as_array().expect("a list").clone())
    };
    let (_, actions) = ask(DIVERGENT, 5, Value::Null);
    let titles: Vec<&str> = actions.iter().filter_map(|action| action["title"].as_str()).collect();
    let expected = [
        "ignore `conditional-collective` here",
        "ignore `conditional-collective` in this file",
        "explain `conditional-collective`",
    ];
    assert_eq!(titles, expected);
    assert_eq!(actions[0]["diagnostics"].as_array().map(Vec::len), Some(1));
    for action in &actions[..2] {
        let text = applied(DIVERGENT, action);
        assert!(text.contains(" -- REASON\n"), "{text}");
        assert_eq!(ask(&text, 5, Value::Null).0, [] as [Value; 0], "{text}");
    }
    // Nobody asked about this line.
    assert_eq!(ask(DIVERGENT, 0, Value::Null).1, [] as [Value; 0]);

    let (items, actions) = ask(idle, 1, Value::Null);
    assert_eq!(rules(&items), found("unused-ignore", 1));
    assert_eq!(items[0]["tags"], json!([1]));
    assert_eq!(actions[0]["title"], "remove the comment");
    assert_eq!(applied(idle, &actions[0]), "#!/usr/bin/env python\nx = 1\n");
    let (_, all) = ask(idle, 0, json!(["source.fixAll"]));
    assert_eq!(all.len(), 1);
    assert_eq!(applied(idle, &all[0]), "#!/usr/bin/env python\nx = 1\n");
    client.ask("workspace/executeCommand", json!({ "command": "ranklint.openPage", "arguments": [RULE] }));
    client.until("the page", |message| message["method"] == "window/showMessage");
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn lenses_are_shown_when_they_are_wished_for() {
    let folder = Folder::new("lens", &[("job.py", DIVERGENT)]);
    let folders = json!([{ "uri": uri(&folder.0), "name": "f" }]);
    let mut client = Client::open_with(&folder, pulls(), folders, json!({ "codeLens": true }));
    let job = folder.uri("job.py");
    client.open_file(&job, DIVERGENT);
    client.pull(&job);
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": job } }));
    assert_eq!(lenses[0]["range"]["start"]["line"], 3, "{lenses}");
    assert_eq!(lenses[0]["command"]["title"], "all_reduce on WORLD");
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn columns_are_counted_as_agreed() {
    let text = "import torch.distributed as dist\n\n\ndef step(x):\n    if dist.get_rank() == 0:\n        y = \"𝄞ß\"; dist.all_reduce(x)\n";
    let folder = Folder::new("encoding", &[("job.py", text)]);
    for (encodings, agreed, column) in [
        (json!(["utf-8", "utf-16"]), "utf-8", 22),
        (json!(["utf-16", "utf-32"]), "utf-32", 18),
        (json!(["utf-16"]), "utf-16", 19),
        (Value::Null, "utf-16", 19),
    ] {
        let mut capabilities = pulls();
        capabilities["general"] = json!({ "positionEncodings": encodings });
        let mut client = Client::open(&folder, capabilities);
        let answer = client.until("the greeting", |message| message.get("initialized").is_some());
        assert_eq!(answer["initialized"]["capabilities"]["positionEncoding"], agreed);
        let job = folder.uri("job.py");
        client.open_file(&job, text);
        let items = client.pull(&job);
        assert_eq!(items[0]["range"]["start"], json!({ "line": 5, "character": column }), "{agreed}");
        // An edit behind the letters that are wide.
        let place = json!({ "line": 5, "character": column });
        client.edit(&job, json!([{ "range": { "start": place, "end": place }, "text": "z = " }]));
        assert_eq!(client.pull(&job)[0]["range"]["start"]["character"], column + 4, "{agreed}");
        assert_eq!(client.close().code(), Some(0));
    }
}

#[test]
fn each_folder_is_its_own_project_and_files_outside_stand_alone() {
    let folder = Folder::new(
        "roots",
        &[("a/job.py", CALLER), ("b/helper.py", HELPER), ("c.py", DIVERGENT), ("a/ranklint.toml", "")],
    );
    let folders = json!([{ "uri": folder.uri("a"), "name": "a" }]);
    let mut client = Client::open_with(&folder, pulls(), folders, json!({}));
    let (job, outside) = (folder.uri("a/job.py"), folder.uri("c.py"));
    client.open_file(&job, CALLER);
    client.pull_until(&job, &[]);
    client.open_file(&outside, DIVERGENT);
    client.pull_until(&outside, &found(RULE, 5));
    // A second folder comes, and then a helper in the first.
    let event = json!({ "added": [{ "uri": folder.uri("b"), "name": "b" }], "removed": [] });
    client.tell("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    client.pull_until(&job, &[]);
    folder.write("a/helper.py", HELPER);
    client.tell(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": [{ "uri": folder.uri("a/helper.py"), "type": 1 }] }),
    );
    client.pull_until(&job, &found(RULE, 6));
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn a_notebook_is_one_text_in_many_cells() {
    let folder = Folder::new("notebook", &[("x.py", "")]);
    let mut client = Client::open(&folder, pulls());
    let notebook = folder.uri("n.ipynb");
    let cell = |name: &str, kind: u32| json!({ "kind": kind, "document": format!("vscode-notebook-cell:{name}") });
    let item = |name: &str, text: &str| json!({ "uri": format!("vscode-notebook-cell:{name}"), "languageId": "python", "version": 1, "text": text });
    let body = "%time\nif dist.get_rank() == 0:\n    dist.all_reduce(x)";
    let document = json!({
        "uri": notebook, "notebookType": "jupyter-notebook", "version": 1,
        "cells": [cell("1", 2), cell("2", 1), cell("3", 2)],
    });
    let texts = json!([item("1", "import torch.distributed as dist"), item("2", "Some *words*"), item("3", body)]);
    client.tell("notebookDocument/didOpen", json!({ "notebookDocument": document, "cellTextDocuments": texts }));
    client.pull_until("vscode-notebook-cell:1", &[]);
    client.pull_until("vscode-notebook-cell:3", &found(RULE, 2));
    // A cell in front moves the file's lines, not the cell's.
    let change = json!({ "cells": { "structure": {
        "array": { "start": 0, "deleteCount": 0, "cells": [cell("0", 2)] }, "didOpen": [item("0", "x = 1\n\n")],
    } } });
    let document = json!({ "uri": notebook, "version": 2 });
    client.tell("notebookDocument/didChange", json!({ "notebookDocument": document, "change": change }));
    let items = client.pull("vscode-notebook-cell:3");
    assert_eq!(rules(&items), found(RULE, 2));
    let beyond = json!({ "line": u32::MAX, "character": u32::MAX });
    let params = json!({ "textDocument": { "uri": "vscode-notebook-cell:3" }, "position": beyond });
    assert_eq!(client.ask("textDocument/hover", params), Value::Null);
    let place = json!({ "line": 2, "character": 6 });
    let params = json!({
        "textDocument": { "uri": "vscode-notebook-cell:3" },
        "range": { "start": place, "end": place }, "context": { "diagnostics": items },
    });
    let actions = client.ask("textDocument/codeAction", params);
    assert!(applied(body, &actions[0]).contains("    # ranklint: ignore"), "{actions}");
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn nonsense_is_answered_and_survived() {
    let folder = Folder::new("nonsense", &[("job.py", DIVERGENT)]);
    let mut client = Client::start(&folder.0);
    let early = client.request("textDocument/hover", json!({}));
    assert_eq!(client.answer(early)["error"]["code"], -32002);
    client.raw(b"Content-Length: 5\r\n\r\n{nope");
    client.until("a parse error", |message| message["error"]["code"] == -32700);
    client.ask("initialize", json!({ "capabilities": { "textDocument": { "diagnostic": {} }, "general": 3 } }));
    client.tell("initialized", json!({}));
    client.raw(b"Content-Length: 2\r\n\r\n[]");
    client.until("a refusal", |message| message["error"]["code"] == -32600);
    client.tell("textDocument/didChange", json!({ "textDocument": 7 }));
    client.tell("no/such", Value::Null);
    client.edit("untitled:x", json!([{ "range": { "start": { "line": 9, "character": 9 }, "end": { "line": 1, "character": 1 } }, "text": "" }]));
    let wrong = client.request("textDocument/hover", json!({ "textDocument": {} }));
    assert_eq!(client.answer(wrong)["error"]["code"], -32602);
    let unknown = client.request("textDocument/rename", json!({}));
    assert_eq!(client.answer(unknown)["error"]["code"], -32601);
    // Folders, addresses without a path and names that no system takes, as documents. The last has nothing that would be read.
    for odd in ["file:///", "file://", "file:///a%00b.py", "file:///%ff.py", &uri(&folder.0)] {
        client.open_file(odd, DIVERGENT);
        client.change(odd, SOUND);
        client.pull(odd);
        client.tell("textDocument/didClose", json!({ "textDocument": { "uri": odd } }));
    }
    // A range that lies outside and ends before it begins.
    let job = folder.uri("job.py");
    client.open_file(&job, DIVERGENT);
    let range = json!({ "start": { "line": 99, "character": 9 }, "end": { "line": 1, "character": 400 } });
    client.edit(&job, json!([{ "range": range, "text": "# end\n" }]));
    client.pull_until(&job, &found(RULE, 5));
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn the_end_of_a_session_is_told_by_the_exit_code() {
    let folder = Folder::new("end", &[("job.py", SOUND)]);
    let mut client = Client::open(&folder, pulls());
    client.tell("exit", Value::Null);
    assert_eq!(client.wait().code(), Some(1));
    assert_eq!(Client::open(&folder, pulls()).leave().code(), Some(1));
    let mut client = Client::open(&folder, pulls());
    client.ask("shutdown", Value::Null);
    let late = client.request("textDocument/hover", json!({}));
    assert_eq!(client.answer(late)["error"]["code"], -32600);
    client.tell("exit", Value::Null);
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn progress_and_registrations_are_told_to_those_who_can() {
    let folder = Folder::new("progress", &[("job.py", SOUND)]);
    let capabilities = json!({
        "window": { "workDoneProgress": true },
        "workspace": {
            "didChangeWatchedFiles": { "dynamicRegistration": true },
            "didChangeConfiguration": { "dynamicRegistration": true },
            "configuration": true,
        },
    });
    let mut client = Client::open(&folder, capabilities);
    let registered = client.until("a registration", |message| message["method"] == "client/registerCapability");
    let text = registered.to_string();
    assert!(text.contains("**/*.toml") && text.contains("workspace/didChangeConfiguration"), "{text}");
    client.until("a question", |message| message["method"] == "workspace/configuration");
    for kind in ["begin", "end"] {
        client.until(kind, |message| message["method"] == "$/progress" && message["params"]["value"]["kind"] == kind);
    }
    assert_eq!(client.close().code(), Some(0));
}

/// Everything that came before an answer of the server's.
fn all_until_settled(client: &mut Client, uri: &str) -> Vec<Value> {
    client.pull(uri);
    client.seen.clone()
}

#[test]
fn a_token_of_progress_is_used_once_and_comes_to_its_end() {
    let folder = Folder::new("tokens", &[("ranklint.toml", ""), ("job.py", SOUND)]);
    let mut capabilities = pulls();
    capabilities["window"] = json!({ "workDoneProgress": true });
    let mut client = Client::open(&folder, capabilities);
    let job = folder.uri("job.py");
    client.open_file(&job, SOUND);
    let changed = json!({ "changes": [{ "uri": folder.uri("ranklint.toml"), "type": 2 }] });
    for _ in 0..4 {
        // Given up before it has ended, most of the time.
        client.tell("workspace/didChangeWatchedFiles", changed.clone());
        client.tell(
            "workspace/didChangeWatchedFiles",
            json!({ "changes": [{ "uri": folder.uri("new.py"), "type": 1 }] }),
        );
    }
    client.tell("workspace/didChangeWatchedFiles", changed);
    let seen = all_until_settled(&mut client, &job);
    let mut running: Vec<&Value> = Vec::new();
    let mut used: Vec<&Value> = Vec::new();
    for message in &seen {
        let params = &message["params"];
        match message["method"].as_str() {
            Some("window/workDoneProgress/create") => {
                assert!(!used.contains(&&params["token"]), "it was used before: {message}");
                used.push(&params["token"]);
            }
            Some("$/progress") => match params["value"]["kind"].as_str() {
                Some("begin") => running.push(&params["token"]),
                kind => {
                    let at = running.iter().position(|token| **token == params["token"]);
                    let at = at.unwrap_or_else(|| panic!("nothing of that name is on the way: {message}"));
                    if kind == Some("end") {
                        running.remove(at);
                    }
                }
            },
            _ => {}
        }
    }
    assert!(running.is_empty() && !used.is_empty(), "{running:?} of {used:?}");
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn a_baseline_of_any_name_and_what_a_configuration_extends_are_watched() {
    let files = [
        ("ranklint.toml", "extend = \"shared/base.toml\"\nbaseline = \"shared/known [1]\"\n"),
        ("shared/base.toml", ""),
        ("job.py", DIVERGENT),
    ];
    let folder = Folder::new("named", &files);
    let mut capabilities = pulls();
    let watching = json!({ "dynamicRegistration": true, "relativePatternSupport": true });
    capabilities["workspace"]["didChangeWatchedFiles"] = watching;
    let mut client = Client::open(&folder, capabilities);
    let named = |message: &Value| message["params"]["registrations"][0]["id"] == "ranklint-named-files";
    let asked = client.until("a wish to watch the baseline", named);
    let watchers = &asked["params"]["registrations"][0]["registerOptions"]["watchers"];
    let pattern = json!({ "baseUri": folder.uri("shared"), "pattern": "known ?1?" });
    assert_eq!(watchers, &json!([{ "globPattern": pattern }]));

    let job = folder.uri("job.py");
    client.open_file(&job, DIVERGENT);
    client.pull_until(&job, &found(RULE, 5));
    let update = assert_cmd::Command::new(env!("CARGO_BIN_EXE_ranklint"))
        .args(["check", "--no-cache", "--update-baseline"])
        .current_dir(&folder.0)
        .output()
        .expect("the program starts");
    assert!(update.status.success(), "{update:?}");
    let changes = |client: &mut Client, path: &str| {
        let uri = folder.uri(&path.replace('[', "%5B").replace(']', "%5D").replace(' ', "%20"));
        client.tell("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": uri, "type": 2 }] }));
    };
    changes(&mut client, "shared/known [1]");
    client.pull_until(&job, &[]);
    std::fs::remove_file(folder.0.join("shared/known [1]")).expect("it is there");
    changes(&mut client, "shared/known [1]");
    client.pull_until(&job, &found(RULE, 5));

    // What is extended counts, also when it was wrong in between.
    folder.write("shared/base.toml", "ignore = [\"conditional-collective\"]\n");
    changes(&mut client, "shared/base.toml");
    client.pull_until(&job, &[]);
    folder.write("shared/base.toml", "ignore = 3\n");
    changes(&mut client, "shared/base.toml");
    let complaint = client.until("a complaint", |message| message["method"] == "window/showMessage");
    assert!(complaint["params"]["message"].as_str().is_some_and(|text| text.contains("base.toml")), "{complaint}");
    folder.write("shared/base.toml", "");
    changes(&mut client, "shared/base.toml");
    client.pull_until(&job, &found(RULE, 5));

    // Another baseline is watched in its place; one that everybody watches anyway needs no wish.
    folder.write("ranklint.toml", "baseline = \"other\"\n");
    changes(&mut client, "ranklint.toml");
    client.until("an end of the first", |message| message["method"] == "client/unregisterCapability");
    let again = client.until("another wish", named);
    assert!(again.to_string().contains("\"other\""), "{again}");
    folder.write("ranklint.toml", "");
    changes(&mut client, "ranklint.toml");
    client.until("an end of the second", |message| message["method"] == "client/unregisterCapability");
    assert_eq!(client.close().code(), Some(0));
}

#[test]
fn settings_that_change_count_from_then_on() {
    let folder = Folder::new("settings", &[("job.py", DIVERGENT), ("run.sh", "mktemp -p /tmp\n"), ("new.py", SOUND)]);
    let mut capabilities = pulls();
    capabilities["workspace"]["configuration"] = json!(true);
    let mut client = Client::open(&folder, capabilities);
    let everything = |client: &mut Client| {
        let report = client.ask("workspace/diagnostic", json!({ "previousResultIds": [] }));
        let items = report["items"].as_array().expect("a list").clone();
        items.iter().map(|item| item["uri"].as_str().expect("an address").to_owned()).collect::<Vec<String>>()
    };
    assert_eq!(everything(&mut client), [folder.uri("job.py"), folder.uri("run.sh")]);
    let script = folder.uri("run.sh");
    client.open_file(&script, "mktemp -p /tmp\n");
    client.pull_until(&script, &found("shell-temp", 0));
    let settings = json!({ "settings": { "ranklint": { "workspaceDiagnostics": false, "codeLens": true } } });
    client.tell("workspace/didChangeConfiguration", settings);
    assert_eq!(everything(&mut client), [script], "only what is open");
    let job = folder.uri("job.py");
    client.open_file(&job, DIVERGENT);
    client.pull(&job);
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": job } }));
    assert_eq!(lenses.as_array().map(Vec::len), Some(1));
    assert_eq!(client.close().code(), Some(0));
}

/// Removes a folder in which the server may be writing its cache just now.
fn removed(folder: &std::path::Path) {
    for _ in 0..200 {
        if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{} cannot be removed", folder.display());
}

#[test]
fn what_is_closed_or_withdrawn_while_it_is_looked_at_does_no_harm() {
    let large: String = (0..20_000).map(|at| format!("def f{at}(x):\n    dist.all_reduce(x)\n")).collect();
    let large = format!("import torch.distributed as dist\n{large}");
    let folder = Folder::new("withdrawn", &[("job.py", DIVERGENT), ("large.py", &large)]);
    let mut client = Client::open(&folder, pulls());
    let (job, big) = (folder.uri("job.py"), folder.uri("large.py"));
    client.open_file(&big, &large);
    let asked = client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": big } }));
    let position = json!({ "line": 1, "character": 5 });
    let hover = client.request("textDocument/hover", json!({ "textDocument": { "uri": big }, "position": position }));
    client.tell("$/cancelRequest", json!({ "id": hover }));
    client.tell("$/cancelRequest", json!({ "id": 99_999 }));
    client.tell("$/cancelRequest", json!({ "id": "no such" }));
    client.edit(&big, json!([{ "text": format!("{large}\n\0def broken(:\n") }]));
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": big } }));
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": big } }));
    assert_eq!(client.answer(asked)["result"]["kind"], "full");
    // Withdrawn in time, or answered already: one answer in either case.
    let answer = client.answer(hover);
    assert!(answer["error"]["code"] == -32800 || answer.get("error").is_none(), "{answer}");
    client.open_file(&job, DIVERGENT);
    client.pull_until(&job, &found(RULE, 5));
    removed(&folder.0);
    client.tell("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": big, "type": 3 }] }));
    client.pull_until(&job, &found(RULE, 5));
    assert_eq!(client.close().code(), Some(0));
}
