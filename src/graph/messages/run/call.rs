//! Calls: messages, functions of the program, and the few library functions that numbers go through.

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::catalog::{Entry, ValueKind};
use crate::model::{Call, Expr, ExprId, LocalFunction};

use super::super::known::{DIFFERS, Known, UNIFORM, open, range, truth};
use super::super::step::{Step, StepKind};
use super::{Body, Halt, Run, wire};

impl<'p> Run<'p> {
    pub(super) fn call(&mut self, body: &mut Body<'p>, call: Call, id: ExprId) -> Result<Known, Halt> {
        let model = body.model;
        let mut positional = Vec::new();
        let mut starred = false;
        for &arg in model.list(call.args) {
            starred |= matches!(model.expr(arg), Expr::Starred(_));
            positional.push(self.expression(body, arg)?);
        }
        let mut keywords = Vec::new();
        for keyword in model.keywords(call) {
            let value = self.expression(body, keyword.value)?;
            match keyword.name {
                Some(name) => keywords.push((name, value)),
                None => starred = true,
            }
        }
        if let Some(kind) = super::super::message(self.program, body.file, body.local, call.callee).or_else(|| {
            // `dist.P2POp`, or a function that a variable holds.
            match model.expr(call.callee) {
                Expr::Name(name) => match body.names.get(&name) {
                    Some(Known::Operation(kind)) => Some(*kind),
                    _ => None,
                },
                _ => None,
            }
        }) {
            let site = Site { file: body.file, span: model.span(id) };
            return match starred {
                true => Err(Halt::Unknown),
                false => self.issue(kind, &positional, &keywords, site),
            };
        }
        if let Expr::Attribute { value, name } = model.expr(call.callee) {
            match (name.as_str(), model.expr(value)) {
                ("append", Expr::Name(list)) if positional.len() == 1 => {
                    if let Some(Known::Sequence(parts)) = body.names.get_mut(&list) {
                        parts.push(positional[0].clone());
                    }
                    return Ok(Known::None);
                }
                ("extend" | "insert" | "pop" | "remove" | "reverse" | "sort" | "clear", Expr::Name(list))
                    if body.names.contains_key(&list) =>
                {
                    body.names.insert(list, DIFFERS);
                    return Ok(DIFFERS);
                }
                ("wait" | "synchronize", _) => {
                    if let Known::Work(step) = self.expression(body, value)? {
                        let site = Site { file: body.file, span: model.span(id) };
                        self.steps.push(Step { kind: StepKind::Wait(step), peer: None, site });
                    }
                    return Ok(Known::Bool(true));
                }
                _ => {}
            }
        }
        if let Some(function) = super::super::called(self.program, body.file, body.local, call.callee) {
            let (file, local) = self.program.locate(function);
            if self.program.catalogued(function).is_none() {
                return self.call_function(function, file, local, &positional, &keywords, starred, body);
            }
        }
        let dotted = self.program.resolve(body.file, body.local, call.callee);
        let values: Vec<&Known> = positional.iter().chain(keywords.iter().map(|keyword| &keyword.1)).collect();
        if let Some(dotted) = dotted
            && let Some(known) = self.external(dotted, &positional, &keywords)
        {
            return Ok(known);
        }
        if let Expr::Name(name) | Expr::Attribute { name, .. } = model.expr(call.callee)
            && values.is_empty()
            && let Some(known) = self.by_convention(name)
        {
            return Ok(known);
        }
        if positional.iter().any(|value| matches!(value, Known::Operation(_)))
            || matches!(model.expr(call.callee), Expr::Name(name) | Expr::Attribute { name, .. } if wire(name))
        {
            // Somebody else sends.
            return Err(Halt::Unknown);
        }
        Ok(open(&values))
    }

    #[expect(clippy::too_many_arguments, reason = "a call has so many parts")]
    fn call_function(
        &mut self,
        function: FunctionId,
        file: FileId,
        local: LocalFunction,
        positional: &[Known],
        keywords: &[(Symbol, Known)],
        starred: bool,
        body: &Body<'p>,
    ) -> Result<Known, Halt> {
        let speaks = self.may_speak(function, 3);
        let definition = self.program.function(function);
        if let Some(known) = self.by_convention(definition.name)
            && !speaks
        {
            return Ok(known);
        }
        let same_object = definition.class.is_none() || body.receiver.is_some();
        if starred || !same_object || !self.program.file(file).model.list(definition.decorators).is_empty() {
            return match speaks {
                true => Err(Halt::Unknown),
                false => Ok(DIFFERS),
            };
        }
        let before = self.steps.len();
        let depth = self.depth;
        match self.call_local(file, local, positional, keywords) {
            Err(_) if !speaks => {
                self.depth = depth;
                self.steps.truncate(before);
                if self.fuel == 0 { Err(Halt::Unknown) } else { Ok(DIFFERS) }
            }
            result => result,
        }
    }

