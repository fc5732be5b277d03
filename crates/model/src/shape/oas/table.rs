//! Parses the texts of the tables.

use super::Form;
use std::collections::BTreeMap;

/// The parsed types.
#[derive(Debug, Default)]
pub(crate) struct Table<'t> {
    types: Vec<Type<'t>>,
    numbers: BTreeMap<Space<'t>, usize>,
}

/// The types of the document and those of the extension have separate namespaces: both have a `Header`.
type Space<'t> = (bool, &'t str);

/// A type.
#[derive(Debug)]
pub(crate) struct Type<'t> {
    /// Its name.
    #[cfg(feature = "docs")]
    pub(crate) name: &'t str,
    /// Whether it belongs to the document around the extension.
    pub(crate) is_document: bool,
    /// Which other members it may have.
    pub(crate) others: Others,
    /// How many members it needs.
    pub(crate) least: usize,
    /// Its members.
    pub(crate) members: Vec<Member<'t>>,
    /// The kind of members whose names have a format.
    pub(crate) each: Option<(Form, Kind<'t>)>,
    /// Types of which at least one has to match.
    pub(crate) any: Vec<usize>,
    /// Whether only these types require an object, and it doesn't itself.
    pub(crate) is_choice: bool,
    /// Types of which exactly one has to match.
    pub(crate) one: Vec<usize>,
    /// Types that all have to match.
    pub(crate) all: Vec<usize>,
    /// A type that must not match.
    pub(crate) not: Option<usize>,
}

/// Which members a type may have besides its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// Any.
    Open,
    /// Those that start with `x-`.
    Extensions,
    /// None.
    None,
}

/// A member of a type.
#[derive(Debug)]
pub(crate) struct Member<'t> {
    /// Its name.
    pub(crate) name: &'t str,
    /// What it counts as if it is missing.
    pub(crate) fill: Fill,
    /// The kind of its value.
    pub(crate) kind: Kind<'t>,
}

/// What a member counts as if it is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Nothing: it is optional.
    Nothing,
    /// It is required, and in a document an empty text counts as missing.
    Required,
    /// It is required, but may be empty.
    Present,
    /// Null.
    Null,
    /// The empty text.
    Empty,
}

