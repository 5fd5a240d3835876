//! One Flight Recorder dump, pickle or JSON, as PyTorch 2.4 and later write it (format 2.x).

use std::collections::BTreeMap;

use super::tree::{NodeId, Tree};
use super::{Unreadable, pickle};
use crate::verify::event::{Frame, Tensor};

/// Frames kept of a stack, as the probe keeps them.
const MOST_FRAMES: usize = 12;
/// Tensors kept of a call, as the probe keeps them.
const MOST_TENSORS: usize = 16;
/// Dimensions of a tensor.
const MOST_DIMENSIONS: usize = 64;
/// Groups of a job.
const MOST_GROUPS: usize = 1 << 14;
/// Bytes of a text that lists the members of a group.
const LONGEST_RANKS: usize = 1 << 20;

/// What one rank has recorded.
#[derive(Clone, Debug, Default)]
pub(super) struct Dump {
    /// Groups by name.
    pub groups: BTreeMap<String, GroupConfig>,
    /// The last collective that was issued, by group.
    pub issued: BTreeMap<String, i64>,
    /// Calls in order.
    pub entries: Vec<Entry>,
    /// Whether earlier calls were overwritten.
    pub is_wrapped: bool,
    /// Whether the backend reports when calls start and complete; gloo does not.
    pub tells_states: bool,
}

/// A group as the recorder knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GroupConfig {
    /// What people call it.
    pub description: String,
    /// Members as ranks in the world, sorted.
    pub ranks: Vec<u32>,
}

/// A call as the recorder knows it.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Name of the group.
    pub group: String,
    /// What people call it.
    pub description: String,
    /// `nccl`, `gloo`.
    pub backend: String,
    /// `all_reduce`, `send 0->1`.
    pub op: String,
    /// Place in the sequence of the group.
    pub sequence: i64,
    /// Whether it has come to an end, which may be a bad one.
    pub is_over: bool,
    /// Whether the recorder has seen it complete; some backends never say so.
    pub is_completed: bool,
    /// What goes in.
    pub tensors: Vec<Tensor>,
    /// The stack, innermost first, without frames of torch.
    pub frames: Vec<Frame>,
    /// When it was issued, in microseconds since 1970.
    pub entered_us: u64,
    /// When it was seen to be complete.
    pub left_us: Option<u64>,
}

/// Reads a dump; nothing where the file does not look like one.
pub(super) fn read(bytes: &[u8]) -> Result<Option<Dump>, Unreadable> {
    let tree = match bytes.first() {
        Some(0x80) => pickle::read(bytes)?,
        Some(b'{') => Tree::of_json(&serde_json::from_slice(bytes)?).map_err(|_| pickle::NotPlain::TooLarge)?,
        _ => return Ok(None),
    };
    dump(&tree).map(Some)
}

fn dump(tree: &Tree) -> Result<Dump, Unreadable> {
    let root = tree.root;
    let Some(version) = tree.get(root, "version").and_then(|version| tree.text(version)) else {
        return Err(Unreadable::Other("there is no version in it".into()));
    };
    if !version.starts_with("2.") {
        return Err(Unreadable::Other(format!("its format is {version}, and 2.x is what can be read")));
    }
    let mut dump = Dump::default();
    for (name, config) in tree.get(root, "pg_config").map_or(&[][..], |all| tree.pairs(all)).iter().take(MOST_GROUPS) {
        let ranks = tree.get(*config, "ranks").map(|ranks| members(tree, ranks)).unwrap_or_default();
        let description = field(tree, *config, "desc").unwrap_or_default().to_owned();
        dump.groups.insert(key(tree, *name), GroupConfig { description, ranks });
    }
    for (name, status) in tree.get(root, "pg_status").map_or(&[][..], |all| tree.pairs(all)).iter().take(MOST_GROUPS) {
        let issued = tree.get(*status, "last_enqueued_collective").and_then(|last| tree.number(last)).unwrap_or(-1);
        dump.issued.insert(key(tree, *name), issued);
    }
    let Some(entries) = tree.get(root, "entries") else {
        return Err(Unreadable::Other("there are no entries in it".into()));
    };
    let first = tree.items(entries).first().and_then(|entry| tree.get(*entry, "record_id"));
    dump.is_wrapped = first.and_then(|first| tree.number(first)).is_some_and(|first| first > 0);
    let states = tree.items(entries).iter().filter_map(|entry| field(tree, *entry, "state"));
    dump.tells_states = states.into_iter().any(|state| state != "scheduled");
    dump.entries = tree.items(entries).iter().filter_map(|entry| self::entry(tree, *entry)).collect();
    Ok(dump)
}

