//! The `definition` of a ruleset: linting rules in the format of Spectral
//! (<https://docs.stoplight.io/docs/spectral/e5b9616d6d50c-rulesets>). Members that accept several types are `ANY`
//! here; [`crate::ruleset`] checks them.

use super::Support::Stored;
use super::{ANY, BOOL, FREE, Kind, Switch, TEXT, TEXTS, Type, URL, members, only};

/// The definition of a ruleset
pub static RULESET_DEFINITION: Type = Type {
    name: "ruleset definition",
    doc: super::doc("Linting rules"),
    switch: Switch::None,
    members: members! {
        "extends": ANY, Stored => "Rulesets these rules extend";
        "rules": FREE, Stored => "Rules by name";
        "description": TEXT, Stored => "The purpose of the rules";
        "documentationUrl": URL, Stored => "The documentation of the rules";
        "formats": TEXTS, Stored => "Document formats they apply to";
        "aliases": FREE, Stored => "Names for paths used by several rules";
        "overrides": Kind::Array(&FREE), Stored => "Different rules for some files";
        "parserOptions": FREE, Stored => "How documents are parsed";
        "functions": Kind::Array(&ANY), Stored => "Custom functions, which are never loaded here";
        "functionsDir": TEXT, Stored => "The directory of those functions";
        "except": FREE, Stored => "Places where some rules don't apply";
    },
};

/// A rule
pub static RULE: Type = Type {
    name: "rule",
    doc: super::doc("A requirement and the places in a document it applies to"),
    switch: Switch::None,
    members: members! {
        "given": ANY, Stored, required => "JSONPath expressions for the places";
        "then": ANY, Stored, required => "What must hold there";
        "severity": ANY, Stored => "The severity of a violation";
        "description": TEXT, Stored => "The purpose of the rule";
        "message": TEXT, Stored => "The message about a violation";
        "documentationUrl": URL, Stored => "The documentation of the rule";
        "recommended": BOOL, Stored, default("true") => "Whether it applies by default";
        "enabled": BOOL, Stored => "Whether it applies, in older documents";
        "resolved": BOOL, Stored, default("true") => "Whether references are resolved first";
        "formats": TEXTS, Stored => "Document formats it applies to";
        "tags": TEXTS, Stored => "Labels";
        "type": only!("validation", "style"), Stored => "The kind of violation it finds";
        "extensions": FREE, Stored => "Additions by tools";
    },
};

/// `then` of a rule
pub static THEN: Type = Type {
    name: "then",
    doc: super::doc("A function and the member it is applied to"),
    switch: Switch::None,
    members: members! {
        "function": TEXT, Stored, required => "The function to apply";
        "field": TEXT, Stored => "The member it is applied to; @key for the names of members";
        "functionOptions": ANY, Stored => "Options for the function";
    },
};
