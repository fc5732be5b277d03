//! Compiled filters, and the fuel that limits them.
//!
//! A filter can run for ever only by calling definitions again or by `range`, the only function that yields more values
//! than it is given, and for very long only by going through long values again and again. So every definition, including
//! those of the standard library, starts with a step that costs fuel, and so does every value of `range`, `.[]` and `..`;
//! functions cost as much more as their input is long. Without fuel, the step is an error.

use jaq_core::box_iter::box_once;
use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Def, Pattern, Term};
use jaq_core::load::{Arena, File, Loader};
use jaq_core::native::{Fun, run, v};
use jaq_core::{Compiler, Ctx, Error, Exn, Native, Vars, data, load, path};
use jaq_json::Val;
use std::cell::Cell;

type Data = data::JustLut<Val>;

/// How many steps a run may take.
const FUEL: u32 = 1_000_000;

/// The name of the function that costs fuel.
const STEP: &str = "fuel_step";
/// The name of the one that costs fuel for the length of a value, and of the one for a value that expressions are
/// compared with.
const LENGTH: &str = "fuel_length";
const COMPARED: &str = "fuel_compared";
/// How many bytes of a value cost a step.
const BYTES_PER_STEP: usize = 64;
const COMPARED_PER_STEP: usize = 4;
/// The bytes of a value that count for each member of it.
const BYTES_PER_MEMBER: usize = 4;
/// The name of the library's `range`, each of whose values is followed by a step.
const RANGE: &str = "fuel_range";
/// The name under which the filter itself is defined.
const MAIN: &str = "fuel_main";

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(0) };
    /// The current time of the run, in Unix seconds.
    static NOW: Cell<f64> = const { Cell::new(0.0) };
}

/// A compiled filter.
pub struct Filter(jaq_core::Filter<Data>);

/// Why a text isn't a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// The reason.
    pub why: String,
    /// Line and column in the text, both from 1, the column in UTF-16 units.
    pub position: Option<(usize, usize)>,
}

impl FilterError {
    /// Creates an error for an offset in a text.
    fn at(why: String, text: &str, offset: Option<usize>) -> Self {
        let before = offset.and_then(|offset| text.get(..offset));
        let position = before.map(|before| {
            let begun = before.rsplit('\n').next().unwrap_or_default();
            let line = before.matches('\n').count().saturating_add(1);
            (line, begun.encode_utf16().count().saturating_add(1))
        });
        Self { why, position }
    }
}

impl Filter {
    /// Compiles a filter.
    ///
    /// # Errors
    /// Where it can't be parsed, or which unknown functions or variables it uses.
    pub fn compile(text: &str) -> Result<Self, FilterError> {
        let Some(mut main) = load::parse(text, |parser| parser.term()) else {
            return Err(unreadable(text));
        };
        fuel_term(&mut main);
        let library = jaq_core::defs()
            .chain(jaq_std::defs())
            .chain(jaq_json::defs());
        let mut defs: Vec<Def<&str>> = library.collect();
        // The library's `range/3` is a native function; this definition replaces it.
        let range = load::parse(
            "def range($a; $b; $c): fuel_range($a; $b; $c) | fuel_step;",
            |parser| parser.defs(),
        );
        let mut first = range.unwrap_or_default();
        first.append(&mut defs);
        // What the library lacks, or does step by step where jq does it at once.
        let own = load::parse(include_str!("library.jq"), |parser| parser.defs());
        first.append(&mut own.unwrap_or_default());
        first.iter_mut().for_each(fuel_def);
        first.push(Def {
            name: MAIN,
            args: Vec::new(),
            body: main,
        });
        let arena = Arena::default();
        let program = File {
            code: MAIN,
            path: (),
        };
        let modules = Loader::new(first).load(&arena, program);
        let modules = modules.map_err(|_| unreadable(text))?;
        let compiled = Compiler::default().with_funs(functions()).compile(modules);
        compiled.map(Self).map_err(|errors| {
            let unknown = || errors.iter().flat_map(|(_, errors)| errors);
            let first = unknown().next().and_then(|(name, _)| offset(text, name));
            let unknown: Vec<String> = unknown()
                .map(|(name, kind)| format!("the {} {name} is not known", kind.as_str()))
                .collect();
            FilterError::at(unknown.join("; "), text, first)
        })
    }

    /// Returns the filter's first value for an input, at this time (Unix seconds).
    ///
    /// # Errors
    /// The filter's error, or that it yields no value.
    pub fn first(&self, input: Val, now: f64) -> Result<Val, String> {
        LEFT.set(FUEL);
        NOW.set(now);
        let ctx = Ctx::<Data>::new(&self.0.lut, Vars::new([]));
        let first = self
            .0
            .id
            .run((ctx, input))
            .map(jaq_core::unwrap_valr)
            .next();
        match first {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => Err(error.to_string()),
            None => Err("the filter makes no value".to_owned()),
        }
    }
}

