//! X.509 names (RFC 5280 section 4.1.2.4) as the reference serialises them, which is how Go does.

use serde::{Deserialize, Serialize};

/// A distinguished name. Empty lists are `null`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
#[expect(missing_docs, reason = "the members are those of reference 1.8")]
pub struct Name {
    pub country: Option<Vec<String>>,
    pub organization: Option<Vec<String>>,
    pub organizational_unit: Option<Vec<String>>,
    pub locality: Option<Vec<String>>,
    pub province: Option<Vec<String>>,
    pub street_address: Option<Vec<String>>,
    pub postal_code: Option<Vec<String>>,
    pub serial_number: String,
    pub common_name: String,
    pub names: Option<Vec<Attribute>>,
    /// Always `null`: further attributes are in the list of names.
    pub extra_names: Option<()>,
}

/// An attribute: its object identifier and its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
#[expect(missing_docs, reason = "the members are those of reference 1.8")]
pub struct Attribute {
    pub r#type: Vec<u32>,
    pub value: String,
}
