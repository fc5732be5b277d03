//! The parameters of template functions. Go checks the number and types of arguments before it calls a function: a
//! number from JSON is no `int`, so `{{ until .n }}` fails and `{{ until (int .n) }}` does not.

use super::Args;
use crate::value::Value;

/// Function names after their parameters: any value (`a`), bool, float, int, map, string (`s`) or time; the type after
/// a `*` may be repeated; `-` is none.
const PARAMETERS: [&str; 32] = [
    "- hello now",
    "*a add addf all and any cat coalesce concat dict dig html js list or print println quote squote tuple urlquery",
    "*i seq",
    "*m keys",
    "a add1 add1f ago ceil compact deepCopy duration durationRound empty first float64 floor htmlDate initial int \
        int64 jsonMarshal kindOf last len mustCompact mustDeepCopy mustFirst mustInitial mustLast mustRest mustReverse \
        mustToJson mustToPrettyJson mustToRawJson mustUniq not rest reverse sortAlpha toDecimal toJson toPrettyJson \
        toRawJson toString toStrings typeOf uniq xmlMarshal",
    "a*a biggest call default divf eq index max maxf min minf mul mulf mustSlice mustWithout slice subf without",
    "aa append deepEqual div ge gt has le lt mod mustAppend mustHas mustPrepend mustPush ne prepend push sub",
    "aab ternary",
    "ai*f round",
    "as htmlDateInZone",
    "i until",
    "ia chunk mustChunk",
    "iii untilStep",
    "iis abbrevboth substr",
    "is abbrev indent nindent repeat trunc wrap",
    "iss wrapWith",
    "m urlJoin values",
    "m*m merge mergeOverwrite mustMerge mustMergeOverwrite",
    "m*s omit pick",
    "ms get hasKey unset",
    "msa set",
    "s adler32sum atoi b32dec b32enc b64dec b64enc base camelcase clean dir ext fail fromJson initials isAbs \
        kebabcase lower mustFromJson nospace osBase osClean osDir osExt osIsAbs regexQuoteMeta semver sha1sum \
        sha256sum sha512sum snakecase swapcase title trim untitle upper urlParse",
    "s*a printf",
    "s*m pluck",
    "sa date join kindIs typeIs typeIsLike",
    "sas dateInZone date_in_zone",
    "sis splitn",
    "ss contains hasPrefix hasSuffix mustRegexFind mustRegexMatch mustToDate regexFind regexMatch semverCompare \
        split splitList toDate trimAll trimPrefix trimSuffix trimall",
    "ssi mustRegexFindAll mustRegexSplit plural regexFindAll regexSplit",
    "sss mustRegexReplaceAll mustRegexReplaceAllLiteral regexReplaceAll regexReplaceAllLiteral replace",
    "st dateModify date_modify mustDateModify must_date_modify",
    "t unixEpoch",
];

/// Returns the parameters of a function.
pub(super) fn parameters(name: &str) -> Option<&'static str> {
    PARAMETERS.iter().find_map(|row| {
        let mut words = row.split_whitespace();
        let parameters = words.next()?;
        words.any(|known| known == name).then_some(parameters)
    })
}

/// Checks the arguments of a call.
///
/// # Errors
/// If they don't match the parameters.
pub(super) fn check(parameters: &str, args: &Args<'_>) -> Result<(), String> {
    let (least, more) = parameters.split_once('*').unwrap_or((parameters, ""));
    let least = least.trim_matches('-');
    let count = args.values.len();
    if count < least.len() || (more.is_empty() && count > least.len()) {
        let want = if more.is_empty() { "" } else { "at least " };
        return Err(format!(
            "wrong number of args for {}: want {want}{} got {count}",
            args.name,
            least.len()
        ));
    }
    let kinds = least.chars().chain(more.chars().cycle());
    for (kind, value) in kinds.zip(args.values) {
        let (fits, expected) = match kind {
            'b' => (matches!(value, Value::Bool(_)), "bool"),
            'f' => (matches!(value, Value::Float(_) | Value::Int(_)), "float64"),
            'i' => (matches!(value, Value::Int(_)), "int"),
            'm' => (
                matches!(value, Value::Map(_) | Value::Nil),
                "map[string]interface {}",
            ),
            's' => (matches!(value, Value::Str(_)), "string"),
            't' => (matches!(value, Value::Time(_)), "time.Time"),
            _ => continue,
        };
        if !fits {
            return Err(format!(
                "wrong type for value of {}; expected {expected}; got {}",
                args.name,
                value.type_name()
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_function_declares_its_arguments() {
        let rows = super::PARAMETERS.iter();
        let mut named: Vec<&str> = rows
            .flat_map(|row| row.split_whitespace().skip(1))
            .collect();
        let known = super::super::GROUPS.iter();
        let known = known.flat_map(|(names, _)| names.split_whitespace());
        let mut known: Vec<&str> = known.chain(["and", "or"]).collect();
        named.sort_unstable();
        known.sort_unstable();
        assert_eq!(named, known);
    }
}
