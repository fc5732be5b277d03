//! Metadata of a key as texts (reference 3.11).

use super::Session;
use crate::json::{Kind, Value, parse};
use crate::text::percent::encode_query;

impl Session {
    /// Returns the text of a member of `meta_data`, for `$gateway_meta.<name>` and `rate_limit_pattern`: a string
    /// unchanged, a number without an exponent, the elements of a list joined by `,`, each encoded as in a query.
    /// Objects, null and absent members give `None`.
    #[must_use]
    pub fn meta(&self, name: &str) -> Option<String> {
        let mut members = self.meta_data.iter();
        let (_, json) = members.find(|(known, _)| known == name)?;
        text(&parse(json).ok()?)
    }
}

/// Converts a value to the text that a variable has; `None` if it has no text form.
#[must_use]
pub fn text(value: &Value<'_>) -> Option<String> {
    match &value.kind {
        Kind::Null | Kind::Object(_) => None,
        Kind::Bool(truth) => Some(truth.to_string()),
        Kind::Number(number) => Some(plain(number)),
        Kind::String(text) => Some(text.to_string()),
        Kind::Array(items) => {
            let texts = items.iter().filter_map(text);
            let texts = texts.filter(|item| !item.is_empty());
            let encoded: Vec<String> = texts.map(|item| encode_query(&item)).collect();
            Some(encoded.join(","))
        }
    }
}

/// Writes a number without an exponent and without trailing zeros, with all of its digits. One beyond the range of
/// 64-bit floating point is left unchanged: it would be a long row of zeros.
///
/// Only the text is rearranged; it is never converted to a number: the code for both directions of that is larger than
/// all of this file.
fn plain(number: &str) -> String {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent = exponent.parse::<i32>().unwrap_or(i32::MAX);
    if !(-MOST_PLACES..=MOST_PLACES).contains(&exponent) {
        return number.to_owned();
    }
    let (sign, digits) = mantissa
        .strip_prefix('-')
        .map_or(("", mantissa), |rest| ("-", rest));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    // As many zeros as the point can move over.
    let (before, behind) = (zeros(exponent.saturating_neg()), zeros(exponent));
    let padded = (format!("{before}{whole}"), format!("{part}{behind}"));
    let steps = usize::try_from(exponent.unsigned_abs()).unwrap_or(0);
    let (whole, part) = if exponent < 0 {
        let (whole, moved) = padded.0.split_at(padded.0.len().saturating_sub(steps));
        (whole.to_owned(), format!("{moved}{part}"))
    } else {
        let (moved, part) = padded.1.split_at(steps);
        (format!("{whole}{moved}"), part.to_owned())
    };
    let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if part.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{part}")
}

/// The maximum distance a point moves: 64-bit floating point ends at 1.8e308.
const MOST_PLACES: i32 = 308;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_shown_as_strings() {
        let text = r#"{"meta_data":{"text":"a b","whole":4102444800,"large":9007199254740993,
            "exact":1.0,"half":0.5,"exponent":1e3,"small":25e-4,"zero":0,"none_of_it":-0.0,"moved":-12.50e1,
            "tiny":1.5e-10,"digits":0.12345678901234567890,"far":1e400,"from":1.25E+1,"yes":true,"no":false,"none":null,
            "object":{"a":[1]},"list":["a","b c",4,"",null,{},true,["x","y/z"]],"empty":[]}}"#;
        let session = Session::parse(text).unwrap();
        for (name, shown) in [
            ("text", Some("a b")),
            ("whole", Some("4102444800")),
            ("large", Some("9007199254740993")),
            ("exact", Some("1")),
            ("half", Some("0.5")),
            ("exponent", Some("1000")),
            ("small", Some("0.0025")),
            ("zero", Some("0")),
            ("none_of_it", Some("-0")),
            ("moved", Some("-125")),
            ("tiny", Some("0.00000000015")),
            ("digits", Some("0.1234567890123456789")),
            ("far", Some("1e400")),
            ("from", Some("12.5")),
            ("yes", Some("true")),
            ("no", Some("false")),
            ("none", None),
            ("object", None),
            ("object.a", None),
            ("absent", None),
            ("list", Some("a,b+c,4,true,x%2Cy%252Fz")),
            ("empty", Some("")),
        ] {
            assert_eq!(session.meta(name).as_deref(), shown, "{name}");
        }
    }
}
