//! From the syntax tree to the compact tree: expressions.

use smallvec::SmallVec;

use crate::base::Symbol;
use crate::syntax::{ast, span, span_of};

use super::lower::{Lowerer, MAX_DEPTH, binary_op};
use super::tree::*;

impl Lowerer {
    /// An expression that is kept even in a skeleton: a callee, a decorator, a base class.
    pub(super) fn full_expr(&mut self, expr: &ast::Expr) -> ExprId {
        let detail = std::mem::replace(&mut self.detail, super::Detail::Full);
        let id = match expr {
            _ if detail == super::Detail::Full => self.expr(expr),
            ast::Expr::Name(_) | ast::Expr::Attribute(_) => self.expr(expr),
            ast::Expr::Call(call) => self.full_expr(&call.func),
            _ => self.file.push_expr(Expr::Missing, span_of(expr)),
        };
        self.detail = detail;
        id
    }

    /// A target of an assignment; names in it become local.
    pub(super) fn target(&mut self, expr: &ast::Expr) -> ExprId {
        match expr {
            ast::Expr::Name(name) => {
                let name = Symbol::new(name.id.as_str());
                self.bind(name);
                if self.depth < MAX_DEPTH {
                    self.scope().mentions.push(name);
                    return self.file.push_expr(Expr::Name(name), span_of(expr));
                }
            }
            ast::Expr::Tuple(tuple) => return self.targets(&tuple.elts, expr, Expr::Tuple),
            ast::Expr::List(list) => return self.targets(&list.elts, expr, Expr::ListDisplay),
            ast::Expr::Starred(starred) => {
                let value = self.target(&starred.value);
                return self.file.push_expr(Expr::Starred(value), span_of(expr));
            }
            _ => {}
        }
        self.expr(expr)
    }

    fn targets(&mut self, elements: &[ast::Expr], whole: &ast::Expr, build: fn(List) -> Expr) -> ExprId {
        let elements: Vec<ExprId> = elements.iter().map(|element| self.target(element)).collect();
        let elements = self.file.push_list(&elements);
        self.file.push_expr(build(elements), span_of(whole))
    }

    fn exprs(&mut self, exprs: &[ast::Expr]) -> List {
        let ids: Vec<ExprId> = exprs.iter().map(|expr| self.expr(expr)).collect();
        self.file.push_list(&ids)
    }

    pub(super) fn expr(&mut self, expr: &ast::Expr) -> ExprId {
        let at = span_of(expr);
        if self.depth >= MAX_DEPTH {
            return self.file.push_expr(Expr::Missing, at);
        }
        self.depth += 1;
        let lowered = self.expr_kind(expr);
        self.depth -= 1;
        self.file.push_expr(lowered, at)
    }