fn field<'a>(tree: &'a Tree, id: NodeId, name: &str) -> Option<&'a str> {
    tree.get(id, name).and_then(|value| tree.text(value))
}

/// The name of a group, which some write as a number.
fn key(tree: &Tree, id: NodeId) -> String {
    let number = || tree.number(id).map(|number| number.to_string());
    tree.text(id).map(str::to_owned).or_else(number).unwrap_or_default()
}

/// `"[0, 1]"`, or a list.
fn members(tree: &Tree, id: NodeId) -> Vec<u32> {
    let mut ranks: Vec<u32> = match tree.text(id) {
        Some(text) => {
            let text = &text[..text.floor_char_boundary(LONGEST_RANKS)];
            text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
        }
        None => tree.items(id).iter().filter_map(|item| u32::try_from(tree.number(*item)?).ok()).collect(),
    };
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

fn entry(tree: &Tree, id: NodeId) -> Option<Entry> {
    let number = |name: &str| tree.get(id, name).and_then(|value| tree.number(value));
    let text = |name: &str| field(tree, id, name);
    let micros = |name: &str| number(name).and_then(|time| u64::try_from(time).ok()).filter(|time| *time > 0);
    let (backend, op) = text("profiling_name")?.rsplit_once(':')?;
    let group = tree.get(id, "process_group").map_or(&[][..], |group| tree.items(group));
    let is_completed = text("state") == Some("completed");
    let is_retired = tree.get(id, "retired").and_then(|flag| tree.flag(flag)).unwrap_or(false);
    Some(Entry {
        group: group.first().map(|name| key(tree, *name)).unwrap_or_default(),
        description: group.get(1).map(|name| key(tree, *name)).unwrap_or_default(),
        backend: backend.to_owned(),
        op: op.to_owned(),
        sequence: number("collective_seq_id").unwrap_or(0),
        is_over: is_completed || is_retired,
        is_completed,
        tensors: tensors(tree, id),
        frames: frames(tree, id),
        entered_us: micros("time_created_ns").unwrap_or(0) / 1_000,
        left_us: micros("time_discovered_completed_ns").map(|time| time / 1_000),
    })
}

fn tensors(tree: &Tree, id: NodeId) -> Vec<Tensor> {
    let list = |name: &str| tree.get(id, name).map_or(&[][..], |all| tree.items(all));
    let shapes = list("input_sizes").iter().map(|sizes| {
        tree.items(*sizes).iter().take(MOST_DIMENSIONS).filter_map(|size| tree.number(*size)).collect::<Vec<i64>>()
    });
    let dtypes = list("input_dtypes").iter().map(|dtype| tree.text(*dtype).unwrap_or_default());
    shapes
        .zip(dtypes.chain(std::iter::repeat("")))
        .take(MOST_TENSORS)
        .map(|(shape, name)| Tensor { dtype: dtype(name), shape })
        .collect()
}

/// The name that Python uses for a type.
fn dtype(name: &str) -> String {
    let known = match name {
        "Float" => "float32",
        "Double" => "float64",
        "Half" => "float16",
        "Byte" => "uint8",
        "Char" => "int8",
        "Short" => "int16",
        "Int" => "int32",
        "Long" => "int64",
        "ComplexHalf" => "complex32",
        "ComplexFloat" => "complex64",
        "ComplexDouble" => "complex128",
        _ => return name.to_ascii_lowercase(),
    };
    known.to_owned()
}

fn frames(tree: &Tree, id: NodeId) -> Vec<Frame> {
    let frames = tree.get(id, "frames").map_or(&[][..], |frames| tree.items(frames));
    // A hostile stack may be as long as the file for every entry.
    let frames = frames.iter().take(256).filter_map(|frame| {
        let path = field(tree, *frame, "filename")?;
        let line = tree.get(*frame, "line").and_then(|line| tree.number(line)).unwrap_or(0);
        let function = field(tree, *frame, "name").unwrap_or_default().to_owned();
        Some(Frame { path: path.to_owned(), line: u32::try_from(line).unwrap_or(0), function })
    });
    frames.filter(|frame| !is_torch(&frame.path)).take(MOST_FRAMES).collect()
}

fn is_torch(path: &str) -> bool {
    ["-packages/torch/", "/torch/distributed/", "/torch/nn/", "/torch/autograd/", "/torch/utils/"]
        .iter()
        .any(|part| path.contains(part))
}
