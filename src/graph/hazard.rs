//! What may fail on one rank alone, and what a handler makes of it.

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::catalog::Entry;
use crate::model::{
    Block, Call, Expr, ExprId, File, Handler, LocalFunction, Stmt, StmtId, each_expression, each_statement,
    expressions_of,
};

use super::communication::{Communication, calls_in};
use super::program::Program;

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

/// What a handler catches, as far as its names say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caught {
    /// Whatever is raised.
    pub everything: bool,
    /// Errors of the outside world.
    pub outside: bool,
    /// Errors of data.
    pub data: bool,
    /// Errors of the run time, out of memory among them.
    pub runtime: bool,
    /// Only that memory ran out.
    pub memory: bool,
    /// Somebody pressed Ctrl-C.
    pub interrupt: bool,
    /// An object that cannot be pickled, by that name.
    pub pickling: bool,
}

impl Caught {
    /// By the names of exception classes; `None` is a bare `except`.
    pub fn of(model: &File, kind: Option<ExprId>) -> Caught {
        let Some(kind) = kind else { return Caught { everything: true, ..Caught::default() } };
        let kinds: Vec<ExprId> = match model.expr(kind) {
            Expr::Tuple(parts) => model.list(parts).to_vec(),
            _ => vec![kind],
        };
        let mut out = Caught::default();
        for kind in kinds {
            out.add(model, kind);
        }
        out
    }

    fn add(&mut self, model: &File, kind: ExprId) {
        let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(kind) else { return };
        let name = name.as_str();
        match name {
            "Exception" | "BaseException" => self.everything = true,
            "OSError" | "IOError" | "EnvironmentError" | "error" => self.outside = true,
            "ValueError" | "KeyError" | "IndexError" | "LookupError" | "EOFError" | "ArithmeticError" => {
                self.data = true
            }
            "RuntimeError" => self.runtime = true,
            "OutOfMemoryError" => self.memory = true,
            "KeyboardInterrupt" => self.interrupt = true,
            _ => {
                const WORDS: [&str; 12] = [
                    "File",
                    "Permission",
                    "Timeout",
                    "Connection",
                    "HTTP",
                    "Http",
                    "Request",
                    "URL",
                    "Client",
                    "NotFound",
                    "Storage",
                    "BrokenPipe",
                ];
                const DATA: [&str; 5] = ["Decode", "Pickl", "Parse", "YAML", "Corrupt"];
                self.outside |= WORDS.iter().any(|word| name.contains(word)) && name != "ModuleNotFoundError";
                self.data |= DATA.iter().any(|word| name.contains(word));
                self.pickling |= name.contains("Pickl");
                self.memory |= name.contains("OOM") || name.contains("OutOfMemory");
            }
        }
    }

    /// Whether it catches a failure of that sort.
    pub fn takes(self, failure: Failure) -> bool {
        self.everything
            || match failure {
                Failure::Outside => self.outside,
                Failure::Data => self.data,
                Failure::Any => self.memory || self.runtime,
            }
    }

