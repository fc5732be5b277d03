//! What the parser makes of a text: a tree, or whatever else a builder makes of the values in it.

use super::parse::{Keeps, MAX_DEPTH};
use super::{Kind, Member, Span, Value, duplicates};
use std::borrow::Cow;

/// A value that contains no others.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written.
    Number(&'a str),
    /// A string, unescaped; borrowed if it has no escapes.
    String(Cow<'a, str>),
}

/// Makes a value of its own for each value of a text, the innermost first.
pub trait Builder<'a> {
    /// What a value becomes.
    type Value;
    /// The members of an object so far.
    type Members: Default;

    /// Makes a value of a scalar; `span` is where it is in the text.
    fn scalar(&mut self, scalar: Scalar<'a>, span: Span) -> Self::Value;

    /// Adds a member, with the span of its name, to an object that is nested `depth` deep (1 for the outermost).
    fn member(
        &mut self,
        depth: usize,
        members: &mut Self::Members,
        name: (Cow<'a, str>, Span),
        value: Self::Value,
    );

    /// Adds an element to an array.
    fn element(&mut self, depth: usize, items: &mut Vec<Self::Value>, item: Self::Value) {
        let _ = depth;
        items.push(item);
    }

    /// Makes a value of an object.
    fn object(&mut self, members: Self::Members, span: Span) -> Self::Value;

    /// Makes a value of an array.
    fn array(&mut self, items: Vec<Self::Value>, span: Span) -> Self::Value;
}

/// Builds a tree.
#[derive(Debug)]
pub(super) struct Tree {
    /// Whether an object has two members with the same name. Once this is known, it isn't looked for any more.
    pub(super) duplicates: bool,
    pub(super) keeps: Option<Keeps>,
    /// The depth up to which containers have their members and elements in the tree.
    pub(super) filled: usize,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            duplicates: false,
            keeps: None,
            filled: MAX_DEPTH,
        }
    }
}

impl Tree {
    /// Duplicates don't matter.
    pub(super) fn repeating() -> Self {
        Self {
            duplicates: true,
            ..Self::default()
        }
    }
}

impl<'a> Builder<'a> for Tree {
    type Value = Value<'a>;
    type Members = Vec<Member<'a>>;

    fn scalar(&mut self, scalar: Scalar<'a>, span: Span) -> Value<'a> {
        let kind = match scalar {
            Scalar::Null => Kind::Null,
            Scalar::Bool(is_true) => Kind::Bool(is_true),
            Scalar::Number(text) => Kind::Number(text),
            Scalar::String(text) => Kind::String(text),
        };
        Value { span, kind }
    }

    fn member(
        &mut self,
        depth: usize,
        members: &mut Vec<Member<'a>>,
        (name, name_span): (Cow<'a, str>, Span),
        value: Value<'a>,
    ) {
        if depth > self.filled {
            return;
        }
        let member = Member {
            name,
            name_span,
            value,
        };
        let Some(keeps) = self.keeps else {
            return members.push(member);
        };
        if keeps(depth, &member.name) {
            let mut same = (0..)
                .zip(&*members)
                .filter(|(_, known)| known.name == member.name);
            if let Some((later, _)) = same.nth(1) {
                members.remove(later);
            }
            members.push(member);
        }
    }

    fn element(&mut self, depth: usize, items: &mut Vec<Value<'a>>, item: Value<'a>) {
        if self.keeps.is_none() && depth <= self.filled {
            items.push(item);
        }
    }

    fn object(&mut self, members: Vec<Member<'a>>, span: Span) -> Value<'a> {
        self.duplicates = self.duplicates || duplicates::any(&members);
        Value {
            span,
            kind: Kind::Object(members),
        }
    }

    fn array(&mut self, items: Vec<Value<'a>>, span: Span) -> Value<'a> {
        Value {
            span,
            kind: Kind::Array(items),
        }
    }
}
