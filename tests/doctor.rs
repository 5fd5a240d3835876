//! What the doctor makes of answers, and of a real interpreter where there is one.

use insta::assert_snapshot;
use ranklint::report::run::{DoctorFormat, render_doctor};
use ranklint::verify::doctor::{About, Diagnosis, examine};

const WELL: &str = r#"{"executable": "/srv/py/bin/python", "version": [3, 11, 7], "torch": {"version": "2.15.0+cu130",
"backends": ["gloo", "nccl"], "devices": ["H100", "H100"], "gloo": ""}, "loopback": "", "host": "", "limits":
{"files": 1048576}, "shared_memory": 1073741824, "memory": 68719476736, "cores": 32, "leftovers": [], "cache": ""}"#;

fn examined(answer: &str) -> Diagnosis {
    let about = About { interpreter: Ok(("/srv/py/bin/python", "from .venv")), cache: "/home/me/.cache/ranklint" };
    examine(&about, &mut |_| Ok(format!("a warning of torch\nranklint:{}\n", answer.replace('\n', " "))))
}

fn printed(format: DoctorFormat, diagnosis: &Diagnosis) -> String {
    let mut bytes = Vec::new();
    render_doctor(format, diagnosis, &mut bytes).expect("memory takes everything");
    String::from_utf8(bytes).expect("it is UTF-8")
}

#[test]
fn a_machine_that_has_everything() {
    assert_snapshot!(printed(DoctorFormat::Plain, &examined(WELL)));
}

#[test]
fn a_machine_in_trouble() {
    let answer = WELL
        .replace(r#""gloo": """#, r#""gloo": "RuntimeError: no interface""#)
        .replace(r#"["H100", "H100"]"#, "[]")
        .replace(r#""loopback": """#, r#""loopback": "unreachable""#)
        .replace("1048576", "64")
        .replace("1073741824", "67108864")
        .replace("68719476736", "900000000")
        .replace(r#""leftovers": []"#, r#""leftovers": [{"pid": 71, "command": "python train.py"}]"#)
        .replace(r#""cache": """#, r#""cache": "/home/me cannot be written""#);
    let diagnosis = examined(&answer);
    assert!(diagnosis.has_problems());
    assert_snapshot!(printed(DoctorFormat::Plain, &diagnosis));
    assert_snapshot!(printed(DoctorFormat::Json, &diagnosis));
}

#[test]
fn no_torch_no_python_no_answer() {
    let missing =
        WELL.replace(r#""version": "2.15.0+cu130","#, r#""missing": true, "error": "No module named 'torch'","#);
    let mut all = printed(DoctorFormat::Plain, &examined(&missing));
    let none = About { interpreter: Err("no Python was found"), cache: "" };
    all += &printed(DoctorFormat::Plain, &examine(&none, &mut |_| panic!("there is nobody to ask")));
    let about = About { interpreter: Ok(("python3", "python3 on PATH")), cache: "" };
    all += &printed(DoctorFormat::Plain, &examine(&about, &mut |_| Ok("Segmentation fault\n".to_owned())));
    all += &printed(DoctorFormat::Plain, &examine(&about, &mut |_| Err("it took longer than 60 s".to_owned())));
    assert_snapshot!(all);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test asks an interpreter")]
fn a_real_interpreter_answers() {
    let local = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(".venv/bin/python");
    let python = if local.exists() { local } else { "python3".into() };
    let cache = std::env::temp_dir();
    let about = About { interpreter: Ok(("python", "for a test")), cache: &cache.display().to_string() };
    let mut was_asked = false;
    let diagnosis = examine(&about, &mut |script| {
        let output =
            std::process::Command::new(&python).args(["-c", script]).output().map_err(|error| error.to_string())?;
        was_asked = true;
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    });
    if !was_asked {
        eprintln!("SKIPPED: there is no Python here");
        return;
    }
    let topics: Vec<&str> = diagnosis.checks.iter().map(|check| check.topic).collect();
    assert!(topics.contains(&"network") && topics.contains(&"cache folder"), "{diagnosis:?}");
    println!("{}", printed(DoctorFormat::Plain, &diagnosis));
}