    /// Whether it may catch anything that differs between ranks.
    pub fn is_local(self) -> bool {
        self.everything || self.outside || self.data || self.runtime || self.memory
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

/// Whether a function that mentions the name may ask somebody over the network, or a queue.
pub fn may_go_otherwise(name: Symbol) -> bool {
    matches!(
        name.as_str(),
        "raise_for_status" | "urlopen" | "urlretrieve" | "requests" | "httpx" | "get_nowait" | "Empty"
    )
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
        if PARSERS.contains(&dotted) {
            return Some(Failure::Data);
        }
    }
    OUTSIDE_METHODS.contains(&last.as_str()).then_some(Failure::Outside)
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

/// Whether the block never comes back: every way through it raises or ends the process.
pub fn never_returns(
    communication: &mut Communication<'_>,
    program: &Program,
    file: FileId,
    function: LocalFunction,
    block: Block,
    depth: u32,
) -> bool {
    let model = &program.file(file).model;
    // A way that has left before comes back elsewhere: `if "out of memory" in str(error): continue`, and then `raise`.
    let reached = model.block(block).iter().take_while(|&&id| !may_leave(model, id));
    reached.copied().collect::<Vec<_>>().into_iter().any(|id| match model.stmt(id) {
        Stmt::Raise(_) => true,
        Stmt::If { body, orelse, .. } => {
            !orelse.is_empty()
                && never_returns(communication, program, file, function, *body, depth)
                && never_returns(communication, program, file, function, *orelse, depth)
        }
        Stmt::With { body, .. } => never_returns(communication, program, file, function, *body, depth),
        Stmt::Try(parts) => {
            never_returns(communication, program, file, function, parts.finally, depth)
                || never_returns(communication, program, file, function, parts.body, depth)
        }
        Stmt::Expr(value) => {
            let Expr::Call(call) = model.expr(*value) else { return false };
            ends(communication, program, file, function, model.call(call), depth)
        }
        _ => false,
    })
}

/// Whether a statement goes on elsewhere under a condition: back to the loop around, or to the caller.
fn may_leave(model: &File, id: StmtId) -> bool {
    let Stmt::If { body, orelse, .. } = model.stmt(id) else { return false };
    let mut leaves = false;
    for block in [*body, *orelse] {
        each_statement(model, block, &mut |_, stmt| {
            leaves |= matches!(stmt, Stmt::Return(_) | Stmt::Break | Stmt::Continue);
        });
    }
    leaves
}

/// Whether a call ends the process, or says by its name that it does.
fn ends(
    communication: &mut Communication<'_>,
    program: &Program,
    file: FileId,
    function: LocalFunction,
    call: Call,
    depth: u32,
) -> bool {
    let model = &program.file(file).model;
    if let Some(dotted) = program.resolve(file, function, call.callee) {
        if matches!(program.catalog.entry(dotted), Some(Entry::Exit)) {
            return true;
        }
        if matches!(
            dotted.as_str(),
            "os.kill" | "os.killpg" | "pytest.fail" | "pytest.skip" | "traceback.print_exception"
        ) {
            return dotted.as_str() != "traceback.print_exception";
        }
    }
    let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(call.callee) else { return false };
    const WORDS: [&str; 14] = [
        "kill",
        "abort",
        "terminate",
        "exit",
        "send_signal",
        "crash",
        "fatal",
        "fail",
        "panic",
        "reraise",
        "skipTest",
        "shutdown",
        "raise",
        "rethrow",
    ];
    let name = name.as_str();
    if WORDS.iter().any(|word| name.split('_').any(|part| part == *word) || name == *word) || name.starts_with("kill") {
        return true;
    }
    let Some(next) = depth.checked_sub(1) else { return false };
    let Some((called, _)) = communication.callee(file, function, call) else { return false };
    let (file, local) = program.locate(called);
    let body = program.file(file).model.function(local).body;
    never_returns(communication, program, file, local, body, next)
}

/// Whether the handler keeps the exception for later: it is stored, returned, or handed to somebody.
pub fn keeps_exception(model: &File, handler: &Handler) -> bool {
    let Some(name) = handler.name else { return false };
    let mentioned = |root: ExprId| {
        let mut found = false;
        each_expression(model, root, &mut |_, expr| found |= expr == Expr::Name(name));
        found
    };
    let mut kept = false;
    each_statement(model, handler.body, &mut |_, stmt| match stmt {
        Stmt::Assign { targets, value } => {
            let stored = model.list(*targets).iter().any(|&target| !matches!(model.expr(target), Expr::Name(_)));
            let bare = model.expr(*value) == Expr::Name(name);
            kept |= mentioned(*value) && (stored || bare);
        }
        Stmt::Return(Some(value)) => kept |= mentioned(*value),
        Stmt::Expr(value) => {
            let Expr::Call(call) = model.expr(*value) else { return };
            let call = model.call(call);
            let Expr::Attribute { name: method, .. } = model.expr(call.callee) else { return };
            let stores = matches!(
                method.as_str(),
                "append" | "put" | "put_nowait" | "set_exception" | "add" | "send" | "add_exception"
            );
            kept |= stores && model.list(call.args).iter().any(|&argument| mentioned(argument));
        }
        _ => {}
    });
    kept
}

/// Whether the handler asks if memory ran out: by the text of the exception or by a function that says so.
pub fn asks_for_memory(model: &File, handler: &Handler) -> bool {
    let mut found = false;
    each_statement(model, handler.body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| match expr {
                Expr::Str(text) => found |= text.as_str().contains("out of memory"),
                Expr::Name(name) | Expr::Attribute { name, .. } => {
                    found |= name.as_str().split('_').any(|part| part.eq_ignore_ascii_case("oom"));
                }
                _ => {}
            });
        }
    });
    found
}
