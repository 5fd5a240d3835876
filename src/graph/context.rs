//! Walks over one function's statements together with what governs them: loops, conditions, early exits.

use crate::model::{Block, ExprId, File, LocalFunction, Stmt, StmtId};

/// What a statement stands under, within its function.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Conditions that decide whether it is reached, outermost first: enclosing `if`, `while`, `case`, and those under
    /// which an earlier statement of an enclosing block leaves.
    pub conditions: &'a [ExprId],
    /// Those among them that stand around it: the others have let somebody leave before.
    pub around: &'a [ExprId],
    /// How each of them has to come out.
    pub answers: &'a [bool],
    /// Whether it is inside a loop.
    pub in_loop: bool,
}

/// Calls `visit` for every statement of the function, in source order; nested definitions are not entered.
pub fn each_in_context(file: &File, function: LocalFunction, visit: &mut dyn FnMut(StmtId, &Stmt, Context<'_>)) {
    let mut walk = Walk { file, conditions: Vec::new(), around: Vec::new(), answers: Vec::new(), loops: 0, visit };
    walk.block(file.function(function).body);
}

struct Walk<'a> {
    file: &'a File,
    conditions: Vec<ExprId>,
    around: Vec<ExprId>,
    answers: Vec<bool>,
    loops: u32,
    visit: &'a mut dyn FnMut(StmtId, &Stmt, Context<'_>),
}

impl Walk<'_> {
    /// Nesting is bounded: the lowering cuts off deeper blocks.
    fn block(&mut self, block: Block) {
        let before = self.conditions.len();
        for &id in self.file.block(block) {
            self.statement(id);
        }
        self.conditions.truncate(before);
        self.answers.truncate(before);
    }

    fn push(&mut self, condition: ExprId, answer: bool) {
        self.conditions.push(condition);
        self.answers.push(answer);
    }

    fn pop(&mut self) {
        self.conditions.pop();
        self.answers.pop();
    }

    fn under(&mut self, condition: ExprId, answer: bool, block: Block) {
        self.push(condition, answer);
        self.around.push(condition);
        self.block(block);
        self.around.pop();
        self.pop();
    }

    fn looped(&mut self, block: Block) {
        self.loops += 1;
        self.block(block);
        self.loops -= 1;
    }

    fn statement(&mut self, id: StmtId) {
        let stmt = self.file.stmt(id);
        let is_loop = matches!(stmt, Stmt::While { .. });
        let in_loop = self.loops > 0 || is_loop;
        let context = Context { conditions: &self.conditions, around: &self.around, answers: &self.answers, in_loop };
        (self.visit)(id, stmt, context);
        match stmt {
            Stmt::If { test, body, orelse } => {
                self.under(*test, true, *body);
                self.under(*test, false, *orelse);
                let (left, stayed) = (leaves(self.file, *body), leaves(self.file, *orelse));
                if left != stayed {
                    self.push(*test, stayed);
                }
            }
            Stmt::While { test, body, orelse } => {
                self.push(*test, true);
                self.around.push(*test);
                self.looped(*body);
                self.around.pop();
                self.pop();
                self.block(*orelse);
            }
            Stmt::For { body, orelse, .. } => {
                self.looped(*body);
                self.block(*orelse);
            }
            Stmt::With { body, .. } => self.block(*body),
            Stmt::Match { cases, .. } => {
                for case in cases {
                    self.under(case.test, true, case.body);
                }
            }
            Stmt::Try(parts) => {
                self.block(parts.body);
                for handler in &parts.handlers {
                    self.block(handler.body);
                }
                self.block(parts.orelse);
                self.block(parts.finally);
            }
            _ => {}
        }
    }
}

/// Whether the block's last statement leaves it for good.
pub(super) fn leaves(file: &File, block: Block) -> bool {
    let last = file.block(block).last().map(|&last| file.stmt(last));
    matches!(last, Some(Stmt::Return(_) | Stmt::Raise(_) | Stmt::Break | Stmt::Continue))
}
