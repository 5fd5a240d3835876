//! Token tensors are as long as the longest sequence of the batch that they come from: each rank pads its own.

use crate::base::Site;
use crate::finding::Confidence;
use crate::flow::{Node, Value};
use crate::model::{Expr, ExprId};

use super::evaluate::Engine;
use super::origin::leaf;
use super::shapes::{Differs, KEEP_SHAPE};

/// How deep values are followed.
const FUEL: u32 = 24;

/// Functions of a tensor that keep its second dimension, beside those that keep its whole shape.
const KEEP_LENGTH: [&str; 12] = [
    "argmax",
    "softmax",
    "log_softmax",
    "tanh",
    "log",
    "masked_fill",
    "clamp",
    "ne",
    "eq",
    "negative",
    "nan_to_num",
    "where",
];

/// Endings of the names of a batch's fields, whole names of such, and what of a model's output, that hold a number for each
/// token.
#[derive(Clone, Copy)]
struct Named {
    fields: &'static [&'static str],
    whole: &'static [&'static str],
    outputs: &'static [&'static str],
}

const OF_TOKENS: Named = Named {
    fields: &["input_ids", "attention_mask", "token_type_ids"],
    whole: &["labels"],
    outputs: &["last_hidden_state", "logits"],
};

/// A model that judges whole sequences, or works on something else, has one label and one row of scores for each.
const OF_SEQUENCES: Named = Named { fields: OF_TOKENS.fields, whole: &[], outputs: &["last_hidden_state"] };

/// Endings of the names of models that judge whole sequences, and of those with an output for each token.
const SEQUENCE_HEADS: [&str; 3] = ["ForSequenceClassification", "ForMultipleChoice", "ForNextSentencePrediction"];
const TOKEN_HEADS: [&str; 8] = [
    "ForCausalLM",
    "ForMaskedLM",
    "ForSeq2SeqLM",
    "ForConditionalGeneration",
    "ForTokenClassification",
    "ForQuestionAnswering",
    "ForPreTraining",
    "LMHeadModel",
];

/// Whether a tensor that is handed over there has a dimension that is padded to the longest sequence of this rank's batch,
/// and no reduction or padding has taken it away.
pub(super) fn ragged(engine: &Engine<'_>, value: Value, site: Site) -> Option<Differs> {
    if let Some(given) = generated(engine, value, FUEL) {
        let axes = engine.values.vary(given);
        let source = leaf(engine, given, axes)?;
        return engine.marks.shares.contains(&source).then_some(Differs {
            axes,
            source,
            confidence: Confidence::Medium,
        });
    }
    // What is alike is so in a file of any size.
    if engine.values.vary(value).is_empty() {
        return None;
    }
    let batch = source(engine, named(engine, site), value, FUEL)?;
    let axes = engine.values.vary(batch);
    let source = leaf(engine, batch, axes)?;
    let confidence = match padding(engine, site) {
        Padding::Longest => Confidence::Medium,
        Padding::Unsaid => Confidence::Low,
        Padding::Maximum => return None,
    };
    engine.marks.shares.contains(&source).then_some(Differs { axes, source, confidence })
}

/// What a model was given that has generated a text from it: each rank stops when its own are at their end.
fn generated(engine: &Engine<'_>, value: Value, fuel: u32) -> Option<Value> {
    let fuel = fuel.checked_sub(1)?;
    match engine.values.node(value) {
        Node::Index(tensor, index) => match engine.values.node(*index) {
            Node::Range(_) => generated(engine, *tensor, fuel),
            Node::Sequence(parts) if parts.iter().all(|&part| matches!(engine.values.node(part), Node::Range(_))) => {
                generated(engine, *tensor, fuel)
            }
            _ => None,
        },
        Node::Apply(name, parts) => match name.last_part().as_str() {
            "generate" => parts.iter().copied().find(|&part| !engine.values.vary(part).is_empty()),
            last if KEEP_SHAPE.contains(&last) => generated(engine, *parts.first()?, fuel),
            _ => None,
        },
        _ => None,
    }
}

/// What holds a number for each token in the file around an operation, by the models and fields that it names.
fn named(engine: &Engine<'_>, site: Site) -> Named {
    let of_tokens =
        *engine.memo.speaks_of_tokens.borrow_mut().entry(site.file).or_insert_with(|| speaks_of_tokens(engine, site));
    if of_tokens { OF_TOKENS } else { OF_SEQUENCES }
}

/// Whether the models and fields that a file names have a number for each token.
fn speaks_of_tokens(engine: &Engine<'_>, site: Site) -> bool {
    let model = &engine.program.file(site.file).model;
    let ends_in = |ends: &[&str]| {
        let mut mentioned = model.functions.iter().flat_map(|function| &function.mentions);
        mentioned.any(|name| ends.iter().any(|end| name.as_str().ends_with(end)))
    };
    let names_a_field = || {
        (0..model.expr_count() as u32).any(|expr| match model.expr(ExprId(expr)) {
            Expr::Str(name) | Expr::Name(name) | Expr::Attribute { name, .. } => {
                OF_SEQUENCES.fields.contains(&name.as_str())
            }
            _ => false,
        })
    };
    ends_in(&TOKEN_HEADS) || !ends_in(&SEQUENCE_HEADS) && names_a_field()
}

