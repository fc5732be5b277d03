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
        "extends": ANY, Stored => "Rulesets that these rules build on";
        "rules": FREE, Stored => "Names and rules";
        "description": TEXT, Stored => "What the rules are for";
        "documentationUrl": URL, Stored => "Where they are explained";
        "formats": TEXTS, Stored => "Formats of documents that they are for";
        "aliases": FREE, Stored => "Names for paths that several rules use";
        "overrides": Kind::Array(&FREE), Stored => "Other rules for some files";
        "parserOptions": FREE, Stored => "How documents are read";
        "functions": Kind::Array(&ANY), Stored => "Functions of its own, which are never loaded here";
        "functionsDir": TEXT, Stored => "Where those functions are";
        "except": FREE, Stored => "Places where some rules do not apply";
    },
};

/// A rule
pub static RULE: Type = Type {
    name: "rule",
    doc: super::doc("What has to hold at which places of a document"),
    switch: Switch::None,
    members: members! {
        "given": ANY, Stored, required => "JSON Path expressions of the places";
        "then": ANY, Stored, required => "What has to hold there";
        "severity": ANY, Stored => "How bad a violation is";
        "description": TEXT, Stored => "What the rule is for";
        "message": TEXT, Stored => "What is said about a violation";
        "documentationUrl": URL, Stored => "Where the rule is explained";
        "recommended": BOOL, Stored, default("true") => "Whether it applies without being asked for";
        "enabled": BOOL, Stored => "Whether it applies, in documents of older versions";
        "resolved": BOOL, Stored, default("true") => "Whether references are followed first";
        "formats": TEXTS, Stored => "Formats of documents that it is for";
        "tags": TEXTS, Stored => "Labels";
        "type": only!("validation", "style"), Stored => "What kind of violation it finds";
        "extensions": FREE, Stored => "Anything that tools add";
    },
};

/// `then` of a rule
pub static THEN: Type = Type {
    name: "then",
    doc: super::doc("A function and what it is applied to"),
    switch: Switch::None,
    members: members! {
        "function": TEXT, Stored, required => "The function that decides";
        "field": TEXT, Stored => "The member that it looks at; @key for the names of members";
        "functionOptions": ANY, Stored => "What the function is told";
    },
};
