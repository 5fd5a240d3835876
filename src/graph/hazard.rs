//! What may fail on one rank alone, and what a handler makes of it.

mod caught;
mod ends;

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::model::{Call, Expr, ExprId, File, LocalFunction, Stmt, each_statement};

use super::communication::{Communication, calls_in};
use super::program::Program;
use caught::names_a_pass;
pub use caught::{Caught, asks_for_memory, is_pass, keeps_exception};
pub use ends::never_returns;

/// Functions of libraries that ask the world of this rank: files, network, other processes.
const OUTSIDE: [&str; 40] = [
    "open",
    "os.makedirs",
    "os.mkdir",
    "os.remove",
    "os.unlink",
    "os.rename",
    "os.replace",
    "os.listdir",
    "os.scandir",
    "os.stat",
    "os.rmdir",
    "os.symlink",
    "os.link",
    "os.path.getsize",
    "os.path.getmtime",
    "io.open",
    "gzip.open",
    "bz2.open",
    "lzma.open",
    "tarfile.open",
    "zipfile.ZipFile",
    "torch.load",
    "torch.save",
    "torch.hub.load_state_dict_from_url",
    "numpy.load",
    "numpy.save",
    "numpy.savez",
    "numpy.fromfile",
    "numpy.memmap",
    "numpy.loadtxt",
    "joblib.load",
    "joblib.dump",
    "safetensors.safe_open",
    "safetensors.torch.load_file",
    "safetensors.torch.save_file",
    "h5py.File",
    "PIL.Image.open",
    "soundfile.read",
    "datasets.load_dataset",
    "socket.create_connection",
];

/// Modules whose every function does.
const OUTSIDE_MODULES: [&str; 9] =
    ["shutil", "subprocess", "urllib", "requests", "httpx", "boto3", "huggingface_hub", "paramiko", "ftplib"];

/// Methods that do, whatever their object.
const OUTSIDE_METHODS: [&str; 20] = [
    "read_text",
    "write_text",
    "read_bytes",
    "write_bytes",
    "mkdir",
    "unlink",
    "rmdir",
    "iterdir",
    "symlink_to",
    "touch",
    "download_file",
    "upload_file",
    "download_object",
    "upload_object",
    "recvfrom",
    "urlretrieve",
    "urlopen",
    "read_csv",
    "read_parquet",
    "hf_hub_download",
];

/// Functions that parse what they are given.
const PARSERS: [&str; 12] = [
    "json.load",
    "json.loads",
    "yaml.load",
    "yaml.safe_load",
    "pickle.load",
    "pickle.loads",
    "toml.load",
    "tomllib.load",
    "tomllib.loads",
    "ast.literal_eval",
    "msgpack.unpackb",
    "orjson.loads",
];

/// Functions that put together what they are given, and fail where that is nothing.
const JOINS: [&str; 6] =
    ["torch.stack", "torch.cat", "torch.concat", "numpy.stack", "numpy.concatenate", "numpy.vstack"];

/// Functions that load what somebody has put on a disk.
const LOADERS: [&str; 11] = [
    "load",
    "load_file",
    "load_dataset",
    "load_state_dict_from_url",
    "loadtxt",
    "fromfile",
    "memmap",
    "safe_open",
    "read_csv",
    "read_parquet",
    "read_text",
];

/// What sort of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Files, network, other processes.
    Outside,
    /// Data that do not parse.
    Data,
    /// Anything that an unknown call may raise.
    Any,
}

/// Something that may fail on one rank and not on its peers.
#[derive(Clone, Debug)]
pub struct Hazard {
    /// How it may fail.
    pub failure: Failure,
    /// Where it stands.
    pub site: Site,
    /// What is called.
    pub name: Symbol,
    /// Whether the call itself may, not only something that it calls.
    pub direct: bool,
}

impl Hazard {
    /// Whether something is loaded that lies on a disk, mostly one that all ranks share: it is there for all of them or for none.
    pub fn loads(&self) -> bool {
        self.failure == Failure::Outside && LOADERS.contains(&self.name.last_part().as_str())
    }
}

/// What the call may fail in, itself or a few calls on.
pub fn hazard(
    communication: &mut Communication<'_>,
    program: &Program,
    file: FileId,
    function: LocalFunction,
    expr: ExprId,
    call: Call,
) -> Option<Hazard> {
    let model = &program.file(file).model;
    let site = Site { file, span: model.span(expr) };
    let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(call.callee) else { return None };
    if let Some(failure) = failure_of(program, file, function, call) {
        return Some(Hazard { failure, site, name, direct: true });
    }
    let (called, _) = communication.callee(file, function, call)?;
    let failure = failure_within(communication, program, called, 1)?;
    Some(Hazard { failure, site, name, direct: false })
}

