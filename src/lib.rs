//! ranklint keeps the ranks of a distributed PyTorch program in step.
//!
//! `check` reads Python and proves where ranks can part ways: sources become models of files
//! ([`model`]), models are linked into a program whose functions are summarised ([`graph`]), and rules
//! ([`rules`]) word what the analysis found. `report` renders findings, `cli` is the command line, `lsp` the editor's side.
//! Layers only look down; `tests/layers.rs` holds the map.

pub mod analyze;
pub mod base;
pub mod cache;
pub mod catalog;
pub mod cli;
pub mod config;
pub mod finding;
pub mod fix;
pub mod flow;
pub mod graph;
pub mod lsp;
pub mod meta;
pub mod model;
pub mod project;
pub mod report;
pub mod rules;
pub mod source;
pub mod syntax;
pub mod triage;
pub mod verify;
pub mod vocabulary;
