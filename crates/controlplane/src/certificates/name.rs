//! The names of X.509 (RFC 5280 section 4.1.2.4) as the reference writes them, which is as Go does.

use serde::{Deserialize, Serialize};
use x509_cert::der::asn1::Any;
use x509_cert::der::{Tag, Tagged};
use x509_cert::name::Name as Read;

/// A distinguished name. Lists are `null` where there is nothing in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
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
    /// Always `null`: what there is besides stands among the names.
    pub extra_names: Option<()>,
}

/// An attribute: its object identifier and its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Attribute {
    pub r#type: Vec<u32>,
    pub value: String,
}

impl Name {
    /// A name of nothing but this.
    pub(super) fn called(common_name: String) -> Self {
        Self {
            common_name,
            ..Self::default()
        }
    }

    pub(super) fn read(name: &Read) -> Self {
        let mut read = Self::default();
        for part in name.iter() {
            let r#type: Vec<u32> = part.oid.arcs().collect();
            let value = text(&part.value);
            let list = match r#type.as_slice() {
                [2, 5, 4, 6] => Some(&mut read.country),
                [2, 5, 4, 10] => Some(&mut read.organization),
                [2, 5, 4, 11] => Some(&mut read.organizational_unit),
                [2, 5, 4, 7] => Some(&mut read.locality),
                [2, 5, 4, 8] => Some(&mut read.province),
                [2, 5, 4, 9] => Some(&mut read.street_address),
                [2, 5, 4, 17] => Some(&mut read.postal_code),
                _ => None,
            };
            if let Some(list) = list {
                list.get_or_insert_default().push(value.clone());
            }
            match r#type.as_slice() {
                [2, 5, 4, 5] => read.serial_number.clone_from(&value),
                [2, 5, 4, 3] => read.common_name.clone_from(&value),
                _ => {}
            }
            read.names
                .get_or_insert_default()
                .push(Attribute { r#type, value });
        }
        read
    }
}

/// The text of an attribute, whatever its string type.
fn text(value: &Any) -> String {
    let bytes = value.value();
    let units = || {
        bytes.chunks_exact(2).map(|pair| match pair {
            [high, low] => u16::from_be_bytes([*high, *low]),
            _ => 0,
        })
    };
    match value.tag() {
        Tag::BmpString => char::decode_utf16(units())
            .map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect(),
        // What old certificates mean by it is Latin-1.
        Tag::TeletexString => bytes.iter().copied().map(char::from).collect(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}