/// How the file around an operation pads its sequences.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    /// Each batch to its longest, or each its own way.
    Longest,
    /// All to one length, whatever the batch.
    Maximum,
    /// Nothing in the file says.
    Unsaid,
}

/// Names of what pads a batch to its longest sequence; a `Trainer` does unless it is told otherwise.
const PADDERS: [&str; 6] = [
    "pad_sequence",
    "DataCollatorWithPadding",
    "DataCollatorForSeq2Seq",
    "DataCollatorForTokenClassification",
    "pad",
    "Trainer",
];

/// How the tokenizers and collators of that file pad.
fn padding(engine: &Engine<'_>, site: Site) -> Padding {
    let model = &engine.program.file(site.file).model;
    let calls = (0..model.expr_count() as u32).filter_map(|expr| match model.expr(ExprId(expr)) {
        Expr::Call(call) => Some(model.call(call)),
        _ => None,
    });
    let mut padded = calls.flat_map(|call| model.keywords(call)).filter(|keyword| {
        keyword.name.is_some_and(|name| name.as_str() == "padding") && model.expr(keyword.value) != Expr::Bool(false)
    });
    let to_maximum = |value: ExprId| matches!(model.expr(value), Expr::Str(how) if how.as_str() == "max_length");
    let mut mentioned = model.functions.iter().flat_map(|function| &function.mentions);
    match padded.next() {
        Some(first) if to_maximum(first.value) && padded.all(|keyword| to_maximum(keyword.value)) => Padding::Maximum,
        None if !mentioned.any(|name| PADDERS.contains(&name.as_str())) => Padding::Unsaid,
        _ => Padding::Longest,
    }
}

/// The batch or field of one whose sequence length the value has.
fn source(engine: &Engine<'_>, named: Named, value: Value, fuel: u32) -> Option<Value> {
    let fuel = fuel.checked_sub(1)?;
    if engine.values.vary(value).is_empty() {
        return None;
    }
    match engine.values.node(value) {
        Node::Index(tensor, index) => match engine.values.node(*index) {
            Node::Str(field) => {
                let of_tokens = named.fields.iter().any(|end| field.as_str().ends_with(end))
                    || named.whole.contains(&field.as_str());
                (of_tokens && engine.is_share(*tensor)).then_some(*tensor)
            }
            Node::Range(_) => source(engine, named, *tensor, fuel),
            Node::Int(at) => source(engine, named, element(engine, *tensor, usize::try_from(*at).ok()?, fuel)?, fuel),
            // Slices keep a dimension, numbers and masks take it away.
            Node::Sequence(parts) => {
                let slices = parts.iter().all(|&part| {
                    matches!(engine.values.node(part), Node::Range(_) | Node::Unknown(_) | Node::External(_))
                });
                if slices { source(engine, named, *tensor, fuel) } else { None }
            }
            _ => None,
        },
        Node::Attribute(output, name) if named.outputs.contains(&name.as_str()) => match engine.values.node(*output) {
            Node::Invoked(_, parts) | Node::Apply(_, parts) => {
                parts.iter().find_map(|&part| fields(engine, named, part, fuel))
            }
            _ => None,
        },
        Node::Apply(name, parts) => {
            let last = name.as_str().rsplit('.').next().unwrap_or_default();
            let keeps = KEEP_SHAPE.contains(&last) || KEEP_LENGTH.contains(&last);
            if keeps { source(engine, named, *parts.first()?, fuel) } else { None }
        }
        Node::Not(inner) => source(engine, named, *inner, fuel),
        Node::Binary(_, left, right) | Node::Compare(_, left, right) => {
            source(engine, named, *left, fuel).or_else(|| source(engine, named, *right, fuel))
        }
        _ => None,
    }
}

/// An element of a tuple, of the first elements of one, or of either of two.
fn element(engine: &Engine<'_>, value: Value, at: usize, fuel: u32) -> Option<Value> {
    let fuel = fuel.checked_sub(1)?;
    match engine.values.node(value) {
        Node::Sequence(parts) => parts.get(at).copied(),
        Node::If(_, then, otherwise) => {
            element(engine, *then, at, fuel).or_else(|| element(engine, *otherwise, at, fuel))
        }
        Node::Index(whole, slice) => match engine.values.node(*slice) {
            Node::Range(bounds) if matches!(engine.values.node(*bounds.first()?), Node::None | Node::Unknown(_)) => {
                element(engine, *whole, at, fuel)
            }
            _ => None,
        },
        _ => None,
    }
}

/// A batch, or tokens of one, that a model is called with.
fn fields(engine: &Engine<'_>, named: Named, value: Value, fuel: u32) -> Option<Value> {
    let is_batch = engine.marks.shares.contains(&value) || engine.is_whole_batch(value);
    if is_batch { Some(value) } else { source(engine, named, value, fuel) }
}
