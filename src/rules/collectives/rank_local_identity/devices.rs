//! Devices that are chosen by the rank of the job, in a file that knows the rank within the node.

use crate::base::Symbol;
use crate::finding::Confidence;
use crate::graph::Program;
use crate::model::{Call, Expr, ExprId, File};
use crate::rules::calls::keyword;

use super::ranks::is_local_rank;
use super::{FUEL, Place, Use};

/// Backends whose devices are numbered within the node.
const BACKENDS: [&str; 6] = ["cuda", "npu", "xpu", "musa", "mlu", "hpu"];

const USE_LOCAL: &str =
    "use the rank within the node (LOCAL_RANK): the devices of each node are numbered from 0 on, ranks are not";

/// Functions and attributes that tell the rank within the node.
const TELLS_LOCAL: [&str; 3] = ["get_local_rank", "local_process_index", "get_node_local_rank"];

/// Whether a file asks for the rank within the node: by a key of the environment, or of a library.
pub(super) fn asks_for_local(program: &Program, model: &File) -> bool {
    let tells = |name: &Symbol| TELLS_LOCAL.contains(&name.as_str());
    let is_key = |id: u32| match model.expr(ExprId(id)) {
        Expr::Str(key) => program.catalog.environment_key(key.as_str()).is_some_and(is_local_rank),
        _ => false,
    };
    model.functions.iter().any(|function| function.mentions.iter().any(tells))
        || (0..model.expr_count() as u32).any(is_key)
}

impl Place<'_> {
    /// A call that takes the number of a device, and is given the rank of the job.
    pub(super) fn device(&self, call: Call) -> Option<Use> {
        let known = self.program.resolve(self.file, self.function, call.callee)?;
        let first = self.model.list(call.args).first().copied();
        let chosen = match known.as_str().strip_prefix("torch.")? {
            "device" => self.number_of(first?, self.model.list(call.args).get(1).copied()),
            "nn.parallel.DistributedDataParallel" => self.only_of(keyword(self.model, call, "device_ids")?),
            sets => {
                let backend = sets.strip_suffix(".set_device")?;
                first.filter(|_| BACKENDS.contains(&backend))
            }
        };
        let rank = chosen.filter(|&chosen| self.is_surely_the_rank(chosen))?;
        let message = format!(
            "`{}` takes the number of a device of this node and is given the rank of the job: the second node has none of that number",
            known.last_part()
        );
        let (is, confidence) = ("it is the rank of the job", Confidence::Medium);
        Some(Use { rank, is, is_share: false, message, help: USE_LOCAL, confidence })
    }

    /// Whether the expression is the rank of the job, and nothing else on another way.
    fn is_surely_the_rank(&self, expr: ExprId) -> bool {
        let (place, expr) = self.stands_for(expr);
        !matches!(place.model.expr(expr), Expr::Name(_)) && place.is_the_rank(expr, FUEL)
    }

    /// The number in `"cuda", rank`, in `f"cuda:{rank}"` and in `f"{backend}:{rank}"`.
    fn number_of(&self, kind: ExprId, number: Option<ExprId>) -> Option<ExprId> {
        match (self.model.expr(kind), number) {
            (Expr::Str(kind), Some(number)) => Some(number).filter(|_| BACKENDS.contains(&kind.as_str())),
            (Expr::Format(parts), None) => match *self.model.list(parts) {
                [kind, number] => match self.model.expr(kind) {
                    Expr::Str(kind) => {
                        let kind = kind.as_str().strip_suffix(':')?;
                        Some(number).filter(|_| BACKENDS.contains(&kind))
                    }
                    _ => None,
                },
                [_, colon, number] => Some(number).filter(|_| self.model.expr(colon) == Expr::Str(Symbol::new(":"))),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a list of one element holds.
    fn only_of(&self, list: ExprId) -> Option<ExprId> {
        match self.model.expr(list) {
            Expr::ListDisplay(parts) => match *self.model.list(parts) {
                [only] => Some(only),
                _ => None,
            },
            _ => None,
        }
    }
}
