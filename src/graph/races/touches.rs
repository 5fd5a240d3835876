//! How calls of libraries deal with paths: what is written, made, removed and read there.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::deeds::{OPENERS, filled, names_of_writes};
use crate::base::{FileId, Symbol};
use crate::graph::communication::argument;
use crate::graph::program::Program;
use crate::model::{Call, Expr, ExprId, File, Function, LocalFunction};

/// What a call does to what lies at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// A file is written, or a folder is filled.
    Writes,
    /// A folder is made, in which somebody works afterwards.
    Makes,
    /// What is there is removed, or taken elsewhere.
    Removes,
    /// What is there is read.
    Reads,
    /// A folder is read with all that lies in it.
    ReadsAll,
}

impl Touch {
    /// Whether something is read.
    pub fn reads(self) -> bool {
        matches!(self, Touch::Reads | Touch::ReadsAll)
    }
}

use Touch::{Makes, Reads, ReadsAll, Removes, Writes};

/// Functions of libraries beside those that write a file whole or fetch it, with the place and the name of the argument that says where.
const FUNCTIONS: [(&str, Touch, usize, &str); 55] = [
    ("omegaconf.OmegaConf.save", Writes, 1, "f"),
    ("torch.hub.download_url_to_file", Writes, 1, "dst"),
    ("gdown.download", Writes, 1, "output"),
    ("wget.download", Writes, 1, "out"),
    ("huggingface_hub.snapshot_download", Writes, usize::MAX, "local_dir"),
    ("shutil.copytree", Writes, 1, "dst"),
    ("shutil.move", Writes, 1, "dst"),
    ("os.rename", Writes, 1, "dst"),
    ("os.replace", Writes, 1, "dst"),
    ("logging.FileHandler", Writes, 0, "filename"),
    ("os.mkdir", Makes, 0, "path"),
    ("os.makedirs", Makes, 0, "name"),
    ("torch.utils.tensorboard.SummaryWriter", Makes, 0, "log_dir"),
    ("tensorboardX.SummaryWriter", Makes, 0, "logdir"),
    ("os.remove", Removes, 0, "path"),
    ("os.unlink", Removes, 0, "path"),
    ("os.rmdir", Removes, 0, "path"),
    ("os.removedirs", Removes, 0, "name"),
    ("shutil.rmtree", Removes, 0, "path"),
    ("shutil.move", Removes, 0, "src"),
    ("os.rename", Removes, 0, "src"),
    ("os.replace", Removes, 0, "src"),
    ("torch.load", Reads, 0, "f"),
    ("torch.jit.load", Reads, 0, "f"),
    ("numpy.load", Reads, 0, "file"),
    ("numpy.loadtxt", Reads, 0, "fname"),
    ("numpy.genfromtxt", Reads, 0, "fname"),
    ("numpy.fromfile", Reads, 0, "file"),
    ("pandas.read_csv", Reads, 0, "filepath_or_buffer"),
    ("pandas.read_table", Reads, 0, "filepath_or_buffer"),
    ("pandas.read_json", Reads, 0, "path_or_buf"),
    ("pandas.read_parquet", Reads, 0, "path"),
    ("pandas.read_pickle", Reads, 0, "filepath_or_buffer"),
    ("safetensors.torch.load_file", Reads, 0, "filename"),
    ("safetensors.safe_open", Reads, 0, "filename"),
    ("datasets.load_from_disk", ReadsAll, 0, "dataset_path"),
    ("joblib.load", Reads, 0, "filename"),
    ("omegaconf.OmegaConf.load", Reads, 0, "file_"),
    ("torchaudio.load", Reads, 0, "uri"),
    ("PIL.Image.open", Reads, 0, "fp"),
    ("torch.distributed.checkpoint.load", ReadsAll, usize::MAX, "checkpoint_id"),
    ("torch.distributed.checkpoint.FileSystemReader", ReadsAll, 0, "path"),
    ("torch.distributed.checkpoint.HuggingFaceStorageReader", ReadsAll, 0, "path"),
    ("accelerate.load_checkpoint_and_dispatch", ReadsAll, 1, "checkpoint"),
    ("os.listdir", Reads, 0, "path"),
    ("glob.glob", Reads, 0, "pathname"),
    ("glob.iglob", Reads, 0, "pathname"),
    ("os.scandir", Reads, 0, "path"),
    ("os.stat", Reads, 0, "path"),
    ("os.path.getsize", Reads, 0, "filename"),
    ("os.path.getmtime", Reads, 0, "filename"),
    ("shutil.copy", Reads, 0, "src"),
    ("shutil.copy2", Reads, 0, "src"),
    ("shutil.copyfile", Reads, 0, "src"),
    ("shutil.copytree", Reads, 0, "src"),
];

/// Methods of paths.
const OF_PATHS: [(&str, Touch); 6] = [
    ("mkdir", Makes),
    ("unlink", Removes),
    ("rmdir", Removes),
    ("read_text", Reads),
    ("read_bytes", Reads),
    ("iterdir", Reads),
];

