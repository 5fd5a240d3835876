//! Evaluates expressions for one rank.

use crate::base::Symbol;
use crate::model::{Expr, ExprId, UnaryOp};

use super::super::super::resolve::{Scope, Target};
use super::super::known::{DIFFERS, Known, MAX_TURNS, UNIFORM, arithmetic, compare, open, truth};
use super::{Body, Halt, Run};

impl<'p> Run<'p> {
    pub(super) fn expression(&mut self, body: &mut Body<'p>, id: ExprId) -> Result<Known, Halt> {
        self.spend()?;
        let model = body.model;
        Ok(match model.expr(id) {
            Expr::None => Known::None,
            Expr::Bool(known) => Known::Bool(known),
            Expr::Int(known) => Known::Int(i64::from(known)),
            Expr::Str(text) => Known::Str(text),
            Expr::Name(name) => self.name(body, name, id),
            Expr::Attribute { value, name } => {
                if body.is_receiver(value)
                    && let Some(known) = self.attributes.get(&name)
                {
                    return Ok(match known {
                        Known::Open { .. } => self.by_convention(name).unwrap_or(known.clone()),
                        _ => known.clone(),
                    });
                }
                let property = if body.is_receiver(value) { self.property(body, name)? } else { None };
                let known = property.or_else(|| self.reference(body, id)).or_else(|| self.by_convention(name));
                known.unwrap_or(UNIFORM)
            }
            Expr::Call(call) => self.call(body, model.call(call), id)?,
            Expr::Unary(op, value) => {
                let value = self.expression(body, value)?;
                match (op, truth(&value), value) {
                    (UnaryOp::Not, Some(known), _) => Known::Bool(!known),
                    (UnaryOp::Minus, _, Known::Int(known)) => Known::Int(-known),
                    (UnaryOp::Plus, _, value) => value,
                    (_, _, value) => open(&[&value]),
                }
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.expression(body, left)?, self.expression(body, right)?);
                arithmetic(op, left, right)
            }
            Expr::Compare(op, left, right) => {
                let (left, right) = (self.expression(body, left)?, self.expression(body, right)?);
                compare(op, &left, &right)
            }
            Expr::And(list) | Expr::Or(list) => {
                let stops = matches!(model.expr(id), Expr::Or(_));
                let mut last = Known::None;
                for &part in model.list(list) {
                    last = self.expression(body, part)?;
                    match truth(&last) {
                        Some(known) if known == stops => break,
                        Some(_) => {}
                        None => {
                            if model.list(list).iter().any(|&part| self.speaks(body, part)) {
                                return Err(Halt::Unknown);
                            }
                            return Ok(last);
                        }
                    }
                }
                last
            }
            Expr::IfElse(at) => {
                let [test, then, otherwise] = model.if_else(at);
                match truth(&self.expression(body, test)?) {
                    Some(true) => self.expression(body, then)?,
                    Some(false) => self.expression(body, otherwise)?,
                    None if self.speaks(body, then) || self.speaks(body, otherwise) => return Err(Halt::Unknown),
                    None => DIFFERS,
                }
            }
            Expr::Subscript(value, index) => {
                let (value, index) = (self.expression(body, value)?, self.expression(body, index)?);
                match (value, index) {
                    (Known::Sequence(parts), Known::Int(at)) => {
                        let at = if at < 0 { at + parts.len() as i64 } else { at };
                        usize::try_from(at).ok().and_then(|at| parts.get(at).cloned()).unwrap_or(DIFFERS)
                    }
                    (value, index) => open(&[&value, &index]),
                }
            }
            Expr::Tuple(list) | Expr::ListDisplay(list) => {
                let mut parts = Vec::new();
                for &part in model.list(list) {
                    if matches!(model.expr(part), Expr::Starred(_)) {
                        return Ok(DIFFERS);
                    }
                    parts.push(self.expression(body, part)?);
                }
                Known::Sequence(parts)
            }
            Expr::Comprehension(index) => {
                let comprehension = model.comprehension(index);
                let mut parts = Vec::new();
                match self.comprehension(body, comprehension, 0, &mut parts)? {
                    true => Known::Sequence(parts),
                    false => UNIFORM,
                }
            }
            Expr::Await(value) | Expr::Starred(value) => self.expression(body, value)?,
            Expr::Walrus(name, value) => {
                let value = self.expression(body, value)?;
                body.names.insert(name, value.clone());
                value
            }
            Expr::Slice(_) | Expr::Missing | Expr::Format(_) | Expr::Set(_) | Expr::Dict(_) | Expr::Lambda(_) => {
                if self.speaks(body, id) {
                    return Err(Halt::Unknown);
                }
                DIFFERS
            }
            Expr::Yield(_) | Expr::YieldFrom(_) => return Err(Halt::Unknown),
        })
    }

    /// Fills `out`; whether everything that decides about its length is known.
    pub(super) fn comprehension(
        &mut self,
        body: &mut Body<'p>,
        comprehension: &'p crate::model::Comprehension,
        depth: usize,
        out: &mut Vec<Known>,
    ) -> Result<bool, Halt> {
        let Some(clause) = comprehension.clauses.get(depth) else {
            let element = self.expression(body, comprehension.element)?;
            out.push(element);
            return Ok(true);
        };
        let Known::Sequence(items) = self.expression(body, clause.iter)? else {
            return match self.speaks(body, comprehension.element) {
                true => Err(Halt::Unknown),
                false => Ok(false),
            };
        };
        if items.len() > MAX_TURNS {
            return Err(Halt::Unknown);
        }
        for item in items {
            self.assign(body, clause.target, &item);
            let mut holds = true;
            for &condition in body.model.list(clause.conditions) {
                match truth(&self.expression(body, condition)?) {
                    Some(known) => holds &= known,
                    None if self.speaks(body, comprehension.element) => return Err(Halt::Unknown),
                    None => return Ok(false),
                }
            }
            if holds && !self.comprehension(body, comprehension, depth + 1, out)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn name(&mut self, body: &Body<'p>, name: Symbol, id: ExprId) -> Known {
        if let Some(known) = body.names.get(&name) {
            return known.clone();
        }
        if let Some(known) = self.reference(body, id) {
            return known;
        }
        if self.program.scope_of(body.file, body.local, name) == Scope::Global
            && let Some(Target::Variable(file, name)) = self.program.global(body.file, name)
            && let [value] = self.program.module_values(file, name)
            && let Expr::Int(known) = self.program.file(file).model.expr(*value)
        {
            return Known::Int(i64::from(known));
        }
        self.by_convention(name).unwrap_or(UNIFORM)
    }

    /// What a property of the object at hand says, as far as that is known.
    fn property(&mut self, body: &Body<'p>, name: Symbol) -> Result<Option<Known>, Halt> {
        let program = self.program;
        let class = body.model.function(body.local).class;
        let method = class.and_then(|class| program.method(program.class_id(body.file, class), name));
        let Some(method) = method else { return Ok(None) };
        let (file, local) = program.locate(method);
        let model = &program.file(file).model;
        let [decorator] = model.list(model.function(local).decorators) else { return Ok(None) };
        let is_property = matches!(model.expr(*decorator), Expr::Name(name) if matches!(name.as_str(), "property" | "cached_property"));
        if !is_property || self.may_speak(method, 3) {
            return Ok(None);
        }
        match self.call_local(file, local, &[], &[]) {
            Ok(Known::Open { .. }) | Err(Halt::Raised) => Ok(None),
            known => known.map(Some),
        }
    }

    /// A function or property of a library that is named.
    pub(super) fn reference(&self, body: &Body<'p>, id: ExprId) -> Option<Known> {
        let Target::External(dotted) = self.program.target(body.file, body.local, id)? else { return None };
        super::super::kind_of(self.program, dotted).map(Known::Operation)
    }
}
