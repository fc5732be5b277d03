//! The nodes of one document, in a flat list: texts may nest deeper than the stack allows.

use crate::json::Span;
use granit_parser::StructureStyle;
use std::borrow::Cow;

/// Index of a node in its tree.
pub(super) type Id = usize;

/// One node and its span, without its anchor and its tag.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// The span of a block ends with its last entry, not at the start of the next node.
    pub(super) span: Span,
    pub(super) tag: Tag<'a>,
    pub(super) kind: Kind<'a>,
}

/// The tag of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tag<'a> {
    /// No tag.
    None,
    /// A type of the core schema (`!!str`), or the non-specific tag (`!`).
    Type(Cow<'a, str>),
    /// A tag that is in no schema of YAML, as written.
    Other(Cow<'a, str>),
}

#[derive(Debug)]
pub(super) enum Kind<'a> {
    /// A scalar without quotes, which may be a number.
    Plain(Cow<'a, str>),
    /// A scalar that is text.
    Text(Cow<'a, str>, Notation),
    List(Vec<Id>, StructureStyle),
    /// Names and values, in the order of the text.
    Map(Vec<(Id, Id)>, StructureStyle),
    /// An alias of this node.
    Alias(Id),
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    Quoted,
    /// The span covers the lines alone, without the `|` before them.
    Block,
}

#[derive(Debug)]
pub(super) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    /// Returned for an id that doesn't exist.
    nothing: Node<'a>,
    pub(super) root: Id,
}

impl<'a> Tree<'a> {
    pub(super) const fn new() -> Self {
        Self {
            nodes: Vec::new(),
            nothing: Node {
                span: Span { start: 0, end: 0 },
                tag: Tag::None,
                kind: Kind::Plain(Cow::Borrowed("")),
            },
            root: 0,
        }
    }

    pub(super) fn push(&mut self, node: Node<'a>) -> Id {
        self.nodes.push(node);
        self.nodes.len().saturating_sub(1)
    }

    pub(super) const fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, id: Id) -> &Node<'a> {
        self.nodes.get(id).unwrap_or(&self.nothing)
    }

    pub(super) fn node_mut(&mut self, id: Id) -> Option<&mut Node<'a>> {
        self.nodes.get_mut(id)
    }

    /// Resolves an alias to its node; any other node is returned unchanged.
    pub(super) fn resolved(&self, id: Id) -> Id {
        match self.node(id).kind {
            Kind::Alias(target) => target,
            _ => id,
        }
    }

    /// Returns the member name that a key denotes; `None` for a list or a map.
    pub(super) fn name(&self, key: Id) -> Option<&str> {
        match &self.node(self.resolved(key)).kind {
            Kind::Plain(text) | Kind::Text(text, _) => Some(text),
            _ => None,
        }
    }

    /// Whether a key is the merge key `<<`.
    pub(super) fn merges(&self, key: Id) -> bool {
        let node = self.node(key);
        node.tag == Tag::None && matches!(&node.kind, Kind::Plain(text) if text == "<<")
    }
}
