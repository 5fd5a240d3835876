//! `ranklint version`.

use super::args::{ListFormat, VersionArguments};
use super::{Exit, Failure, print};

/// Runs the command.
pub(super) fn run(arguments: &VersionArguments) -> Result<Exit, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    if arguments.json || arguments.output_format == ListFormat::Json {
        let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
        let object = serde_json::json!({ "name": "ranklint", "version": version, "target": target });
        return print(&format!("{object:#}\n"));
    }
    print(&format!("ranklint {version}\n"))
}
