//! The nodes of one document, in a list: texts nest deeper than a stack is high.

use crate::json::Span;
use granit_parser::StructureStyle;
use std::borrow::Cow;

/// Which node of a tree.
pub(super) type Id = usize;

/// One node and where it stands, without its anchor and its tag.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// A block ends with the last thing in it, not where the next one begins.
    pub(super) span: Span,
    pub(super) tag: Tag<'a>,
    pub(super) kind: Kind<'a>,
}

/// What a tag says of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tag<'a> {
    /// There is none.
    None,
    /// The type of that name (`!!str`), or of none (`!`).
    Type(Cow<'a, str>),
    /// One that no schema of YAML knows, as it is written.
    Other(Cow<'a, str>),
}

#[derive(Debug)]
pub(super) enum Kind<'a> {
    /// A scalar without quotes, which may be a number.
    Plain(Cow<'a, str>),
    /// A scalar that is text.
    Text(Cow<'a, str>, Notation),
    List(Vec<Id>, StructureStyle),
    /// Names and values in their order, as they are written.
    Map(Vec<(Id, Id)>, StructureStyle),
    /// The node that stands here, too.
    Alias(Id),
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    Quoted,
    /// Its span has the lines alone, without the `|` before them.
    Block,
}

#[derive(Debug)]
pub(super) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    /// What stands where nothing does.
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

    /// The node that an alias stands for; any other one is itself.
    pub(super) fn meant(&self, id: Id) -> Id {
        match self.node(id).kind {
            Kind::Alias(target) => target,
            _ => id,
        }
    }

    /// The name that a node is of a member; none for a list or a map.
    pub(super) fn name(&self, key: Id) -> Option<&str> {
        match &self.node(self.meant(key)).kind {
            Kind::Plain(text) | Kind::Text(text, _) => Some(text),
            _ => None,
        }
    }

    /// Whether a member is the one that merges others into its map.
    pub(super) fn merges(&self, key: Id) -> bool {
        let node = self.node(key);
        node.tag == Tag::None && matches!(&node.kind, Kind::Plain(text) if text == "<<")
    }
}