/// The kind of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind<'t> {
    /// Any value.
    Any,
    /// A boolean; if the flag is set, only `true`.
    Bool(bool),
    /// An integer in a range.
    Integer(Range<'t>),
    /// A number in a range.
    Number(Range<'t>),
    /// A text in a format.
    Text(Form),
    /// One of these texts, separated by `|`.
    Choice(&'t str),
    /// An object.
    Object,
    /// A text that refers to another part of the document.
    Reference,
    /// A list, and whether the reference only checks its first element.
    List(Box<Self>, bool),
    /// An object whose members all have one kind.
    Map(Box<Self>),
    /// A type, by its index.
    Type(usize),
    /// A type or a reference to one, and whether a boolean is allowed too.
    OrReference(usize, bool),
    /// A kind, or null.
    OrNull(Box<Self>),
}

/// A range of numbers as text; an empty bound means that there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Range<'t> {
    /// The smallest.
    pub(crate) min: &'t str,
    /// The largest.
    pub(crate) max: &'t str,
}

impl<'t> Table<'t> {
    /// Parses texts, each with whether its types belong to the document around the extension.
    pub(super) fn read(texts: &[(&'t str, bool)]) -> Self {
        let mut table = Self::default();
        let lines = || {
            let texts = texts.iter();
            texts.flat_map(|(text, document)| text.lines().map(|line| (line, *document)))
        };
        let is_head = |line: &str| !line.starts_with(' ');
        for (number, (line, document)) in lines().filter(|(line, _)| is_head(line)).enumerate() {
            let name = line.split(' ').next().unwrap_or_default();
            table.numbers.entry((document, name)).or_insert(number);
        }
        for (line, document) in lines() {
            match line.strip_prefix(' ') {
                None => {
                    let head = table.head(line, document);
                    table.types.push(head);
                }
                Some(line) => {
                    let member = table.member(line, document);
                    if let Some(of) = table.types.last_mut() {
                        of.members.push(member);
                    }
                }
            }
        }
        table
    }

    /// Returns the index of a type. Types of the document are looked up among its own, and then among the others: one
    /// of those is the extension.
    pub(crate) fn number(&self, document: bool, name: &str) -> Option<usize> {
        self.numbers.get(&(document, name)).copied()
    }

    /// Returns the type with an index.
    pub(crate) fn get(&self, number: usize) -> Option<&Type<'t>> {
        self.types.get(number)
    }

    /// Iterates over every type, including those that replace others of the same name.
    #[cfg(test)]
    pub(crate) fn types(&self) -> impl Iterator<Item = &Type<'t>> {
        self.types.iter()
    }

    fn numbers_of(&self, document: bool, names: &str) -> Vec<usize> {
        let number = |name| self.number(document, name);
        names.split(',').filter_map(number).collect()
    }

    fn head(&self, line: &'t str, document: bool) -> Type<'t> {
        let words = line.split(' ').skip(1);
        let mut of = Type {
            #[cfg(feature = "docs")]
            name: line.split(' ').next().unwrap_or_default(),
            is_document: document,
            others: Others::Open,
            least: 0,
            members: Vec::new(),
            each: None,
            any: Vec::new(),
            is_choice: false,
            one: Vec::new(),
            all: Vec::new(),
            not: None,
        };
        for word in words {
            let (flag, rest) = word.split_once('=').unwrap_or((word, ""));
            match flag {
                "closed" => of.others = Others::Extensions,
                "shut" => of.others = Others::None,
                "least" => of.least = rest.parse().unwrap_or_default(),
                "any" => of.any = self.numbers_of(document, rest),
                "choice" => of.is_choice = true,
                "one" => of.one = self.numbers_of(document, rest),
                "all" => of.all = self.numbers_of(document, rest),
                "not" => of.not = self.number(document, rest),
                _ => {
                    let form = flag.strip_prefix("each").unwrap_or_default();
                    of.each = Some((Form::named(form), self.kind(rest, document)));
                }
            }
        }
        of
    }

    fn member(&self, line: &'t str, document: bool) -> Member<'t> {
        let (name, kind) = line.split_once(' ').unwrap_or((line, "any"));
        let marks = [
            ("!!", Fill::Present),
            ("!", Fill::Required),
            ("?", Fill::Null),
            ("+", Fill::Empty),
        ];
        let marked = marks
            .into_iter()
            .find_map(|(mark, fill)| Some((name.strip_suffix(mark)?, fill)));
        let (name, fill) = marked.unwrap_or((name, Fill::Nothing));
        let kind = self.kind(kind, document);
        Member { name, fill, kind }
    }

    fn kind(&self, text: &'t str, document: bool) -> Kind<'t> {
        let inner = |text| Box::new(self.kind(text, document));
        let between = |open, close| text.strip_prefix(open)?.strip_suffix(close);
        if let Some(list) = between('[', ']') {
            return match list.strip_suffix(",..") {
                Some(first) => Kind::List(inner(first), true),
                None => Kind::List(inner(list), false),
            };
        }
        if let Some(map) = between('{', '}') {
            return Kind::Map(inner(map));
        }
        if let Some(choice) = text.strip_prefix('=') {
            return Kind::Choice(choice);
        }
        if let Some(kind) = text.strip_suffix('?') {
            return Kind::OrNull(inner(kind));
        }
        if let Some(form) = text.strip_prefix("string") {
            return Kind::Text(Form::named(form));
        }
        let (word, range) = text.split_once(':').unwrap_or((text, ":"));
        let (min, max) = range.split_once(':').unwrap_or_default();
        let range = Range { min, max };
        match word {
            "boolean" => Kind::Bool(false),
            "true" => Kind::Bool(true),
            "integer" => Kind::Integer(range),
            "number" => Kind::Number(range),
            "object" => Kind::Object,
            "reference" => Kind::Reference,
            _ => self.named(word, document),
        }
    }

    fn named(&self, word: &str, document: bool) -> Kind<'t> {
        let number = |name: &str| self.number(document, name);
        match word.split_once('/') {
            Some((name, other)) => number(name).map_or(Kind::Any, |number| {
                Kind::OrReference(number, other == "boolean")
            }),
            None => number(word).map_or(Kind::Any, Kind::Type),
        }
    }
}
