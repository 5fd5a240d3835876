//! The vocabulary by which a control plane is recognised: what its headers, results and actions are called.

use crate::base::Symbol;

/// Fields that say what a message asks for.
const ACTIONS: [&str; 9] =
    ["action", "command", "cmd", "opcode", "op_code", "message_type", "msg_type", "kind", "message_kind"];

/// Fields that tell messages of one sender apart.
const IDS: [&str; 14] = [
    "call_id",
    "chunk_index",
    "chunk_id",
    "message_id",
    "msg_id",
    "request_id",
    "batch_id",
    "sequence_id",
    "seq_id",
    "sequence_number",
    "seq_no",
    "seqno",
    "step_id",
    "micro_batch_id",
];

/// The word of a name of constants or of enumeration members that end a conversation.
const TERMINAL: [&str; 9] = ["SHUTDOWN", "SHUT_DOWN", "STOP", "TERMINATE", "QUIT", "EXIT", "ABORT", "ERROR", "CLOSE"];

/// Fields that tell a result from the call it answers.
const OUTCOMES: [&str; 6] = ["ok", "error", "error_message", "success", "failed", "exception"];

/// Whether a field or variable of that name says what a message asks for.
pub(super) fn is_action(name: &str) -> bool {
    ACTIONS.contains(&name) || name.ends_with("_action") || name == "Action" || name.ends_with("Action")
}

/// Whether a field or variable of that name tells messages apart.
pub fn is_id(name: &str) -> bool {
    IDS.contains(&name.trim_start_matches('_'))
}

/// Whether a field or variable of that name numbers the generations of the cache.
pub fn is_epoch(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    matches!(name, "cache_epoch" | "epoch_id" | "generation_id" | "cache_generation" | "control_epoch")
}

/// Whether a field of that name holds the version of the protocol.
pub fn is_version(name: &str) -> bool {
    name == "version" || name.ends_with("_version") || name == "protocol" || name == "VERSION"
}

/// Whether a field of that name is one of a result.
pub(super) fn is_outcome(name: &str) -> bool {
    OUTCOMES.contains(&name) || name.starts_with("observed_")
}

/// Whether a constant of that name ends a conversation: `SHUTDOWN`, `ACTION_STOP`.
pub fn is_terminal(name: Symbol) -> bool {
    let name = name.as_str();
    TERMINAL
        .iter()
        .any(|word| name == *word || name.strip_suffix(word).is_some_and(|head| head.ends_with('_') && is_upper(head)))
}

/// Whether a variable of that name holds a header.
pub(super) fn is_header(name: &str) -> bool {
    matches!(name, "header" | "hdr") || name.ends_with("_header")
}

fn is_upper(text: &str) -> bool {
    text.bytes().all(|byte| !byte.is_ascii_lowercase())
}
