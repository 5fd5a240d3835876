//! The server in headless Neovim. Passed over, with a message, where there is no Neovim.
#![allow(clippy::disallowed_methods, reason = "the test starts an editor and writes the file it opens")]

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const JOB: &str =
    "import torch.distributed as dist\n\n\ndef step(x):\n    if dist.get_rank() == 0:\n        dist.all_reduce(x)\n";

#[test]
fn neovim_shows_a_finding_and_ignores_it_when_told() {
    match Command::new("nvim").arg("--version").output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("skipped: there is no nvim here (Debian: apt-get install neovim)");
            return;
        }
        version => println!("{}", String::from_utf8_lossy(&version.expect("nvim runs").stdout)),
    }
    let folder = std::env::temp_dir().join(format!("ranklint-neovim-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    std::fs::write(folder.join("job.py"), JOB).expect("the file can be written");
    std::fs::write(folder.join("ranklint.toml"), "").expect("the file can be written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/editor/neovim.lua");
    let output = assert_cmd::Command::new("nvim")
        .args(["--clean", "--headless", "-n", "-S"])
        .arg(&script)
        .current_dir(&folder)
        .env("RANKLINT", env!("CARGO_BIN_EXE_ranklint"))
        .env("HOME", &folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .timeout(Duration::from_secs(240))
        .output()
        .expect("nvim runs");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let _ = std::fs::remove_dir_all(&folder);
    assert!(output.status.success() && said.contains("NEOVIM: all is well"), "{said}");
}
