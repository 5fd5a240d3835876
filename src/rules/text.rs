//! The text of a string expression in pieces: what the source spells, and holes for what it does not.

use crate::base::Symbol;
use crate::graph::{Program, Scope};
use crate::model::{BinaryOp, Constant, Expr, ExprId, LocalFunction};

use super::calls::{CallSite, last_name};

/// Stands for a hole where pieces are written as one text.
pub(super) const HOLE: &str = "\u{fffc}";

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// Known.
    Text(String),
    /// Decided at run time, by this expression of this function.
    Hole(LocalFunction, ExprId),
}

/// The pieces of `expr`, through names, concatenation, formatting and paths.
pub(super) fn pieces(program: &Program, call: CallSite, expr: ExprId) -> Vec<Piece> {
    let mut out = Vec::new();
    Reader { program, call }.read(call.function, expr, 16, &mut out);
    out
}

/// The text of `expr`, with [`HOLE`] for what is decided at run time.
pub(super) fn text_of(program: &Program, call: CallSite, expr: ExprId) -> String {
    written(&pieces(program, call, expr))
}

/// The pieces as one text.
pub(super) fn written(pieces: &[Piece]) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Hole(..) => HOLE.to_owned(),
    };
    pieces.iter().map(piece).collect()
}

struct Reader<'a> {
    program: &'a Program,
    call: CallSite,
}