    fn expr_kind(&mut self, expr: &ast::Expr) -> Expr {
        match expr {
            ast::Expr::Name(name) => {
                let name = Symbol::new(name.id.as_str());
                self.scope().mentions.push(name);
                Expr::Name(name)
            }
            ast::Expr::Attribute(attribute) => {
                let value = self.expr(&attribute.value);
                let name = Symbol::new(attribute.attr.as_str());
                self.scope().mentions.push(name);
                Expr::Attribute { value, name }
            }
            ast::Expr::Call(call) => match attribute_by_name(call) {
                Some((object, name)) => {
                    let value = self.expr(object);
                    let name = Symbol::new(name);
                    self.scope().mentions.push(name);
                    Expr::Attribute { value, name }
                }
                None => self.call(call),
            },
            ast::Expr::NoneLiteral(_) => Expr::None,
            ast::Expr::BooleanLiteral(literal) => Expr::Bool(literal.value),
            ast::Expr::NumberLiteral(literal) => match &literal.value {
                ast::Number::Int(value) => value.as_i32().map_or(Expr::Missing, Expr::Int),
                _ => Expr::Missing,
            },
            ast::Expr::StringLiteral(literal) => self.string(literal.value.to_str()).map_or(Expr::Missing, Expr::Str),
            ast::Expr::FString(literal) => self.format(literal),
            ast::Expr::BoolOp(operation) => {
                let start = self.mark();
                let values = self.exprs(&operation.values);
                let end = self.mark();
                self.condition(start, end);
                match operation.op {
                    ast::BoolOp::And => Expr::And(values),
                    ast::BoolOp::Or => Expr::Or(values),
                }
            }
            ast::Expr::BinOp(operation) => {
                let (left, right) = (self.expr(&operation.left), self.expr(&operation.right));
                Expr::Binary(binary_op(operation.op), left, right)
            }
            ast::Expr::UnaryOp(operation) => {
                let operand = self.expr(&operation.operand);
                let op = match operation.op {
                    ast::UnaryOp::Not => UnaryOp::Not,
                    ast::UnaryOp::USub => UnaryOp::Minus,
                    ast::UnaryOp::UAdd => UnaryOp::Plus,
                    ast::UnaryOp::Invert => UnaryOp::Invert,
                };
                match (op, self.file.expr(operand)) {
                    (UnaryOp::Minus, Expr::Int(value)) => Expr::Int(value.wrapping_neg()),
                    _ => Expr::Unary(op, operand),
                }
            }
            ast::Expr::Compare(comparison) => self.comparison(comparison),
            ast::Expr::If(choice) => {
                let start = self.mark();
                let test = self.expr(&choice.test);
                let end = self.mark();
                let (then, otherwise) = (self.expr(&choice.body), self.expr(&choice.orelse));
                self.condition(start, end);
                Expr::IfElse(self.file.push_if_else([test, then, otherwise]))
            }
            ast::Expr::Subscript(subscript) => {
                let value = self.expr(&subscript.value);
                Expr::Subscript(value, self.expr(&subscript.slice))
            }
            ast::Expr::Slice(slice) => {
                let parts = [&slice.lower, &slice.upper, &slice.step].map(|part| match part.as_deref() {
                    Some(part) => self.expr(part),
                    None => self.file.push_expr(Expr::None, span_of(expr)),
                });
                Expr::Slice(self.file.push_list(&parts))
            }
            ast::Expr::Tuple(tuple) => Expr::Tuple(self.exprs(&tuple.elts)),
            ast::Expr::List(list) => Expr::ListDisplay(self.exprs(&list.elts)),
            ast::Expr::Set(set) => Expr::Set(self.exprs(&set.elts)),
            ast::Expr::Dict(dict) => self.dict(dict),
            ast::Expr::ListComp(comp) => self.comprehension(ComprehensionKind::List, &comp.elt, None, &comp.generators),
            ast::Expr::SetComp(comp) => self.comprehension(ComprehensionKind::Set, &comp.elt, None, &comp.generators),
            ast::Expr::Generator(comp) => {
                self.comprehension(ComprehensionKind::Generator, &comp.elt, None, &comp.generators)
            }
            ast::Expr::DictComp(comp) => {
                self.comprehension(ComprehensionKind::Dict, &comp.value, comp.key.as_deref(), &comp.generators)
            }
            ast::Expr::Lambda(lambda) => Expr::Lambda(self.lambda(lambda)),
            ast::Expr::Await(value) => Expr::Await(self.expr(&value.value)),
            ast::Expr::Yield(value) => {
                self.scope().is_generator = true;
                let start = self.mark();
                let value = match value.value.as_deref() {
                    Some(value) => self.expr(value),
                    None => self.file.push_expr(Expr::None, span_of(expr)),
                };
                self.yields(start);
                Expr::Yield(value)
            }
            ast::Expr::YieldFrom(value) => {
                self.scope().is_generator = true;
                let start = self.mark();
                let values = self.expr(&value.value);
                self.yields(start);
                Expr::YieldFrom(values)
            }
            ast::Expr::Starred(starred) => Expr::Starred(self.expr(&starred.value)),
            ast::Expr::Named(named) => {
                let value = self.expr(&named.value);
                match &*named.target {
                    ast::Expr::Name(name) => {
                        let name = Symbol::new(name.id.as_str());
                        self.bind(name);
                        Expr::Walrus(name, value)
                    }
                    _ => self.file.expr(value),
                }
            }
            ast::Expr::BytesLiteral(_)
            | ast::Expr::EllipsisLiteral(_)
            | ast::Expr::TString(_)
            | ast::Expr::IpyEscapeCommand(_) => Expr::Missing,
        }
    }

    fn call(&mut self, call: &ast::ExprCall) -> Expr {
        let callee = self.expr(&call.func);
        self.called(callee);
        let args: SmallVec<[ExprId; 6]> = call
            .arguments
            .args
            .iter()
            .map(|arg| {
                let id = self.expr(arg);
                self.called(id);
                id
            })
            .collect();
        let args = self.file.push_list(&args);
        let keywords: Vec<Keyword> = call
            .arguments
            .keywords
            .iter()
            .map(|keyword| {
                let name = keyword.arg.as_ref().map(|name| Symbol::new(name.as_str()));
                let value = self.expr(&keyword.value);
                self.called(value);
                Keyword { name, value }
            })
            .collect();
        Expr::Call(self.file.push_call(callee, args, &keywords))
    }

    /// Keeps a name or attribute, lowered just now, that is called or handed to a call.
    fn called(&mut self, expr: ExprId) {
        if matches!(self.file.expr(expr), Expr::Name(_) | Expr::Attribute { .. }) {
            let at = self.mark().saturating_sub(1);
            self.scope().callees.push(Callee { expr, at });
        }
    }

