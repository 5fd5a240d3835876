//! The server with a client that somebody else wrote: `tests/editor/test_protocol.py`. Passed over, with a message, where
//! `.venv` has no pytest-lsp; `scripts/test` installs it.
#![allow(clippy::disallowed_methods, reason = "the test starts the Python of the checkout")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

#[test]
fn a_foreign_client_checks_every_message() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join(".venv/bin/python");
    let has = |module: &str| Command::new(&python).args(["-c", module]).output().is_ok_and(|out| out.status.success());
    if !has("import pytest_lsp") {
        eprintln!(
            "skipped: there is no pytest-lsp in .venv (scripts/test installs it; requirements-editor.txt names it)"
        );
        return;
    }
    let output = assert_cmd::Command::new(&python)
        .args([
            "-m",
            "pytest",
            "-q",
            "-rs",
            "-p",
            "no:cacheprovider",
            "-o",
            "asyncio_default_fixture_loop_scope=function",
            "tests/editor",
        ])
        .current_dir(root)
        .env("RANKLINT", env!("CARGO_BIN_EXE_ranklint"))
        .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache/protocol"))
        .timeout(Duration::from_secs(240))
        .output()
        .expect("Python runs");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains(" passed") && !said.contains(" skipped"), "{said}");
}
