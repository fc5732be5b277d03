//! Infallible access to a tree: anything absent, null or of another type is `None`.

use super::pointer::{array_index, tokens};
use super::{Kind, Member, Value, decimal};
use crate::order::order;

impl<'a> Value<'a> {
    /// Whether it is `null`.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Null)
    }

    /// Returns the members of an object, in order; empty for any other value.
    #[must_use]
    pub fn members(&self) -> &[Member<'a>] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    /// Returns the elements of an array, in order; empty for any other value.
    #[must_use]
    pub fn items(&self) -> &[Value<'a>] {
        match &self.kind {
            Kind::Array(items) => items,
            _ => &[],
        }
    }

    /// Returns the elements of an array; `None` for any other value.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value<'a>]> {
        match &self.kind {
            Kind::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the member with this name, even if it is null.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Member<'a>> {
        self.members().iter().find(|member| member.name == name)
    }

    /// Returns the value of a member; null counts as absent.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.member(name)
            .map(|member| &member.value)
            .filter(|value| !value.is_null())
    }

    /// Returns the text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a boolean.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self.kind {
            Kind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the value of an integer. As in JSON Schema 2020-12 (core, section 4.2.3), a number without a fraction is
    /// one: `1.0` and `1e2` count.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self.kind {
            Kind::Number(text) => decimal::integer(text),
            _ => None,
        }
    }

    /// Returns the value of a number written as digits alone, up to 2^64 - 1; used for counters.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self.kind {
            Kind::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Returns the text of a string member.
    #[must_use]
    pub fn str(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Returns the value of a boolean member.
    #[must_use]
    pub fn bool(&self, name: &str) -> Option<bool> {
        self.get(name)?.as_bool()
    }

    /// Returns the value of an integer member.
    #[must_use]
    pub fn int(&self, name: &str) -> Option<i64> {
        self.get(name)?.as_int()
    }

    /// Returns the value at a JSON Pointer (RFC 6901), even if it is null; `None` for `-` and unknown members.
    #[must_use]
    pub fn pointer(&self, pointer: &str) -> Option<&Value<'a>> {
        tokens(pointer)?
            .iter()
            .try_fold(self, |value, token| match &value.kind {
                Kind::Object(_) => value.member(token).map(|member| &member.value),
                Kind::Array(items) => items.get(array_index(token)?),
                _ => None,
            })
    }

    /// Returns the value at a JSON Pointer or, if there is none, the innermost existing value around it.
    #[must_use]
    pub fn nearest(&self, pointer: &str) -> &Value<'a> {
        let mut around = pointer;
        loop {
            if let Some(value) = self.pointer(around) {
                return value;
            }
            match around.rsplit_once('/') {
                Some((outer, _)) => around = outer,
                None => return self,
            }
        }
    }

    /// Whether both values are equal, ignoring member order and comparing numbers by their text.
    #[must_use]
    pub fn same(&self, other: &Value<'_>) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Null, Kind::Null) => true,
            (Kind::Bool(a), Kind::Bool(b)) => a == b,
            (Kind::Number(a), Kind::Number(b)) => a == b,
            (Kind::String(a), Kind::String(b)) => a == b,
            (Kind::Array(a), Kind::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Kind::Object(a), Kind::Object(b)) => a.len() == b.len() && same_members(a, b),
            _ => false,
        }
    }
}

/// Members are usually in the same order, so that is tried first; otherwise both lists are sorted, so that a hundred
/// thousand members aren't compared pair by pair.
fn same_members(a: &[Member<'_>], b: &[Member<'_>]) -> bool {
    let equal = |(a, b): (&Member<'_>, &Member<'_>)| a.name == b.name && a.value.same(&b.value);
    if a.iter().zip(b).all(|(a, b)| a.name == b.name) {
        return a.iter().zip(b).all(equal);
    }
    let sorted = |members: &[Member<'_>]| {
        let name = |at: usize| members.get(at).map(|member| &*member.name);
        order(members.len(), &mut |x, y| name(x).cmp(&name(y)))
    };
    let pairs = sorted(a).into_iter().zip(sorted(b));
    pairs
        .into_iter()
        .all(|(x, y)| a.get(x).zip(b.get(y)).is_some_and(equal))
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn null_counts_as_absent() {
        let value = parse(r#"{"a":null,"b":"x","c":true,"d":[1,{"e":2.0}],"f":1.5}"#).unwrap();
        assert!(value.get("a").is_none());
        assert!(value.member("a").is_some());
        assert_eq!(value.str("b"), Some("x"));
        assert_eq!(value.bool("c"), Some(true));
        assert_eq!(value.pointer("/d/1/e").unwrap().as_int(), Some(2));
        assert_eq!(value.int("f"), None);
        assert!(value.pointer("/d/-").is_none());
        assert!(value.pointer("/b/x").is_none());
        assert_eq!(value.nearest("/d/1/e/x/y").as_int(), Some(2));
        assert!(value.nearest("/d/7").items().len() == 2);
        assert_eq!(value.nearest("x").span, value.span);
    }

    #[test]
    fn an_integer_is_a_number_without_a_fraction() {
        for (text, expected) in [
            ("9223372036854775807", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("1e2", Some(100)),
            ("-0", Some(0)),
            ("0.5", None),
            ("1e400", None),
        ] {
            assert_eq!(parse(text).unwrap().as_int(), expected, "{text}");
        }
    }

    #[test]
    fn as_u64_accepts_only_digits() {
        for (text, expected) in [
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("0", Some(0)),
            ("-1", None),
            ("1.0", None),
            ("\"1\"", None),
        ] {
            assert_eq!(parse(text).unwrap().as_u64(), expected, "{text}");
        }
    }

    #[test]
    fn member_order_does_not_matter() {
        let same = |a, b| parse(a).unwrap().same(&parse(b).unwrap());
        assert!(same(
            r#"{"a":1,"b":{"c":[1]}}"#,
            r#"{ "b":{"c":[1]}, "\u0061":1}"#
        ));
        assert!(!same(r#"{"a":1}"#, r#"{"a":1.0}"#));
        assert!(!same(r#"{"a":1}"#, r#"{"b":1}"#));
        assert!(!same("[1]", "[1,2]"));
    }
}
