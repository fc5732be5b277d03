//! Checks the types that travel against the list in `messages.txt`: the previous release reads what is listed there, so
//! a type may only grow at its end, and only by fields that have a default.

use super::WireError;
use crate::ledger::{Consume, Verdict};
use crate::registry::{Command, Reply};
use serde::de::value::U32Deserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::collections::BTreeMap;

const KNOWN: &str = include_str!("messages.txt");

#[test]
fn types_that_travel_only_grow_at_their_end_and_by_what_has_a_default() {
    let found = lines(None).unwrap();
    let known: Vec<(&str, Vec<&str>)> = KNOWN.lines().map(parts).collect();
    for (name, known) in known {
        let now = found.get(name).map(Vec::as_slice).unwrap_or_default();
        assert!(
            now.len() >= known.len() && known.iter().zip(now).all(|(known, now)| known == now),
            "the release before knows {name} as {known:?}, and this one as {now:?}"
        );
        let is_struct = known.iter().any(|line| line.contains(": "));
        assert!(
            now.len() == known.len() || !is_struct || lines(Some((name, known.len()))).is_some(),
            "what is new in {name} needs a default: {now:?}"
        );
    }
    let listed = found
        .iter()
        .map(|(name, lines)| format!("{name} = {}\n", lines.join(" | ")));
    let listed: String = listed.collect();
    assert_eq!(
        listed, KNOWN,
        "put what is new into messages.txt:\n{listed}"
    );
}

fn parts(line: &str) -> (&str, Vec<&str>) {
    let (name, parts) = line.split_once(" = ").unwrap();
    (
        name,
        parts.split(" | ").filter(|part| !part.is_empty()).collect(),
    )
}

/// Returns every type that travels. `None` if a value can't be read when the given struct ends this early.
fn lines(ends: Option<(&str, usize)>) -> Option<BTreeMap<String, Vec<String>>> {
    let mut seen = Seen {
        ends: ends.map(|(name, at)| (name.to_owned(), at)),
        ..Seen::default()
    };
    seen.meet::<Command>()?;
    seen.meet::<Reply>()?;
    seen.meet::<Consume>()?;
    seen.meet::<Verdict>()?;
    Some(seen.lines)
}

/// What is known about the types seen so far: the fields of a struct, each with its type, and the variants of an enum,
/// each with a line of its own if it has content.
#[derive(Default)]
struct Seen {
    lines: BTreeMap<String, Vec<String>>,
    /// How often an enum was read.
    met: BTreeMap<&'static str, usize>,
    /// The type of the value read last.
    last: String,
    /// A struct or variant that ends after this many fields.
    ends: Option<(String, usize)>,
}

impl Seen {
    /// Reads values of a type until everything in it was seen.
    fn meet<'de, T: Deserialize<'de>>(&mut self) -> Option<()> {
        loop {
            T::deserialize(Tracer(self)).ok()?;
            let left = |(name, met): (&&str, &usize)| *met < self.lines[*name].len();
            if !self.met.iter().any(left) {
                return Some(());
            }
        }
    }

    fn parts<'de, V: Visitor<'de>>(
        &mut self,
        left: usize,
        visitor: V,
    ) -> Result<(V::Value, Vec<String>), WireError> {
        let mut met = Vec::new();
        let met_here = &mut met;
        let value = visitor.visit_seq(Parts {
            seen: self,
            left,
            met: met_here,
        })?;
        Ok((value, met))
    }
}

/// Reads a value from nothing, and records its type.
struct Tracer<'s>(&'s mut Seen);

