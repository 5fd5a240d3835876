//! What a place on the disk is called in a function, and which calls make it.

use crate::base::{Site, Symbol};
use crate::model::{Call, Expr, ExprId, File, Keyword, LocalFunction, ParameterKind, each_expression, each_statement};

use super::super::communication::{argument, calls_in};
use super::super::program::Program;

/// What a place on the disk is called in one function: by which names, put together with which texts.
pub(super) struct Place<'p> {
    pub(super) model: &'p File,
    pub(super) function: LocalFunction,
    pub(super) names: Vec<Symbol>,
    pub(super) texts: Vec<Symbol>,
    /// What it is put together of: whatever is fetched into the folder may be it.
    pub(super) folders: Vec<Symbol>,
}

/// Functions that fetch something into a folder that they are given.
const FETCHES: [&str; 9] = [
    "load_state_dict_from_url",
    "download_url_to_file",
    "download_url",
    "download_and_extract_archive",
    "snapshot_download",
    "hf_hub_download",
    "urlretrieve",
    "extractall",
    "unpack_archive",
];

/// Those of them that fetch what has a name on a hub.
const FETCHES_FROM_HUB: [&str; 2] = ["snapshot_download", "hf_hub_download"];

impl Place<'_> {
    /// Whether an expression speaks of it: `path + ".idx"` is not `path + ".bin"`.
    fn is_named_in(&self, expr: ExprId) -> bool {
        let other = texts_in(self.model, expr);
        let elsewhere =
            !self.texts.is_empty() && !other.is_empty() && !self.texts.iter().any(|text| other.contains(text));
        !elsewhere && places_in(self.model, expr).iter().any(|name| self.names.contains(name))
    }

    /// Whether a call is given it and may make it, or is one of its own methods that does.
    pub(super) fn is_made_by(&self, call: Call) -> bool {
        let is_within = |argument| places_in(self.model, argument).iter().any(|name| self.folders.contains(name));
        may_make(self.model, call) && given_as_places(self.model, call).any(|argument| self.is_named_in(argument))
            || fetches(self.model, call) && given_as_places(self.model, call).any(is_within)
            || makes_itself(self.model, call).is_some_and(|path| self.is_named_in(path))
    }

    pub(super) fn calls(&self) -> Vec<(ExprId, Call)> {
        calls_in(self.model, self.model.function(self.function).body)
    }
}

/// Variables of the function that are given what is put together just as the place that a call asks for is.
pub(super) fn written_alike(
    program: &Program,
    asks: Site,
    function: LocalFunction,
    asked: Call,
    names: &[Symbol],
) -> Vec<Symbol> {
    let file = program.file(asks.file);
    let model = &file.model;
    let written = |expr: ExprId| {
        let span = model.span(expr);
        let text = file.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        text.split_whitespace().collect::<String>()
    };
    let is_put_together =
        |expr: &ExprId| matches!(model.expr(*expr), Expr::Call(_) | Expr::Binary(..) | Expr::Format(_));
    let assigned = names.iter().filter_map(|&name| program.single_assignment(asks.file, function, name));
    let places = given(model, asked).chain(assigned).filter(is_put_together);
    let places: Vec<String> = places.map(written).collect();
    let mut out = Vec::new();
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Some((targets, value)) = model.assigned(stmt)
            && is_put_together(&value)
            && let [target] = *targets
            && let Expr::Name(name) = model.expr(target)
            && !names.contains(&name)
            && places.contains(&written(value))
        {
            out.push(name);
        }
    });
    out
}

/// Whether a call fetches something from elsewhere and leaves it on the disk.
pub(super) fn fetches(model: &File, call: Call) -> bool {
    model.last_name(call.callee).is_some_and(|name| FETCHES.contains(&name.as_str()))
}

/// The arguments of a call that may name a place on the disk. What is fetched from a hub has a name there, and goes into a
/// folder by a name of its own unless it is told one.
fn given_as_places(model: &File, call: Call) -> impl Iterator<Item = ExprId> + '_ {
    let from_hub = model.last_name(call.callee).is_some_and(|name| FETCHES_FROM_HUB.contains(&name.as_str()));
    let is_told = |keyword: &Keyword| keyword.name.is_some_and(|name| name.as_str() == "local_dir");
    let by_name_alone = from_hub && !model.keywords(call).iter().any(is_told);
    let caches =
        model.keywords(call).iter().filter(|keyword| keyword.name.is_some_and(|name| name.as_str() == "cache_dir"));
    let caches = caches.map(|keyword| keyword.value).filter(move |_| by_name_alone);
    given(model, call).filter(move |_| !by_name_alone).chain(caches)
}

/// All arguments of a call.
pub(super) fn given(model: &File, call: Call) -> impl Iterator<Item = ExprId> + '_ {
    model.list(call.args).iter().copied().chain(model.keywords(call).iter().map(|keyword| keyword.value))
}

