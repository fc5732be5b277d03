//! The general categories of Unicode, by their names in `\pL` and `\p{Nd}`.

/// The categories in the order of their bits; bit 0 is that of characters without one.
const NAMES: [&str; 29] = [
    "Cc", "Cf", "Co", "Cs", "Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl", "No", "Pc",
    "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs",
];

/// Returns the categories of a class, one bit for each: those that start with a letter, or a single one. `None` for
/// the name of anything else, such as a script.
fn categories(name: &str) -> Option<u32> {
    if name == "Any" {
        return Some(u32::MAX);
    }
    let own = |(_, known): &(u32, &&str)| match name.len() {
        1 => known.starts_with(name),
        _ => **known == name,
    };
    let bits = (1_u32..).zip(&NAMES).filter(own);
    let bits = bits.fold(0_u32, |bits, (at, _)| bits | 1_u32.wrapping_shl(at));
    (bits != 0).then_some(bits)
}

/// Reads what follows the backslash of `\pL`, `\PL`, `\p{Lu}`, `\P{Lu}` or `\p{^Lu}`. Returns its length in bytes, and
/// the categories of its characters, one bit for each; `None` if it is something else.
#[must_use]
pub fn class(text: &str) -> Option<(usize, u32)> {
    let behind = text.strip_prefix(['p', 'P'])?;
    let (name, length) = match behind.strip_prefix('{') {
        Some(inside) => {
            let (name, _) = inside.split_once('}')?;
            (name, name.len().saturating_add(3))
        }
        None => (behind.get(..1)?, 2),
    };
    let plain = name.strip_prefix('^').unwrap_or(name);
    let bits = categories(plain)?;
    let is_negated = text.starts_with('P') != (plain.len() < name.len());
    Some((length, if is_negated { !bits } else { bits }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_sets_of_categories() {
        let (_, upper) = class("p{Lu}").unwrap();
        let (_, lower) = class("p{Ll}").unwrap();
        let (length, letters) = class("pLx").unwrap();
        assert_eq!(length, 2);
        assert_eq!((upper.count_ones(), letters.count_ones()), (1, 5));
        assert_eq!(letters & (upper | lower), upper | lower);
        assert_eq!(class("P{L}x"), Some((4, !letters)));
        assert_eq!(class("p{^L}"), Some((5, !letters)));
        assert_eq!(class("P{^L}"), Some((5, letters)));
        assert_eq!(class("p{Any}"), Some((6, u32::MAX)));
        for other in ["p{Greek}", "p", "p{", "p{}", "pX", "d", "p{Lx}", "pé"] {
            assert_eq!(class(other), None, "{other}");
        }
    }
}
