//! What the source was asked once, and is asked again and again: each answer belongs to the room that finds it out.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{ClassId, FileId, FunctionId, Span, Symbol};
use crate::flow::{EffectId, Value};
use crate::model::ExprId;

use super::{Summary, constructed, dispatch, enclosed, held_here, known_by, makers, outside};

/// Answers of the source.
#[derive(Default)]
pub(in crate::graph) struct Memo<'p> {
    /// What classes below define instead of a method and communicates, the farthest from the class first.
    pub(super) overriders: FxHashMap<(ClassId, Symbol), dispatch::Overriders>,
    /// Classes and those that descend from them, once somebody has asked.
    pub(super) below: Option<FxHashMap<ClassId, Rc<[ClassId]>>>,
    /// The class of the objects that functions assign to a global variable.
    pub(super) global_classes: FxHashMap<(FileId, Symbol), Option<ClassId>>,
    /// The classes of the objects that functions make and return.
    pub(super) classes_made: FxHashMap<FunctionId, Rc<[ClassId]>>,
    /// What functions show those within them.
    pub(super) enclosed: FxHashMap<FunctionId, enclosed::Seen>,
    /// What constructors hand up to those of their bases.
    pub(super) handed_up: FxHashMap<FunctionId, Option<Rc<constructed::HandedUp>>>,
    /// The methods of a class that assign an attribute.
    pub(super) writers: FxHashMap<ClassId, Rc<FxHashMap<Symbol, Vec<FunctionId>>>>,
    /// The fields of a record, in order.
    pub(super) fields: FxHashMap<ClassId, Rc<[Symbol]>>,
    /// What annotations say of the elements of the containers that fields hold.
    pub(super) elements_of_fields: FxHashMap<(ClassId, Symbol), Option<ClassId>>,
    /// Classes of the objects that fields hold, by what their annotations say.
    pub(super) kinds_of_fields: FxHashMap<(ClassId, Symbol), Option<ClassId>>,
    /// Classes of properties of which a tree has one of the name, and that communicate.
    pub(super) sole_properties: FxHashMap<(Symbol, Symbol), Option<ClassId>>,
    /// Trees that wrap models.
    pub(super) wrapping: FxHashMap<Symbol, bool>,
    /// Which classes have an attribute of a name.
    pub(super) owners: Option<Rc<known_by::Owners>>,
    /// Who assigns attributes of objects that are not its own.
    pub(super) outside_writers: Option<Rc<outside::Writers>>,
    /// What functions leave under keys of mappings of modules, where that differs between ranks.
    pub(super) entries: FxHashMap<(FileId, Symbol), Option<Value>>,
    /// What methods do on objects that hold something in their attributes; nothing while that is being found out.
    pub(super) holding: FxHashMap<(FunctionId, held_here::Held), Option<Rc<Summary>>>,
    /// Who calls a constructor, where few do.
    pub(super) makers: FxHashMap<FunctionId, Rc<[makers::Maker]>>,
    /// Files in which something bears the name of a class that is called there.
    pub(super) calling_classes: Option<Rc<FxHashMap<Symbol, Vec<FileId>>>>,
    /// What all who make objects of a class give a parameter of its constructor, where that differs between ranks.
    pub(super) given_everywhere: FxHashMap<(FunctionId, u16), Option<Value>>,
    /// Attributes that somebody calls.
    pub(super) callable_attributes: Option<Rc<FxHashSet<Symbol>>>,
    /// Names of catalogued operations that objects have.
    pub(super) operations_of_objects: Option<Rc<FxHashSet<Symbol>>>,
    /// Outermost folders, and whether anything in them speaks of sharded models.
    pub knows_of_sharding: RefCell<FxHashMap<&'p str, bool>>,
    /// Whether a file speaks of numbers for each token.
    pub speaks_of_tokens: RefCell<FxHashMap<FileId, bool>>,
    /// Where the functions stand that are in no other one, in files that findings speak of.
    pub(super) outermost: RefCell<FxHashMap<FileId, Box<[Span]>>>,
    /// Expressions by where they are written, in files that findings speak of.
    pub(super) written: RefCell<FxHashMap<FileId, FxHashMap<Span, ExprId>>>,
    /// The effects below the large one that was gone through last.
    pub walked: RefCell<Option<(EffectId, Vec<EffectId>)>>,
    /// Attributes of which somebody has asked whether anybody turns them on.
    pub untouched: RefCell<FxHashMap<Symbol, bool>>,
}