    /// Keeps a name or attribute that a table or a variable holds, from which it may be called anywhere.
    pub(super) fn held(&mut self, expr: ExprId) {
        if matches!(self.file.expr(expr), Expr::Name(_) | Expr::Attribute { .. }) {
            self.scope().callees.push(Callee { expr, at: SOMEWHERE });
        }
    }

    fn dict(&mut self, dict: &ast::ExprDict) -> Expr {
        let mut parts = Vec::with_capacity(dict.items.len() * 2);
        for item in &dict.items {
            let key = match &item.key {
                Some(key) => self.expr(key),
                None => self.file.push_expr(Expr::Missing, span(dict.range)),
            };
            let value = self.expr(&item.value);
            self.held(value);
            parts.extend([key, value]);
        }
        Expr::Dict(self.file.push_list(&parts))
    }

    fn comprehension(
        &mut self,
        kind: ComprehensionKind,
        element: &ast::Expr,
        key: Option<&ast::Expr>,
        generators: &[ast::Comprehension],
    ) -> Expr {
        let start = self.mark();
        let clauses = generators
            .iter()
            .map(|generator| Clause {
                iter: self.expr(&generator.iter),
                target: self.target(&generator.target),
                conditions: self.exprs(&generator.ifs),
            })
            .collect();
        let end = self.mark();
        let key = key.map(|key| self.expr(key));
        let element = self.expr(element);
        self.condition(start, end);
        Expr::Comprehension(self.file.push_comprehension(Comprehension { kind, element, key, clauses }))
    }

    fn comparison(&mut self, comparison: &ast::ExprCompare) -> Expr {
        let operands: Vec<ExprId> = std::iter::once(&*comparison.left)
            .chain(comparison.comparators.iter())
            .map(|operand| self.expr(operand))
            .collect();
        let ops: Vec<CompareOp> = comparison.ops.iter().map(|&op| compare_op(op)).collect();
        if let [op] = ops[..] {
            return Expr::Compare(op, operands[0], operands[1]);
        }
        let parts: Vec<ExprId> = ops
            .iter()
            .zip(operands.windows(2))
            .map(|(&op, pair)| {
                let at = self.file.span(pair[0]).cover(self.file.span(pair[1]));
                self.file.push_expr(Expr::Compare(op, pair[0], pair[1]), at)
            })
            .collect();
        Expr::And(self.file.push_list(&parts))
    }

    fn format(&mut self, literal: &ast::ExprFString) -> Expr {
        let mut parts = Vec::new();
        for part in literal.value.iter() {
            match part {
                ast::FStringPart::Literal(text) => parts.extend(self.literal_part(text, span(text.range))),
                ast::FStringPart::FString(part) => {
                    for element in part.elements.iter() {
                        match element {
                            ast::InterpolatedStringElement::Literal(text) => {
                                parts.extend(self.literal_part(&text.value, span(text.range)));
                            }
                            ast::InterpolatedStringElement::Interpolation(element) => {
                                parts.push(self.expr(&element.expression));
                            }
                        }
                    }
                }
            }
        }
        Expr::Format(self.file.push_list(&parts))
    }

    fn literal_part(&mut self, text: &str, at: crate::base::Span) -> Option<ExprId> {
        let text = self.string(text)?;
        Some(self.file.push_expr(Expr::Str(text), at))
    }
}

fn compare_op(op: ast::CmpOp) -> CompareOp {
    match op {
        ast::CmpOp::Eq => CompareOp::Eq,
        ast::CmpOp::NotEq => CompareOp::NotEq,
        ast::CmpOp::Lt => CompareOp::Less,
        ast::CmpOp::LtE => CompareOp::LessEq,
        ast::CmpOp::Gt => CompareOp::Greater,
        ast::CmpOp::GtE => CompareOp::GreaterEq,
        ast::CmpOp::Is => CompareOp::Is,
        ast::CmpOp::IsNot => CompareOp::IsNot,
        ast::CmpOp::In => CompareOp::In,
        ast::CmpOp::NotIn => CompareOp::NotIn,
    }
}

/// The object and the attribute of `getattr(object, "attribute")`, which is another way to write `object.attribute`.
fn attribute_by_name(call: &ast::ExprCall) -> Option<(&ast::Expr, &str)> {
    let ast::Expr::Name(callee) = &*call.func else { return None };
    let [object, ast::Expr::StringLiteral(name)] = &*call.arguments.args else { return None };
    (callee.id == "getattr" && call.arguments.keywords.is_empty()).then(|| (object, name.value.to_str()))
}
