//! What the loader accepts, what it refuses, and in which words.

use super::*;

fn entry(name: &str) -> &'static Entry {
    Catalog::builtin().entry(Symbol::new(name)).unwrap_or_else(|| panic!("{name} is not listed"))
}

#[test]
fn every_model_file_loads() {
    for (name, text) in MODEL_FILES {
        let mut catalog = Catalog::default();
        load::read(&mut catalog, "axes.toml", MODEL_FILES[0].1).expect("the axes load");
        if *name != "axes.toml" {
            load::read(&mut catalog, name, text).unwrap_or_else(|error| panic!("{error}"));
        }
    }
    assert!(Catalog::builtin().entries.len() > 100);
}

#[test]
fn a_collective_is_listed_with_its_operands() {
    let Entry::Operation(operation) = entry("torch.distributed.all_reduce") else { panic!("an operation") };
    let group = Operand { parameter: Symbol::new("group"), position: Some(2) };
    assert_eq!(operation.group, GroupOf::Operand(group));
    assert_eq!(operation.kind, OperationKind::Collective);
    assert_eq!(entry("torch.distributed.distributed_c10d.all_reduce"), entry("torch.distributed.all_reduce"));
}