/// Returns the error for a text that can't be parsed, with its position.
fn unreadable(text: &str) -> FilterError {
    let arena = Arena::default();
    let file = File {
        code: text,
        path: (),
    };
    let errors = Loader::new([]).load(&arena, file).err().unwrap_or_default();
    let at = |expected: &str, rest: &str| {
        let offset = match rest {
            "" => text.len(),
            rest => offset(text, rest).unwrap_or(text.len()),
        };
        let why = format!("{expected} was expected");
        let mut error = FilterError::at(why, text, Some(offset));
        let position = match (rest, error.position) {
            ("", _) | (_, None) => "at the end".to_owned(),
            (_, Some((line, _))) => format!("line {line}"),
        };
        error.why = format!("{position}: {}", error.why);
        error
    };
    let first_error = errors.iter().find_map(|(_, error)| match error {
        load::Error::Io(_) => Some(FilterError::at(
            "modules can't be loaded here".to_owned(),
            text,
            None,
        )),
        load::Error::Lex(errors) => errors
            .first()
            .map(|(expected, rest)| at(expected.as_str(), rest)),
        load::Error::Parse(errors) => errors
            .first()
            .map(|(expected, rest)| at(expected.as_str(), rest)),
    });
    first_error
        .unwrap_or_else(|| FilterError::at("the filter can't be read".to_owned(), text, None))
}

/// Returns the offset of a part within its text.
fn offset(text: &str, part: &str) -> Option<usize> {
    let at = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    (at <= text.len()).then_some(at)
}

/// Returns the library's functions, except those that reach outside the filter or stop more than it.
fn functions() -> impl Iterator<Item = Fun<Data>> {
    const EXCLUDED: [&str; 5] = ["now", "halt", "env", "input", "inputs"];
    let library = jaq_core::funs::<Data>()
        .chain(jaq_std::funs::<Data>())
        .chain(jaq_json::funs::<Data>());
    let mut range = None;
    let mut allowed = Vec::new();
    for function in library {
        match function.0 {
            "range" => range = Some((RANGE, function.1, function.2)),
            name if EXCLUDED.contains(&name) => {}
            "debug_empty" | "stderr_empty" => {
                allowed.push(run::<Data>((function.0, v(0), |_| {
                    Box::new(std::iter::empty())
                })));
            }
            _ => allowed.push(function),
        }
    }
    allowed.extend(range);
    allowed.push((STEP, Box::new([]), step::<0>()));
    allowed.push((LENGTH, Box::new([]), step::<BYTES_PER_STEP>()));
    allowed.push((COMPARED, Box::new([]), step::<COMPARED_PER_STEP>()));
    allowed.push(run::<Data>(("now", v(0), |_| {
        box_once(Ok(Val::from(NOW.get())))
    })));
    allowed.push(run::<Data>(("halt", v(1), |_| {
        box_once(Err(Exn::from(Error::str("halt is not possible here"))))
    })));
    allowed.into_iter()
}

/// Passes a value on unchanged, at the cost of a step for so many bytes of it, or of one step for 0.
fn step<const BYTES: usize>() -> Native<Data> {
    Native::new(|(_, value)| box_once(burn(cost(&value, BYTES)).map(|()| value)))
        .with_paths(|(_, value)| box_once(burn(cost(&value.0, BYTES)).map(|()| value)))
        .with_update(|(_, value), update| match burn(cost(&value, BYTES)) {
            Ok(()) => update(value),
            Err(error) => box_once(Err(error)),
        })
}

/// The steps for a value of which so many bytes cost one; one step for 0.
fn cost(value: &Val, bytes: usize) -> usize {
    let length = match value {
        _ if bytes == 0 => return 1,
        Val::TStr(text) | Val::BStr(text) => text.len(),
        Val::Arr(items) => items.len().saturating_mul(BYTES_PER_MEMBER),
        Val::Obj(members) => members.len().saturating_mul(BYTES_PER_MEMBER),
        Val::Null | Val::Bool(_) | Val::Num(_) => 0,
    };
    length.checked_div(bytes).unwrap_or_default()
}

fn burn<'a>(steps: usize) -> Result<(), Exn<'a, Val>> {
    let steps = u32::try_from(steps).ok();
    let left = steps.and_then(|steps| LEFT.get().checked_sub(steps));
    LEFT.set(left.unwrap_or_default());
    match left {
        Some(_) => Ok(()),
        None => Err(Exn::from(Error::str("the filter takes too long"))),
    }
}