/// Methods of what is written, and of classes whose objects are read, with the place and the name of the argument that
/// says where.
const OF_OTHERS: [(&str, Touch, usize, &str); 9] = [
    ("save_pretrained", Writes, 0, "save_directory"),
    ("extractall", Writes, 0, "path"),
    ("save_attn_procs", Writes, 0, "save_directory"),
    ("save_lora_weights", Writes, 0, "save_directory"),
    ("from_pretrained", ReadsAll, 0, "pretrained_model_name_or_path"),
    // An adapter, behind the model that it is for.
    ("from_pretrained", ReadsAll, 1, "model_id"),
    ("load_attn_procs", Reads, 0, "pretrained_model_name_or_path_or_dict"),
    ("load_lora_weights", Reads, 0, "pretrained_model_name_or_path_or_dict"),
    ("load_from_disk", ReadsAll, 0, "dataset_path"),
];

/// The calls that are looked for.
pub(super) struct Touches {
    reading: FxHashSet<Symbol>,
    others: FxHashSet<Symbol>,
}

/// What a call does, and to which path.
pub(super) type Touched = SmallVec<[(Touch, ExprId); 2]>;

impl Touches {
    pub fn new() -> Touches {
        let last = |name: &'static str| name.rsplit('.').next().unwrap_or(name);
        let of_functions = FUNCTIONS.iter().map(|&(name, touch, ..)| (last(name), touch));
        let of_paths = OF_PATHS.iter().copied();
        let of_others = OF_OTHERS.iter().map(|&(name, touch, ..)| (name, touch));
        let opening = OPENERS.iter().map(|&(name, ..)| last(name)).chain(["open"]);
        let opening = opening.flat_map(|name| [(name, Reads), (name, Writes)]);
        let whole = names_of_writes().map(|name| (name, Writes));
        let all = whole.chain(of_functions).chain(of_paths).chain(of_others).chain(opening);
        let (reading, others): (Vec<_>, Vec<_>) = all.partition(|(_, touch)| touch.reads());
        let names = |all: Vec<(&'static str, Touch)>| all.into_iter().map(|(name, _)| Symbol::new(name)).collect();
        Touches { reading: names(reading), others: names(others) }
    }

    /// Whether a function may do something to a path on which somebody relies, by what it mentions.
    pub fn are_named(&self, function: &Function) -> bool {
        function.mentions.iter().any(|name| self.others.contains(name))
    }

    /// Whether it may do that, or read what lies there.
    pub fn may(&self, function: &Function) -> bool {
        self.are_named(function) || function.mentions.iter().any(|name| self.reading.contains(name))
    }

    /// What a call does to which paths.
    pub fn of(&self, program: &Program, file: FileId, function: LocalFunction, call: Call) -> Touched {
        let model = &program.file(file).model;
        let mut out = Touched::new();
        let Some(name) = model.last_name(call.callee) else { return out };
        if !self.reading.contains(&name) && !self.others.contains(&name) {
            return out;
        }
        let given = |at: usize, name: &str| argument(model, call, Some(at), Symbol::new(name));
        let known = program.resolve(file, function, call.callee);
        // What a copy is made of is read besides.
        out.extend(filled(model, known, call).map(|(_, path)| (Writes, path)));
        let opener = known.and_then(|known| OPENERS.iter().find(|(opener, ..)| *opener == known.as_str()));
        let opens = || match (opener, model.expr(call.callee)) {
            (Some(&(_, argument, mode)), _) => Some((given(0, argument)?, given(mode, "mode"))),
            (None, Expr::Name(_)) if name.as_str() == "open" => Some((given(0, "file")?, given(1, "mode"))),
            (None, Expr::Attribute { value, .. }) if name.as_str() == "open" && known.is_none() => {
                Some((value, given(0, "mode")))
            }
            _ => None,
        };
        if out.is_empty()
            && let Some((path, mode)) = opens()
        {
            out.extend(opened(model, mode).map(|touch| (touch, path)));
            return out;
        }
        for &(of_library, touch, at, argument) in &FUNCTIONS {
            if known.is_some_and(|known| known.as_str() == of_library) {
                out.extend(given(at, argument).map(|path| (touch, path)));
            }
        }
        if !out.is_empty() {
            return out;
        }
        let Expr::Attribute { value, .. } = model.expr(call.callee) else { return out };
        let of_path = OF_PATHS.iter().filter(|(method, _)| known.is_none() && *method == name.as_str());
        out.extend(of_path.map(|&(_, touch)| (touch, value)));
        let of_other = OF_OTHERS.iter().filter(|(method, ..)| *method == name.as_str());
        out.extend(of_other.filter_map(|&(_, touch, at, argument)| Some((touch, given(at, argument)?))));
        out
    }
}

/// What a file is opened for; nothing where that is not written out.
fn opened(model: &File, mode: Option<ExprId>) -> Option<Touch> {
    let Some(mode) = mode else { return Some(Reads) };
    let Expr::Str(mode) = model.expr(mode) else { return None };
    let is_mode = mode.as_str().chars().all(|sign| "rwxabt+".contains(sign));
    is_mode.then(|| if mode.as_str().contains('r') { Reads } else { Writes })
}
