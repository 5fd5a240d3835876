//! Two machines, as two network namespaces with a cable between them: torchrun joins their ranks, each is watched on its own,
//! and their logs together tell what neither knows alone.
//!
//! Making a namespace takes rights that not every machine gives; where it does not, the test says so and ends.

#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "the test makes networks and folders")]

mod support;

use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use serde_json::Value;

use support::folder::{Folder, Run};

/// A machine: its namespace, its end of the cable, its address.
const HOSTS: [(&str, &str, &str); 2] = [("a", "10.213.7.1", "0"), ("b", "10.213.7.2", "1")];

/// The namespaces; they go when this does.
struct Network {
    name: String,
}

impl Network {
    fn new() -> Result<Network, String> {
        let network = Network { name: format!("rl{}", std::process::id()) };
        let name = &network.name;
        for (host, _, _) in HOSTS {
            ip(&format!("netns add {name}{host}"))?;
        }
        ip(&format!("link add {name}va netns {name}a type veth peer name {name}vb netns {name}b"))?;
        for (host, address, _) in HOSTS {
            ip(&format!("-n {name}{host} addr add {address}/24 dev {name}v{host}"))?;
            ip(&format!("-n {name}{host} link set {name}v{host} up"))?;
            ip(&format!("-n {name}{host} link set lo up"))?;
        }
        Ok(network)
    }

    /// Runs a program at 2 ranks of each of the 2 machines; the runs, by machine.
    fn run(&self, folder: &Folder, program: &str, port: &str) -> Vec<Run> {
        thread::scope(|scope| {
            let hosts =
                HOSTS.map(|(host, _, number)| scope.spawn(move || self.run_on(folder, program, port, host, number)));
            hosts.into_iter().map(|host| host.join().expect("it does not panic")).collect()
        })
    }

    fn run_on(&self, folder: &Folder, program: &str, port: &str, host: &str, number: &str) -> Run {
        let name = &self.name;
        let launcher = ["--nnodes=2", &format!("--node-rank={number}"), &format!("--master-addr={}", HOSTS[0].1)]
            .map(|option| format!("--launcher-option={option}"));
        let output = Command::new("ip")
            .args(["netns", "exec", &format!("{name}{host}"), env!("CARGO_BIN_EXE_ranklint")])
            .args(["verify", "run", "-n", "2", "--stall-timeout", "10", "--timeout", "200", "--output-format", "json"])
            .args(["--launcher", "torchrun", &format!("--launcher-option=--master-port={port}")])
            .args(launcher)
            .args(["--log-dir", &format!("{program}.logs/{host}"), "--python"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(".venv/bin/python"))
            .args(["--", "python", program])
            .env("GLOO_SOCKET_IFNAME", format!("{name}v{host}"))
            .current_dir(folder.path(""))
            .output();
        let output = output.expect("ip starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Run { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for (host, _, _) in HOSTS {
            let _ = ip(&format!("netns del {}{host}", self.name));
        }
    }
}

fn ip(arguments: &str) -> Result<Output, String> {
    let output = Command::new("ip").args(arguments.split(' ')).output().map_err(|error| format!("ip: {error}"))?;
    if output.status.success() {
        Ok(output)
    } else {
        Err(format!("ip {arguments}: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }
}

fn report(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}", run.err))
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that cannot run says so")]
fn two_machines() {
    let network = match Network::new() {
        Ok(network) => network,
        Err(why) => return eprintln!("not run: this machine makes no network namespaces ({why})"),
    };
    let folder = Folder::new("verify-hosts");
    for program in ["steps.py", "hosts.py"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/verify/run").join(program);
        folder.file(program, std::fs::read(path).expect("the program is readable"));
    }

    for run in network.run(&folder, "steps.py", "29871") {
        let report = report(&run);
        assert_eq!((run.code, report["outcome"].as_str()), (Some(0), Some("passed")), "{}", run.err);
        assert_eq!(report["world"], 4);
        let notes = report["notes"].to_string();
        assert!(notes.contains("run on other machines"), "{notes}");
    }

    // Neither machine sees the other's ranks: to each of them its own ones are in step, and wait.
    for run in network.run(&folder, "hosts.py", "29872") {
        let report = report(&run);
        assert_eq!(run.code, Some(1), "{}", run.err);
        let outcome = report["outcome"].as_str().unwrap_or_default();
        assert!(["stalled", "failed"].contains(&outcome), "{outcome}: {}", report["message"]);
        let again = report["again"].as_str().unwrap_or_default();
        assert!(again.contains("--launcher-option=--nnodes=2"), "{again}");
    }
    let both = folder.ranklint(&["verify", "replay", "hosts.py.logs", "--output-format", "json"]);
    let report = report(&both);
    assert_eq!((both.code, report["outcome"].as_str()), (Some(1), Some("diverged")), "{}", both.err);
    let message = report["message"].as_str().unwrap_or_default();
    assert!(message.contains("ranks 0 and 1 issue all_reduce, ranks 2 and 3 issue broadcast"), "{message}");
}
