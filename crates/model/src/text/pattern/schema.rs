//! Regular expressions of schemas. They are those of ECMA-262, which writes characters as `\u00e9`, and may have the
//! general categories of Unicode, because their tables are where schemas are.

use super::{check, class};
use crate::text::Problem;

/// Message for another class than those of [`class`].
const SCRIPT: &str = "of the classes of Unicode, only general categories such as \\p{L} are known; name the characters";

/// Checks a regular expression of a schema.
///
/// # Errors
/// The first thing that is invalid or can't be compiled.
pub fn check_schema(text: &str) -> Result<(), Problem> {
    let (text, has_script) = in_re2(text);
    match check(&text) {
        Err(problem) => Err(Problem::whole(problem.message)),
        Ok(_) if has_script => Err(Problem::whole(SCRIPT)),
        Ok(_) => Ok(()),
    }
}

/// Whether a regular expression of a schema is valid, even if it can't be compiled here.
#[must_use]
pub fn is_valid_in_schema(text: &str) -> bool {
    check(&in_re2(text).0).is_ok()
}

/// Rewrites an expression in the syntax of RE2; also returns whether it has classes that are not known.
fn in_re2(text: &str) -> (String, bool) {
    let (mut out, mut rest, mut has_script) = (String::new(), text, false);
    while let Some((before, behind)) = rest.split_once('\\') {
        out.extend([before, "\\"]);
        if let Some(digits) = code_unit(behind) {
            out.extend(["x{", digits, "}"]);
            rest = behind.get(5..).unwrap_or_default();
            continue;
        }
        has_script |= behind.starts_with(['p', 'P']) && class(behind).is_none();
        let length = match behind.starts_with('Q') {
            true => behind.find("\\E").unwrap_or(behind.len()),
            false => behind.chars().next().map_or(0, char::len_utf8),
        };
        let (piece, others) = behind.split_at_checked(length).unwrap_or((behind, ""));
        out.push_str(piece);
        rest = others;
    }
    out.push_str(rest);
    (out, has_script)
}

/// Returns the digits of `u00e9`, if they denote a character.
fn code_unit(text: &str) -> Option<&str> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let value = u32::from_str_radix(digits, 16).ok();
    let value = value.filter(|_| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    char::from_u32(value).map(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_four_digits() {
        for (text, is_valid) in [
            (r"^[\u0041-\u005A\u00e0-\u00ff]+$", true),
            (r"\u0031*\\u", true),
            (r"\Q\u\E\u0031", true),
            (r"\u41", false),
            (r"\u{41}", false),
            (r"\u+041", false),
            (r"\uD83D\uDE00", false),
            (r"[\u005A-\u0041]", false),
            (r"\", false),
        ] {
            assert_eq!(check_schema(text).is_ok(), is_valid, "{text}");
            assert_eq!(is_valid_in_schema(text), is_valid, "{text}");
        }
    }

    #[test]
    fn general_categories_are_known() {
        for (text, is_known) in [
            (r"^[\p{L}\pM' -]+\P{Nd}$", true),
            (r"\\p{Greek}", true),
            (r"\pL[^\p{Greek}]", false),
        ] {
            assert_eq!(check_schema(text).is_ok(), is_known, "{text}");
            assert!(is_valid_in_schema(text), "{text}");
        }
    }
}