impl Tracer<'_> {
    fn is<T>(self, kind: &str, value: T) -> T {
        kind.clone_into(&mut self.0.last);
        value
    }

    fn fields<'de, V: Visitor<'de>>(
        self,
        name: &str,
        fields: &[&str],
        visitor: V,
    ) -> Result<V::Value, WireError> {
        let ends = self.0.ends.as_ref().filter(|(ends, _)| ends == name);
        let left = ends.map_or(fields.len(), |(_, at)| *at);
        let (value, met) = self.0.parts(left, visitor)?;
        let lines: Vec<_> = fields
            .iter()
            .zip(&met)
            .map(|(field, kind)| format!("{field}: {kind}"))
            .collect();
        let before = self.0.lines.insert(name.to_owned(), lines.clone());
        assert!(
            before.is_none_or(|before| before == lines),
            "two types are called {name}"
        );
        Ok(self.is(name, value))
    }
}

struct Parts<'s> {
    seen: &'s mut Seen,
    left: usize,
    met: &'s mut Vec<String>,
}

impl<'de> SeqAccess<'de> for Parts<'_> {
    type Error = WireError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, WireError> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        let value = seed.deserialize(Tracer(&mut *self.seen))?;
        self.met.push(self.seen.last.clone());
        Ok(Some(value))
    }
}

macro_rules! leaves {
    ($($method:ident $visit:ident $value:literal $kind:literal;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
            let value = visitor.$visit($value)?;
            Ok(self.is($kind, value))
        }
    )*};
}

impl<'de> Deserializer<'de> for Tracer<'_> {
    type Error = WireError;

    leaves! {
        deserialize_bool visit_bool false "bool";
        deserialize_u8 visit_u64 0 "number";
        deserialize_u16 visit_u64 0 "number";
        deserialize_u32 visit_u64 0 "number";
        deserialize_u64 visit_u64 0 "number";
        deserialize_str visit_str "" "text";
        deserialize_string visit_str "" "text";
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, WireError> {
        Err(WireError::Broken)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        let value = visitor.visit_some(Tracer(&mut *self.0))?;
        let kind = format!("optional {}", self.0.last);
        Ok(self.is(&kind, value))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WireError> {
        let (value, met) = self.0.parts(1, visitor)?;
        Ok(self.is(&format!("list of {}", met.concat()), value))
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        left: usize,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        let (value, met) = self.0.parts(left, visitor)?;
        Ok(self.is(&met.join(" and "), value))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, WireError> {
        self.fields(name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, WireError> {
        let lines: Vec<_> = variants
            .iter()
            .map(|variant| (*variant).to_owned())
            .collect();
        let before = self.0.lines.insert(name.to_owned(), lines.clone());
        assert!(
            before.is_none_or(|before| before == lines),
            "two types are called {name}"
        );
        // One variant after the other, so that the content of each is seen in turn.
        let met = self.0.met.entry(name).or_default();
        let at = met.checked_rem(variants.len()).unwrap_or_default();
        *met = met.saturating_add(1);
        let variant = format!("{name}::{}", variants[at]);
        let value = visitor.visit_enum(Variant {
            seen: &mut *self.0,
            at,
            name: &variant,
        })?;
        Ok(self.is(name, value))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 f32 f64 char bytes byte_buf unit unit_struct tuple_struct map identifier
        ignored_any
    }
}

struct Variant<'s> {
    seen: &'s mut Seen,
    at: usize,
    name: &'s str,
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = WireError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), WireError> {
        let index = u32::try_from(self.at).unwrap();
        let index: U32Deserializer<WireError> = index.into_deserializer();
        Ok((seed.deserialize(index)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = WireError;

    fn unit_variant(self) -> Result<(), WireError> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, WireError> {
        let value = seed.deserialize(Tracer(&mut *self.seen))?;
        let line = self.seen.last.clone();
        self.seen.lines.insert(self.name.to_owned(), vec![line]);
        Ok(value)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, WireError> {
        let (value, met) = self.seen.parts(length, visitor)?;
        self.seen
            .lines
            .insert(self.name.to_owned(), vec![met.join(" and ")]);
        Ok(value)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, WireError> {
        Tracer(self.seen).fields(self.name, fields, visitor)
    }
}