    fn issue(
        &mut self,
        kind: StepKind,
        positional: &[Known],
        keywords: &[(Symbol, Known)],
        site: Site,
    ) -> Result<Known, Halt> {
        let named =
            |names: &[&str]| keywords.iter().find(|(name, _)| names.contains(&name.as_str())).map(|keyword| &keyword.1);
        let (kind, shift) = match kind {
            StepKind::Batched => match positional.first().or(named(&["op"])) {
                Some(Known::Operation(StepKind::Send | StepKind::Isend)) => (StepKind::Isend, 1),
                Some(Known::Operation(StepKind::Recv | StepKind::Irecv)) => (StepKind::Irecv, 1),
                _ => return Err(Halt::Unknown),
            },
            kind => (kind, 0),
        };
        let group = positional.get(2 + shift).or(named(&["group"]));
        if group.is_some_and(|group| *group != Known::None) {
            return Err(Halt::Unknown);
        }
        let Some(Known::Int(peer)) = positional.get(1 + shift).or(named(&["dst", "src", "peer"])) else {
            return Err(Halt::Unknown);
        };
        self.steps.push(Step { kind, peer: Some(*peer), site });
        Ok(match kind {
            // A part of a batch, too: whoever waits for the batch waits for its parts, in whatever order.
            StepKind::Isend | StepKind::Irecv => Known::Work(self.steps.len() - 1),
            _ => Known::None,
        })
    }

    fn external(&mut self, dotted: Symbol, positional: &[Known], keywords: &[(Symbol, Known)]) -> Option<Known> {
        if let Some(Entry::Value(value)) = self.program.catalog.entry(dotted) {
            let group = positional.iter().chain(keywords.iter().map(|keyword| &keyword.1));
            let whole = group.clone().all(|group| *group == Known::None);
            return Some(match &value.kind {
                ValueKind::Environment => self.environment(positional),
                kind if whole => self.meaning(kind, value.axis),
                ValueKind::Uniform | ValueKind::Size => UNIFORM,
                _ => DIFFERS,
            });
        }
        match (dotted.as_str(), positional) {
            (batch, [parts @ Known::Sequence(_)]) if batch.ends_with(".batch_isend_irecv") => Some(parts.clone()),
            ("range", _) => range(positional),
            ("int" | "str", [value @ (Known::Int(_) | Known::Str(_))]) => Some(value.clone()),
            ("len", [Known::Sequence(parts)]) => Some(Known::Int(parts.len() as i64)),
            ("bool", [value]) => truth(value).map(Known::Bool),
            ("list" | "tuple" | "iter", [value @ Known::Sequence(_)]) => Some(value.clone()),
            ("reversed", [Known::Sequence(parts)]) => Some(Known::Sequence(parts.iter().rev().cloned().collect())),
            ("enumerate", [Known::Sequence(parts)]) => {
                let pair = |(at, part): (usize, &Known)| Known::Sequence(vec![Known::Int(at as i64), part.clone()]);
                Some(Known::Sequence(parts.iter().enumerate().map(pair).collect()))
            }
            ("min" | "max", [Known::Int(one), Known::Int(other)]) => {
                let known = if dotted.as_str() == "min" { one.min(other) } else { one.max(other) };
                Some(Known::Int(*known))
            }
            ("os.getenv" | "os.environ.get", _) => Some(self.environment(positional)),
            ("sys.exit" | "exit" | "quit" | "os._exit", _) => None,
            _ => None,
        }
    }

    fn environment(&self, positional: &[Known]) -> Known {
        let Some(Known::Str(key)) = positional.first() else { return DIFFERS };
        match self.program.catalog.environment_key(key.as_str()) {
            Some(value) => self.meaning(&value.kind, value.axis),
            None => UNIFORM,
        }
    }
}