/// The parameters of a function that are given something that is called by one of the names.
pub(super) fn parameters_for(
    model: &File,
    call: Call,
    callee: &File,
    function: LocalFunction,
    names: &[Symbol],
) -> Vec<Symbol> {
    let speaks = |expr: ExprId| places_in(model, expr).iter().any(|name| names.contains(name));
    let definition = callee.function(function);
    let is_method = definition.class.is_some() && matches!(model.expr(call.callee), Expr::Attribute { .. });
    let own = definition.parameters.iter().skip(usize::from(is_method));
    let positional = own.filter(|parameter| parameter.kind == ParameterKind::Normal).map(|parameter| parameter.name);
    let by_position =
        positional.zip(model.list(call.args)).filter(|(_, argument)| speaks(**argument)).map(|(name, _)| name);
    let keywords = model.keywords(call).iter().filter(|keyword| speaks(keyword.value));
    by_position.chain(keywords.filter_map(|keyword| keyword.name)).collect()
}

/// The texts that an expression is put together with.
pub(super) fn texts_in(model: &File, root: ExprId) -> Vec<Symbol> {
    let mut out = Vec::new();
    each_expression(model, root, &mut |_, expr| {
        if let Expr::Str(text) = expr {
            out.push(text);
        }
    });
    out
}

/// What an expression names: variables, attributes and keys, but not the objects that hold them.
pub(super) fn places_in(model: &File, root: ExprId) -> Vec<Symbol> {
    let mut out = Vec::new();
    let mut pending = vec![root];
    while let Some(expr) = pending.pop() {
        match model.expr(expr) {
            Expr::Name(name) => out.push(name),
            // The module of that name is no place.
            Expr::Attribute { value, .. } if model.expr(value) == Expr::Name(Symbol::new("os")) => {}
            Expr::Attribute { name, .. } => out.push(name),
            Expr::Subscript(value, key) => match model.expr(key) {
                Expr::Str(key) => out.push(key),
                _ => pending.push(value),
            },
            Expr::Binary(_, left, right) => pending.extend([left, right]),
            Expr::Call(call) => {
                let call = model.call(call);
                pending.extend(model.list(call.args));
                if let Expr::Attribute { value, .. } = model.expr(call.callee) {
                    pending.push(value);
                }
            }
            Expr::Dict(parts) | Expr::Tuple(parts) | Expr::ListDisplay(parts) | Expr::Format(parts) => {
                pending.extend(model.list(parts));
            }
            Expr::Starred(inner) | Expr::Await(inner) => pending.push(inner),
            _ => {}
        }
    }
    out
}

/// Whether a call may make what it is given the place of: it does not only read, ask or put a path together.
pub(super) fn may_make(model: &File, call: Call) -> bool {
    let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(call.callee) else { return false };
    const READS: [&str; 29] = [
        "load",
        "read",
        "exists",
        "isfile",
        "isdir",
        "is_file",
        "is_dir",
        "listdir",
        "glob",
        "join",
        "basename",
        "dirname",
        "abspath",
        "expanduser",
        "path",
        "parse",
        "format",
        "print",
        "log",
        "info",
        "warn",
        "error",
        "pretrained",
        "restore",
        "from",
        "resolve",
        "check",
        "validate",
        "find",
    ];
    if ["Error", "Exception", "Warning"].iter().any(|end| name.as_str().ends_with(end)) {
        return false;
    }
    let name = name.as_str().to_ascii_lowercase();
    if name == "open" {
        let mode = argument(model, call, Some(1), Symbol::new("mode"));
        return mode.is_some_and(|mode| opens_to_write(model, mode));
    }
    const FETCHES: [&str; 5] = ["create", "make", "build", "download", "write"];
    if name.starts_with("get_") && !FETCHES.iter().any(|word| name.contains(word)) {
        return false;
    }
    let reads = |word: &str| READS.contains(&word) || READS.contains(&word.trim_end_matches("ing"));
    !name.split('_').any(reads)
        && !matches!(name.as_str(), "str" | "len" | "list" | "sorted" | "int" | "append" | "get")
}

/// The path that is made by a method of its own.
pub(super) fn makes_itself(model: &File, call: Call) -> Option<ExprId> {
    let Expr::Attribute { value, name } = model.expr(call.callee) else { return None };
    let makes = match name.as_str() {
        "mkdir" | "touch" | "write_text" | "write_bytes" | "symlink_to" | "hardlink_to" => true,
        "open" => argument(model, call, Some(0), Symbol::new("mode")).is_some_and(|mode| opens_to_write(model, mode)),
        _ => false,
    };
    makes.then_some(value)
}

/// Whether a mode is one to write.
pub(super) fn opens_to_write(model: &File, mode: ExprId) -> bool {
    matches!(model.expr(mode), Expr::Str(text) if text.as_str().contains(['w', 'a', 'x', '+']))
}