impl Reader<'_> {
    fn read(&self, function: LocalFunction, expr: ExprId, fuel: u32, out: &mut Vec<Piece>) {
        let hole = Piece::Hole(function, expr);
        let Some(fuel) = fuel.checked_sub(1) else { return out.push(hole) };
        let file = self.call.file;
        match self.program.constant(file, function, expr) {
            Some(Constant::Str(text)) => return out.push(Piece::Text(text)),
            Some(Constant::Int(value)) => return out.push(Piece::Text(value.to_string())),
            _ => {}
        }
        let model = &self.program.file(file).model;
        match model.expr(expr) {
            Expr::Format(parts) => model.list(parts).iter().for_each(|&part| self.read(function, part, fuel, out)),
            Expr::Binary(BinaryOp::Add, left, right) => {
                // `k + 1` is arithmetic, not text.
                if [left, right].iter().any(|&side| matches!(model.expr(side), Expr::Int(_))) {
                    return out.push(hole);
                }
                self.read(function, left, fuel, out);
                self.read(function, right, fuel, out);
            }
            Expr::Binary(BinaryOp::Div, left, right) => self.joined(function, &[left, right], fuel, out),
            Expr::Binary(BinaryOp::Mod, left, right) => self.percent(function, left, right, fuel, out),
            Expr::Walrus(_, value) => self.read(function, value, fuel, out),
            Expr::Name(name) => match self.value_of(function, name) {
                Some((owner, value)) if self.is_text(value) => self.read(owner, value, fuel, out),
                _ => out.push(hole),
            },
            Expr::Call(index) => {
                let call = model.call(index);
                let args = model.list(call.args);
                let last = last_name(model, call.callee).map_or("", Symbol::as_str);
                match (last, model.expr(call.callee)) {
                    ("format", Expr::Attribute { value, .. }) => self.braces(function, value, args, fuel, out),
                    ("strip" | "rstrip" | "lstrip" | "as_posix" | "resolve", Expr::Attribute { value, .. }) => {
                        self.read(function, value, fuel, out);
                    }
                    ("joinpath", Expr::Attribute { value, .. }) => {
                        self.read(function, value, fuel, out);
                        out.push(Piece::Text("/".to_owned()));
                        self.joined(function, args, fuel, out);
                    }
                    ("join", Expr::Attribute { value, .. }) => match (model.expr(value), args) {
                        (Expr::Str(separator), &[list]) => match model.expr(list) {
                            Expr::ListDisplay(parts) | Expr::Tuple(parts) => {
                                for (index, &part) in model.list(parts).iter().enumerate() {
                                    if index > 0 {
                                        out.push(Piece::Text(separator.to_string()));
                                    }
                                    self.read(function, part, fuel, out);
                                }
                            }
                            _ => out.push(hole),
                        },
                        (Expr::Str(_), _) => out.push(hole),
                        _ => self.joined(function, args, fuel, out),
                    },
                    ("Path" | "PurePath" | "abspath" | "realpath" | "normpath" | "fspath", _) if !args.is_empty() => {
                        self.joined(function, args, fuel, out);
                    }
                    ("str" | "quote" | "dedent", _) if args.len() == 1 => self.read(function, args[0], fuel, out),
                    _ => out.push(hole),
                }
            }
            _ => match self.program.constant(file, function, expr) {
                Some(Constant::Prefix(text)) => out.extend([Piece::Text(text), hole]),
                _ => out.push(hole),
            },
        }
    }

    fn value_of(&self, function: LocalFunction, name: Symbol) -> Option<(LocalFunction, ExprId)> {
        let owner = match self.program.scope_of(self.call.file, function, name) {
            Scope::Local(owner) => owner,
            Scope::Global => LocalFunction(0),
        };
        Some((owner, self.program.single_assignment(self.call.file, owner, name)?))
    }

    /// Whether following a name to this value says more about the text than the name does.
    fn is_text(&self, value: ExprId) -> bool {
        let model = &self.program.file(self.call.file).model;
        match model.expr(value) {
            Expr::Str(_) | Expr::Format(_) | Expr::Binary(..) | Expr::Name(_) => true,
            Expr::Call(index) => last_name(model, model.call(index).callee).is_some_and(|name| {
                matches!(
                    name.as_str(),
                    "format" | "join" | "joinpath" | "Path" | "str" | "abspath" | "resolve" | "strip"
                )
            }),
            _ => false,
        }
    }

    fn joined(&self, function: LocalFunction, parts: &[ExprId], fuel: u32, out: &mut Vec<Piece>) {
        for (index, &part) in parts.iter().enumerate() {
            if index > 0 {
                out.push(Piece::Text("/".to_owned()));
            }
            self.read(function, part, fuel, out);
        }
    }

    /// `"… %s … %d" % (a, b)`
    fn percent(&self, function: LocalFunction, left: ExprId, right: ExprId, fuel: u32, out: &mut Vec<Piece>) {
        let model = &self.program.file(self.call.file).model;
        let mut format = Vec::new();
        self.read(function, left, fuel, &mut format);
        let args = match model.expr(right) {
            Expr::Tuple(parts) => model.list(parts).to_vec(),
            _ => vec![right],
        };
        self.filled(function, &written(&format), &args, fuel, out, |text| {
            let at = text.find('%')?;
            let length = text[at + 1..].find(|one: char| one.is_ascii_alphabetic())? + 2;
            Some((at, at + length))
        });
    }

    /// `"… {} …".format(a)`
    fn braces(&self, function: LocalFunction, receiver: ExprId, args: &[ExprId], fuel: u32, out: &mut Vec<Piece>) {
        let mut format = Vec::new();
        self.read(function, receiver, fuel, &mut format);
        self.filled(function, &written(&format), args, fuel, out, |text| {
            let at = text.find('{')?;
            Some((at, at + text[at..].find('}')? + 1))
        });
    }

    fn filled(
        &self,
        function: LocalFunction,
        format: &str,
        args: &[ExprId],
        fuel: u32,
        out: &mut Vec<Piece>,
        next: impl Fn(&str) -> Option<(usize, usize)>,
    ) {
        let mut rest = format;
        let mut args = args.iter();
        while let Some((start, end)) = next(rest) {
            out.push(Piece::Text(rest[..start].to_owned()));
            match args.next() {
                Some(&arg) => self.read(function, arg, fuel, out),
                None => out.push(Piece::Text(HOLE.to_owned())),
            }
            rest = &rest[end..];
        }
        out.push(Piece::Text(rest.to_owned()));
    }
}
