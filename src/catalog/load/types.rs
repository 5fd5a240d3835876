//! `[[type]]` tables: objects that methods belong to, and how they are recognised.

use super::{Loaded, Loader, is_identifier};
use crate::base::Symbol;
use crate::catalog::Type;
use crate::catalog::raw::RawType;

impl Loader<'_> {
    pub(super) fn kind_of_object(&mut self, raw: &RawType) -> Loaded<()> {
        let name = self.dotted(&raw.name)?;
        self.once("type", name, &raw.name)?;
        let mut aliases = Vec::new();
        for alias in &raw.aliases {
            let alias_name = self.dotted(alias)?;
            self.once("type", alias_name, alias)?;
            aliases.push(alias_name);
        }
        let mut variables = Vec::new();
        for variable in &raw.variables {
            let variable_name = self.identifier(variable, "a variable")?;
            self.once("variable", variable_name, variable)?;
            variables.push(variable_name);
        }
        let packages = raw.packages.iter().map(|name| self.dotted(name)).collect::<Loaded<Vec<_>>>()?;
        let first_of = raw.first_of.iter().map(|name| self.dotted(name)).collect::<Loaded<Vec<_>>>()?;
        let mut distinctive = Vec::new();
        for method in &raw.distinctive {
            let method_name = self.identifier(method, "a method")?;
            self.once("distinctive", method_name, method)?;
            distinctive.push(method_name);
        }
        let mut arguments = Vec::new();
        for argument in &raw.distinctive_arguments {
            let argument_name = self.identifier(argument, "an argument")?;
            self.once("distinctive argument", argument_name, argument)?;
            arguments.push(argument_name);
        }
        let takes_first = raw.takes_first.iter().map(|name| self.identifier(name, "a function"));
        let takes_first = takes_first.collect::<Loaded<Vec<_>>>()?;
        let silenced_by = raw.silenced_by.iter().map(|name| self.identifier(name, "a parameter"));
        let silenced_by = silenced_by.collect::<Loaded<Vec<_>>>()?;
        let silenced_with = raw.silenced_with.iter().map(|name| self.identifier(name, "a class"));
        let silenced_with = silenced_with.collect::<Loaded<Vec<_>>>()?;
        let mut fields = Vec::new();
        for (field, held) in &raw.fields {
            if !is_identifier(field) {
                let help = "a field is one identifier: letters, digits and `_`";
                return Err(self.error(held, format!("`{field}` is not an identifier"), Some(help.to_owned())));
            }
            fields.push((Symbol::new(field), self.dotted(held)?));
        }
        // A project that names a known type again adds to it.
        let mut kind = match self.catalog.types.get(&name) {
            Some(known) => known.clone(),
            None => Type {
                name,
                aliases: Vec::new(),
                packages: Vec::new(),
                variables: Vec::new(),
                first_of: Vec::new(),
                distinctive: Vec::new(),
                distinctive_arguments: Vec::new(),
                takes_first: Vec::new(),
                silenced_by: Vec::new(),
                silenced_with: Vec::new(),
                fields: Vec::new(),
                copied: false,
            },
        };
        kind.aliases.extend(aliases);
        kind.packages.extend(packages);
        kind.variables.extend(variables);
        kind.first_of.extend(first_of);
        kind.distinctive.extend(distinctive);
        kind.distinctive_arguments.extend(arguments);
        kind.takes_first.extend(takes_first);
        kind.silenced_by.extend(silenced_by);
        kind.silenced_with.extend(silenced_with);
        kind.fields.retain(|(known, _)| !fields.iter().any(|(field, _)| field == known));
        kind.fields.extend(fields);
        kind.copied |= raw.copied;
        self.catalog.firsts.extend(kind.first_of.iter().map(|&function| (function, kind.name)));
        self.catalog.packages.extend(kind.packages.iter().map(|&package| (package, kind.name)));
        self.catalog.variables.extend(kind.variables.iter().map(|&variable| (variable, kind.name)));
        self.catalog.methods.extend(kind.distinctive.iter().map(|&method| (method, kind.name)));
        self.catalog.arguments.extend(kind.distinctive_arguments.iter().map(|&argument| (argument, kind.name)));
        for &known_as in kind.aliases.iter().chain([&kind.name]) {
            let taking = kind.takes_first.iter().map(|function| Symbol::new(&format!("{known_as}.{function}")));
            self.catalog.taking.extend(taking.map(|function| (function, kind.name)));
            self.catalog.types.insert(known_as, kind.clone());
        }
        Ok(())
    }
}