/// The library's functions that go through their whole input at once.
const THOROUGH: [&str; 26] = [
    "ascii_downcase",
    "ascii_upcase",
    "contains",
    "decode_base64",
    "decode_uri",
    "encode_base64",
    "encode_uri",
    "escape_html",
    "escape_sh",
    "explode",
    "fromjson",
    "group_by",
    "implode",
    "indices",
    "key_values",
    "keys_unsorted",
    "ltrim",
    "max_by_or_empty",
    "min_by_or_empty",
    "reverse",
    "rtrim",
    "sort",
    "sort_by",
    "tobytes",
    "trim",
    "unescape_html",
];
/// Those that compare a text with an expression.
const COMPARING: [&str; 3] = ["matches", "split_", "split_matches"];

/// Adds steps for the length of what a function gets or makes.
fn fuel_call(term: &mut Term<&str>) {
    let Term::Call(name, _) = term else { return };
    let before = match *name {
        // Its result shows how much is in its input.
        "tojson" => return followed(term, LENGTH),
        name if COMPARING.contains(&name) => COMPARED,
        name if THOROUGH.contains(&name) => LENGTH,
        _ => return,
    };
    *term = piped(Term::Call(before, Vec::new()), std::mem::take(term));
}

/// Adds a step for each value of `.[]` in a path.
fn fuel_path(term: &mut Term<&str>) {
    let Term::Path(of, path) = term else { return };
    let is_each = |part: &path::Part<_>| matches!(part, path::Part::Range(None, None));
    let (mut start, mut parts) = (std::mem::take(&mut **of), Vec::new());
    for (part, optional) in std::mem::take(&mut path.0) {
        let each = is_each(&part);
        parts.push((part, optional));
        if each {
            start = Term::Path(Box::new(start), path::Path(std::mem::take(&mut parts)));
            followed(&mut start, STEP);
        }
    }
    *term = match parts.is_empty() {
        true => start,
        false => Term::Path(Box::new(start), path::Path(parts)),
    };
}

fn piped<'t>(left: Term<&'t str>, right: Term<&'t str>) -> Term<&'t str> {
    Term::BinOp(Box::new(left), BinaryOp::Pipe(None), Box::new(right))
}

/// Has a term followed by what costs fuel.
fn followed(term: &mut Term<&str>, by: &'static str) {
    *term = piped(std::mem::take(term), Term::Call(by, Vec::new()));
}

fn fuel_def(def: &mut Def<&str>) {
    fuel_term(&mut def.body);
    let body = std::mem::take(&mut def.body);
    def.body = piped(Term::Call(STEP, Vec::new()), body);
}

/// Adds steps to the definitions within a term.
fn fuel_term(term: &mut Term<&str>) {
    match term {
        Term::Recurse => followed(term, STEP),
        Term::Id | Term::Num(_) | Term::Break(_) | Term::Var(_) | Term::Arr(None) => {}
        Term::Str(_, parts) => {
            for part in parts {
                if let StrPart::Term(term) = part {
                    fuel_term(term);
                }
            }
        }
        Term::Arr(Some(inner)) | Term::Neg(inner) | Term::Label(_, inner) => fuel_term(inner),
        Term::Obj(members) => {
            for (name, value) in members {
                fuel_term(name);
                value.iter_mut().for_each(fuel_term);
            }
        }
        Term::BinOp(left, operator, right) => {
            fuel_term(left);
            if let BinaryOp::Pipe(Some(pattern)) = operator {
                fuel_pattern(pattern);
            }
            fuel_term(right);
        }
        Term::Fold(_, source, pattern, steps) => {
            fuel_term(source);
            fuel_pattern(pattern);
            steps.iter_mut().for_each(fuel_term);
        }
        Term::TryCatch(tried, caught) => {
            fuel_term(tried);
            caught.iter_mut().for_each(|term| fuel_term(term));
        }
        Term::IfThenElse(cases, otherwise) => {
            for (condition, then) in cases {
                fuel_term(condition);
                fuel_term(then);
            }
            otherwise.iter_mut().for_each(|term| fuel_term(term));
        }
        Term::Def(defs, rest) => {
            defs.iter_mut().for_each(fuel_def);
            fuel_term(rest);
        }
        Term::Call(_, arguments) => {
            arguments.iter_mut().for_each(fuel_term);
            fuel_call(term);
        }
        Term::Path(of, path) => {
            fuel_term(of);
            for (part, _) in &mut path.0 {
                match part {
                    path::Part::Index(index) => fuel_term(index),
                    path::Part::Range(from, to) => {
                        from.iter_mut().chain(to).for_each(fuel_term);
                    }
                }
            }
            fuel_path(term);
        }
    }
}

fn fuel_pattern(pattern: &mut Pattern<&str>) {
    match pattern {
        Pattern::Var(_) => {}
        Pattern::Arr(patterns) => patterns.iter_mut().for_each(fuel_pattern),
        Pattern::Obj(members) => {
            for (name, pattern) in members {
                fuel_term(name);
                fuel_pattern(pattern);
            }
        }
    }
}