fn failure_within(
    communication: &mut Communication<'_>,
    program: &Program,
    function: FunctionId,
    depth: u32,
) -> Option<Failure> {
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let calls = calls_in(model, model.function(local).body);
    // What handles its own failures is no hazard.
    let mut handles = false;
    each_statement(model, model.function(local).body, &mut |_, stmt| {
        if let Stmt::Try(parts) = stmt {
            handles |= parts.handlers.iter().any(|handler| Caught::of(model, handler.kind).is_local());
        }
    });
    if handles {
        return None;
    }
    if let Some(failure) = calls.iter().find_map(|&(_, call)| failure_of(program, file, local, call)) {
        return Some(failure);
    }
    let next = depth.checked_sub(1)?;
    calls.into_iter().take(40).find_map(|(_, call)| {
        let (called, _) = communication.callee(file, local, call)?;
        if called == function { None } else { failure_within(communication, program, called, next) }
    })
}

/// Whether a function that mentions the name may ask somebody over the network, or a queue, or run out of memory.
pub fn may_go_otherwise(name: Symbol) -> bool {
    let asks = matches!(
        name.as_str(),
        "raise_for_status" | "urlopen" | "urlretrieve" | "requests" | "httpx" | "get_nowait" | "Empty"
    );
    asks || names_a_pass(name)
}

/// Whether the call asks somebody over the network.
pub fn is_request(program: &Program, file: FileId, function: LocalFunction, call: Call) -> bool {
    let model = &program.file(file).model;
    let (Expr::Name(last) | Expr::Attribute { name: last, .. }) = model.expr(call.callee) else { return false };
    if matches!(last.as_str(), "raise_for_status" | "urlopen" | "urlretrieve") {
        return true;
    }
    let dotted = program.resolve(file, function, call.callee);
    let module = dotted.and_then(|dotted| dotted.as_str().split_once('.').map(|(module, _)| module));
    module.is_some_and(|module| matches!(module, "requests" | "httpx"))
        && matches!(last.as_str(), "get" | "post" | "put" | "patch" | "delete" | "head" | "request")
}

fn failure_of(program: &Program, file: FileId, function: LocalFunction, call: Call) -> Option<Failure> {
    let model = &program.file(file).model;
    let (Expr::Name(last) | Expr::Attribute { name: last, .. }) = model.expr(call.callee) else { return None };
    if let Some(dotted) = program.resolve(file, function, call.callee) {
        let dotted = dotted.as_str();
        let module = dotted.split('.').next().unwrap_or(dotted);
        if OUTSIDE.contains(&dotted) || (OUTSIDE_MODULES.contains(&module) && dotted.contains('.')) {
            return Some(Failure::Outside);
        }
        if PARSERS.contains(&dotted) || JOINS.contains(&dotted) && is_sorted_out(model, call) {
            return Some(Failure::Data);
        }
    }
    if asks_a_future(model, call) {
        return Some(Failure::Any);
    }
    OUTSIDE_METHODS.contains(&last.as_str()).then_some(Failure::Outside)
}

/// Whether a call is handed a list of what passes a question, of which there may be nothing on a rank.
fn is_sorted_out(model: &File, call: Call) -> bool {
    let Some(&first) = model.list(call.args).first() else { return false };
    let Expr::Comprehension(index) = model.expr(first) else { return false };
    model.comprehension(index).clauses.iter().any(|clause| !model.list(clause.conditions).is_empty())
}

/// `future.result()` raises what has gone wrong in the background, on the rank where it has.
fn asks_a_future(model: &File, call: Call) -> bool {
    let Expr::Attribute { value, name } = model.expr(call.callee) else { return false };
    let held = model.last_name(value).map(|held| held.as_str().to_ascii_lowercase());
    name.as_str() == "result" && held.is_some_and(|held| held.contains("future"))
}

/// Whether the call is one that nothing is known about and that may well fail: neither a logger nor a getter.
pub fn may_fail_somehow(program: &Program, file: FileId, function: LocalFunction, call: Call) -> bool {
    let model = &program.file(file).model;
    let (Expr::Name(last) | Expr::Attribute { name: last, .. }) = model.expr(call.callee) else { return false };
    const HARMLESS: [&str; 40] = [
        "print",
        "info",
        "debug",
        "warning",
        "warn",
        "error",
        "exception",
        "log",
        "len",
        "range",
        "enumerate",
        "zip",
        "int",
        "str",
        "float",
        "bool",
        "list",
        "dict",
        "set",
        "tuple",
        "isinstance",
        "getattr",
        "hasattr",
        "min",
        "max",
        "sum",
        "append",
        "extend",
        "items",
        "keys",
        "values",
        "get",
        "to",
        "cuda",
        "cpu",
        "item",
        "detach",
        "time",
        "perf_counter",
        "size",
    ];
    let name = last.as_str();
    let plain = HARMLESS.contains(&name)
        || ["is_", "get_", "has_", "log_", "set_", "print"].iter().any(|head| name.starts_with(head));
    let library = program.resolve(file, function, call.callee).is_some_and(|dotted| {
        let dotted = dotted.as_str();
        ["torch.", "time.", "math.", "logging.", "collections.", "typing."].iter().any(|head| dotted.starts_with(head))
    });
    !plain && !library
}
