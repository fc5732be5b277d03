//! Names of tools and their arguments.

use super::super::super::operations::Operation;
use super::{Argument, Unfit, with_description};
use crate::json::{Value, quote};

/// The maximum length of a tool name, which also has a restricted alphabet
/// (<https://modelcontextprotocol.io/specification/2025-11-25/server/tools>, *Tool Names*).
const MAX_LENGTH: usize = 128;

const fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-')
}

/// The names of tools: the proxy's name, or else the id of the operation. An operation without an id is named by its
/// method and path, and yields to others.
#[derive(Default)]
pub(super) struct Names {
    /// The names, each with the text that makes it unique if it may be changed.
    list: Vec<(String, Option<String>)>,
}

impl Names {
    /// Adds the name of an operation.
    pub(super) fn add(
        &mut self,
        operation: &Operation<'_, '_>,
        own: Option<&str>,
    ) -> Result<(), Unfit> {
        let id = operation.id();
        let path = operation.path.strip_prefix('/').unwrap_or(operation.path);
        let is_made = id == format!("{path}{}", operation.method);
        let entry = match own {
            Some(own) => (own.to_owned(), None),
            None if !is_made => (plain(&id), None),
            None => {
                let words = path.split(|letter: char| !letter.is_ascii_alphanumeric());
                let words = words.filter(|word| !word.is_empty());
                let mut name = operation.method.to_ascii_lowercase();
                for word in words {
                    name.push('_');
                    name.push_str(word);
                }
                (plain(&name), Some(id))
            }
        };
        let is_taken = |known: &&(String, Option<String>)| known.0 == entry.0 && known.1.is_none();
        if entry.1.is_none() && self.list.iter().any(|known| is_taken(&known)) {
            return Err(format!("duplicate tool name {}", quote(&entry.0)));
        }
        self.list.push(entry);
        Ok(())
    }

    /// Returns the final names, in the order in which they were added.
    pub(super) fn all(self) -> Vec<String> {
        let fixed = self.list.iter().filter(|(_, made)| made.is_none());
        let mut taken: Vec<String> = fixed.map(|(name, _)| name.clone()).collect();
        let mut names = Vec::new();
        for (name, made) in self.list {
            let Some(id) = made else {
                names.push(name);
                continue;
            };
            let mut free = name.clone();
            let marked = format!("{name}_{:08x}", hash(&id));
            let mut number = 0_u32;
            while taken.contains(&free) {
                free = match number {
                    0 => marked.clone(),
                    number => format!("{marked}_{}", number.saturating_sub(1)),
                };
                number = number.saturating_add(1);
            }
            taken.push(free.clone());
            names.push(free);
        }
        names
    }
}

/// Converts a text to a name: characters not allowed in names become `_`.
fn plain(text: &str) -> String {
    let letters = text.chars().take(MAX_LENGTH);
    let letters = letters.map(|letter| if is_plain(letter) { letter } else { '_' });
    letters.collect()
}

/// Returns a stable hash of a text (FNV-1a, <http://www.isthe.com/chongo/tech/comp/fnv/>).
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Applies the proxy's names and descriptions to arguments, and distinguishes equal names by location. Members of a
/// body keep their names, so duplicates of those have to be renamed in the proxy.
pub(super) fn of_arguments(
    arguments: &mut [Argument],
    overrides: &[Value<'_>],
    tool: &str,
) -> Result<(), Unfit> {
    let mut fixed = vec![false; arguments.len()];
    for entry in overrides {
        let param = entry.str("param").unwrap_or_default();
        let free = arguments.iter_mut().zip(&mut fixed);
        let mut free = free.filter(|(known, is_fixed)| known.derived == param && !**is_fixed);
        let Some((argument, is_fixed)) = free.next() else {
            return Err(format!(
                "unknown or duplicate parameter {} (tool {})",
                quote(param),
                quote(tool)
            ));
        };
        if let Some(name) = entry.str("name").filter(|name| !name.is_empty()) {
            name.clone_into(&mut argument.name);
            *is_fixed = true;
        }
        if let Some(description) = entry.str("description") {
            argument.schema = with_description(argument.schema.clone(), description, true);
        }
    }
    let names: Vec<(String, bool)> = arguments
        .iter()
        .map(|argument| (argument.name.clone(), argument.location == "body"))
        .collect();
    for (at, argument) in arguments.iter_mut().enumerate() {
        let is_fixed = fixed.get(at).copied().unwrap_or_default() || argument.location == "body";
        let others = names.iter().enumerate();
        let mut others = others.filter(|(other, _)| *other != at);
        let clashes = others.any(|(_, (name, is_body))| *name == argument.name && !is_body);
        if clashes && !is_fixed {
            argument.name = format!("{}_{}", argument.location, argument.name);
        }
    }
    for (at, argument) in arguments.iter().enumerate() {
        let before = arguments.get(..at).unwrap_or_default();
        if before.iter().any(|known| known.name == argument.name) {
            return Err(format!(
                "duplicate exposed parameter name {} (tool {})",
                quote(&argument.name),
                quote(tool)
            ));
        }
    }
    Ok(())
}
