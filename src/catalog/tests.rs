//! What the loader accepts, what it refuses, and in which words.

use rustc_hash::{FxHashMap, FxHashSet};

use super::*;

fn symbol(text: &str) -> Symbol {
    Symbol::new(text)
}

fn entry(name: &str) -> &'static Entry {
    Catalog::builtin().entry(symbol(name)).unwrap_or_else(|| panic!("{name} is not listed"))
}

fn operation(name: &str) -> &'static Operation {
    match entry(name) {
        Entry::Operation(operation) => operation,
        other => panic!("{name} is {other:?}"),
    }
}

fn value(name: &str) -> (&'static ValueKind, &'static str) {
    match entry(name) {
        Entry::Value(value) => (&value.kind, value.axis.as_str()),
        other => panic!("{name} is {other:?}"),
    }
}

fn convention(name: &str) -> Option<(&'static ValueKind, &'static str)> {
    let found = Catalog::builtin().convention(symbol(name))?;
    Some((&found.value.kind, found.value.axis.as_str()))
}

fn extended(text: &str) -> Result<Catalog, CatalogError> {
    Catalog::builtin().extended("models.toml", text)
}

fn mistake(text: &str) -> String {
    match extended(text) {
        Ok(_) => panic!("it was accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

/// Reads the model files one by one and says which names several of them declare.
#[test]
fn every_model_file_loads_and_no_name_stands_in_two() {
    let mut home: FxHashMap<Symbol, &str> = FxHashMap::default();
    for (name, text) in MODEL_FILES {
        let mut alone = Catalog::default();
        if *name != "axes.toml" {
            load::read(&mut alone, &MODEL_FILES[..1]).expect("the axes load");
        }
        load::read(&mut alone, &[(name, text)]).unwrap_or_else(|error| panic!("{error}"));
        for &dotted in alone.entries.keys() {
            if let Some(other) = home.insert(dotted, name) {
                panic!("`{dotted}` stands in {other} and in {name}");
            }
        }
    }
    assert_eq!(MODEL_FILES[0].0, "axes.toml");
}

#[test]
fn types_and_variables_stand_in_one_file_only() {
    let mut home: FxHashMap<Symbol, &str> = FxHashMap::default();
    for (name, text) in MODEL_FILES {
        let raw: raw::RawModels = toml::from_str(text).expect("it loads");
        let words = raw.types.iter().flat_map(|kind| [&kind.variables, &kind.distinctive]).flatten();
        let names = raw.types.iter().flat_map(|kind| kind.aliases.iter().chain([&kind.name]));
        for word in words.chain(names) {
            if let Some(other) = home.insert(symbol(word.get_ref()), name) {
                panic!("`{}` stands in {other} and in {name}", word.get_ref());
            }
        }
    }
}

#[test]
fn methods_belong_to_types_that_are_known() {
    let catalog = Catalog::builtin();
    let kinds: FxHashSet<Symbol> =
        catalog.types().flat_map(|kind| kind.aliases.iter().copied().chain([kind.name])).collect();
    // `MPI` is a module.
    let is_class = |name: &str| name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
    for (dotted, entry) in &catalog.entries {
        if matches!(**entry, Entry::Operation(_))
            && let Some((kind, method)) = dotted.as_str().rsplit_once('.')
            && kind.rsplit('.').next().is_some_and(is_class)
        {
            assert!(kinds.contains(&symbol(kind)), "no object is a `{kind}`, so `{method}` is never found");
        }
    }
}

#[test]
fn every_operation_says_what_it_needs_to() {
    for (dotted, entry) in &Catalog::builtin().entries {
        let Entry::Operation(operation) = &**entry else { continue };
        assert!(!operation.op.as_str().is_empty(), "{dotted} has no name to show");
        let creation = operation.kind == OperationKind::GroupCreation;
        assert!(operation.members.is_none() || creation, "{dotted} has members but creates no group");
        assert!(operation.members_only.is_none() || creation, "{dotted} has members but creates no group");
        let positions =
            operation.agrees.iter().chain(&operation.differs).chain(&operation.shaped).chain(&operation.places);
        for operand in positions.chain(&operation.reduce_operator) {
            if let GroupOf::Operand(group) = operation.group {
                assert_ne!(operand.position, group.position.or(Some(99)), "{dotted}: two arguments in one place");
            }
        }
    }
}

#[test]
fn a_collective_is_listed_with_its_operands() {
    let all_reduce = operation("torch.distributed.all_reduce");
    assert_eq!(all_reduce.group, GroupOf::Operand(Operand { parameter: symbol("group"), position: Some(2) }));
    assert_eq!(all_reduce.kind, OperationKind::Collective);
    assert_eq!(all_reduce.agrees.len(), 1);
    assert_eq!(entry("torch.distributed.distributed_c10d.all_reduce"), entry("torch.distributed.all_reduce"));
    assert_eq!(operation("torch.distributed._all_gather_base").op.as_str(), "all_gather_into_tensor");
    let broadcast = operation("torch.distributed.broadcast");
    let spaces: Vec<_> = broadcast.roots.iter().map(|root| (root.operand.parameter.as_str(), root.space)).collect();
    assert_eq!(spaces, [("src", RankSpace::Global), ("group_src", RankSpace::Group)]);
}

#[test]
fn axes_are_those_of_the_library() {
    assert_eq!(value("megatron.core.parallel_state.get_tensor_model_parallel_rank"), (&ValueKind::Rank, "tp"));
    assert_eq!(value("megatron.core.mpu.get_model_parallel_group"), (&ValueKind::Group, "tp+pp"));
    assert_eq!(value("megatron.core.mpu.is_pipeline_first_stage"), (&ValueKind::First, "pp"));
    let parts: Vec<_> = axes_of(symbol("tp+pp")).collect();
    assert_eq!(parts, ["tp", "pp"]);
}

#[test]
fn axes_meet_where_their_groups_share_ranks() {
    let meet = |one, other| Catalog::builtin().axes_meet(symbol(one), symbol(other));
    assert!(meet("tp", "tp") && meet("tp", "tp+pp") && meet("world", "dp") && meet("ep", "dp") && meet("dp", "ep"));
    assert!(!meet("tp", "dp") && !meet("tp+pp", "dp") && !meet("local", "host"));
    assert!(meet("local", "tp") && meet("host", "world"));
}

#[test]
fn methods_are_found_under_every_name_of_their_type() {
    let barrier = operation("accelerate.Accelerator.wait_for_everyone");
    assert_eq!(operation("accelerate.accelerator.Accelerator.wait_for_everyone"), barrier);
    let group = operation("sglang.srt.distributed.parallel_state.GroupCoordinator.all_reduce").group;
    assert!(matches!(group, GroupOf::Operand(operand) if operand.is_receiver()));
    let catalog = Catalog::builtin();
    assert_eq!(catalog.type_of_variable(symbol("accelerator")), Some(symbol("accelerate.Accelerator")));
    assert_eq!(catalog.type_of_method(symbol("full_tensor")), Some(symbol("torch.distributed.tensor.DTensor")));
    let aliased = catalog.type_named(symbol("pytorch_lightning.Trainer")).expect("it is an alias");
    assert_eq!(aliased.name.as_str(), "lightning.pytorch.Trainer");
}

#[test]
fn axis_words_bring_their_names() {
    for name in ["tp_rank", "_tp_rank", "tensor_model_parallel_rank", "_TENSOR_MODEL_PARALLEL_RANK", "get_tp_rank"] {
        assert_eq!(convention(name), Some((&ValueKind::Rank, "tp")), "{name}");
    }
    for name in ["dp_group", "get_data_parallel_group", "_DATA_PARALLEL_GROUP", "dp_process_group", "dp_mesh"] {
        assert_eq!(convention(name), Some((&ValueKind::Group, "dp")), "{name}");
    }
    assert_eq!(convention("rank"), Some((&ValueKind::Rank, "world")));
    assert_eq!(convention("local_rank"), Some((&ValueKind::Rank, "local")));
    assert_eq!(convention("is_main_process"), Some((&ValueKind::First, "world")));
    assert_eq!(convention("is_last_stage"), Some((&ValueKind::Last, "pp")));
    assert_eq!(convention("world_size"), Some((&ValueKind::Size, "world")));
    assert_eq!(convention("model"), None);
}

#[test]
fn environment_keys_are_known() {
    let axis = |key| Catalog::builtin().environment_key(key).map(|value| (&value.kind, value.axis.as_str()));
    assert_eq!(axis("SLURM_PROCID"), Some((&ValueKind::Rank, "world")));
    assert_eq!(axis("LOCAL_RANK"), Some((&ValueKind::Rank, "local")));
    assert_eq!(axis("MASTER_ADDR"), Some((&ValueKind::Uniform, "world")));
    assert_eq!(axis("DEBUG_SYNC"), None);
}

#[test]
fn a_project_adds_and_overrides() {
    let catalog = extended(
        r#"
        [[axis]]
        name = "ring"
        words = ["ring"]
        overlaps = ["cp"]

        [[collective]]
        modules = ["acme.comm"]
        names = ["agree", "vote"]
        op = "all_reduce"
        axis = "ring"
        returns = "agrees"

        [[value]]
        names = ["torch.distributed.get_rank"]
        kind = "uniform"

        [[type]]
        name = "accelerate.Accelerator"
        variables = ["acc"]

        [[environment]]
        keys = ["ACME_*"]
        kind = "uniform"

        [[convention]]
        names = ["rank"]
        kind = "uniform"
        reason = "here it is the rank of a matrix"
        "#,
    )
    .expect("it loads");
    let Some(Entry::Operation(vote)) = catalog.entry(symbol("acme.comm.vote")) else { panic!("it was added") };
    assert_eq!((vote.op.as_str(), vote.group), ("all_reduce", GroupOf::Axis(symbol("ring"))));
    let Some(Entry::Value(rank)) = catalog.entry(symbol("torch.distributed.get_rank")) else { panic!("a value") };
    assert_eq!(rank.kind, ValueKind::Uniform);
    assert_eq!(catalog.type_of_variable(symbol("acc")), Some(symbol("accelerate.Accelerator")));
    assert_eq!(catalog.type_of_variable(symbol("accelerator")), Some(symbol("accelerate.Accelerator")));
    assert!(catalog.environment_key("ACME_DEBUG").is_some());
    assert_eq!(catalog.convention(symbol("rank")).map(|c| &c.value.kind), Some(&ValueKind::Uniform));
    assert_eq!(catalog.convention(symbol("ring_rank")).map(|c| c.value.axis.as_str()), Some("ring"));
    assert!(catalog.axes_meet(symbol("ring"), symbol("cp")) && !catalog.axes_meet(symbol("ring"), symbol("tp")));
}

#[test]
fn a_method_that_a_project_declares_anew_changes_under_every_name() {
    let text = "[[value]]\nnames = [\"accelerate.Accelerator.gather\"]\nkind = \"local\"\nof = \"data\"\n";
    let catalog = extended(text).expect("it loads");
    for name in ["accelerate.Accelerator.gather", "accelerate.accelerator.Accelerator.gather"] {
        assert!(matches!(catalog.entry(symbol(name)), Some(Entry::Value(_))), "{name}");
    }
}

#[test]
fn mistakes_name_their_line_and_what_to_do() {
    let texts = [
        "[[collective]]\nnames = [\"a.b\"]\nworld = true\ngrup = 1\n",
        "[[colective]]\nnames = [\"a.b\"]\n",
        "[[collective]]\nworld = true\n",
        "[[collective]]\nnames = [\"a.b\"]\n",
        "[[collective]]\nnames = [\"a.b\"]\naxis = \"dpp\"\n",
        "[[collective]]\nnames = [\"a.b\"]\naxis = \"tp+zz\"\n",
        "[[collective]]\nnames = [\"a.b\"]\naxis = \"tp\"\nworld = true\n",
        "[[collective]]\nnames = [\"a.b()\"]\nworld = true\n",
        "[[exit]]\nnames = [\"a.b\", \"a.b\"]\n",
        "[[value]]\nnames = [\"a.b\"]\nkind = \"ranks\"\n",
        "[[value]]\nnames = [\"a.b\"]\nkind = \"local\"\n",
        "[[value]]\nnames = [\"a.b\"]\nkind = \"rank\"\nof = \"clock\"\n",
        "[[wrapper]]\nnames = [\"a.b\"]\ndoes = \"first-rank\"\n",
        "[[environment]]\nkeys = [\"A-B\"]\nkind = \"rank\"\n",
        "[[value]\nnames = 1\n",
        "[[axis]]\nname = \"world\"\nwords = [\"job\"]\n",
        "[[axis]]\nname = \"t p\"\n",
        "[[value]]\nnames = [\"a.b\"]\nkind = \"rank\"\nreason = \"\"\n",
        "[[collective]]\nnames = [\"a.b\"]\nworld = false\n",
        "[[collective]]\nnames = [\"a.b\"]\ngroup = { paramter = \"g\" }\n",
        "[[collective]]\nnames = [\"a.b\"]\ngroup = { parameter = \"g\", position = 900 }\n",
    ];
    let told: Vec<String> = texts.iter().map(|text| format!("{text}=> {}\n", mistake(text))).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn declarations_are_found_inside_a_larger_document() {
    let path = ["tool", "ranklint", "models"];
    let read = |text: &str| Catalog::builtin().extended_at("pyproject.toml", text, &path);
    let project = "[project]\nname = \"acme\"\n\n[[tool.ranklint.models.exit]]\nnames = [\"acme.stop\"]\n";
    let catalog = read(project).expect("it loads");
    assert_eq!(catalog.entry(symbol("acme.stop")), Some(&Entry::Exit));
    assert!(read("[project]\nname = \"acme\"\n").is_ok());
    let wrong = read(&project.replace("names", "name")).map(|_| ()).expect_err("`name` is not a field");
    assert_eq!(wrong.to_string(), "pyproject.toml:5:1: unknown field `name` (did you mean `names`?)");
    let wrong = read(&project.replace("acme.stop", "acme stop")).map(|_| ()).expect_err("a space");
    assert_eq!((wrong.line, wrong.column), (5, 10));
}

#[test]
#[ignore = "prints how long the model files take to load"]
fn time_to_load() {
    let start = std::time::Instant::now();
    let catalog = Catalog::builtin();
    let loaded = start.elapsed();
    let parsing = std::time::Instant::now();
    for (_, text) in MODEL_FILES {
        toml::from_str::<raw::RawModels>(text).expect("it loads");
    }
    println!("of which {:?} parsing", parsing.elapsed());
    println!("{:?} for {} entries, {} names", loaded, catalog.entries.len(), catalog.conventions.len());
}
