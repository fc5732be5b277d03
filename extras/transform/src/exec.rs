//! Executes templates as Go's `text/template` does.

use crate::functions;
use crate::parse::{Arg, Node, Pipe, Template};
use crate::value::{Value, step};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;

/// The limits on a template's steps and on the length of its output in bytes, against endless loops.
const STEPS: u32 = 2_000_000;
pub(crate) const LONGEST: usize = 8 * 1024 * 1024;
/// How deep templates may call each other.
const DEPTH: usize = 100;

/// The execution of a template.
pub(crate) struct Run<'t> {
    template: &'t Template,
    /// Values of variables that occur in texts, by their names including `$`.
    texts: &'t BTreeMap<String, String>,
    out: String,
    variables: Vec<(&'t str, Value)>,
    steps: Cell<u32>,
    depth: usize,
    /// Whether the dot is an element of a list, and so may be null.
    in_range: bool,
}

#[derive(PartialEq)]
enum Flow {
    On,
    Break,
    Continue,
}

type Done<T> = Result<T, String>;

/// Renders a template over its input.
///
/// # Errors
/// Why it has failed.
pub(crate) fn render(
    template: &Template,
    texts: &BTreeMap<String, String>,
    input: &Value,
) -> Done<String> {
    let mut run = Run {
        template,
        texts,
        out: String::new(),
        variables: vec![("$", input.clone())],
        steps: Cell::new(STEPS),
        depth: 0,
        in_range: false,
    };
    if let Some(nodes) = template.named.get("") {
        run.nodes(nodes, input)?;
    }
    Ok(run.out)
}

impl<'t> Run<'t> {
    fn write(&mut self, text: &str) -> Done<()> {
        if self.out.len().saturating_add(text.len()) > LONGEST {
            return Err("the template makes too long a text".to_owned());
        }
        self.out.push_str(text);
        Ok(())
    }

    /// Appends a value as Go prints it.
    fn print(&mut self, value: &Value) -> Done<()> {
        match value {
            Value::Nil => self.write("<no value>"),
            Value::Str(text) => self.write(text),
            other => self.write(&other.print()),
        }
    }

    fn text(&self, text: &'t str) -> Cow<'t, str> {
        if self.texts.is_empty() || !text.contains('$') {
            return Cow::Borrowed(text);
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let mut out = String::new();
        let mut parts = text.split('$');
        out.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let end = part.find(|c| !is_name(c)).unwrap_or(part.len());
            let (name, behind) = part.split_at(end);
            match self.texts.get(&format!("${name}")) {
                Some(value) => out.push_str(value),
                None => {
                    out.push('$');
                    out.push_str(name);
                }
            }
            out.push_str(behind);
        }
        Cow::Owned(out)
    }

    fn nodes(&mut self, nodes: &'t [Node], dot: &Value) -> Done<Flow> {
        for node in nodes {
            step(&self.steps)?;
            let flow = match node {
                Node::Text(text) => {
                    let text = self.text(text);
                    self.write(&text)?;
                    Flow::On
                }
                Node::Action(pipe) => {
                    let value = self.pipe(pipe, dot)?;
                    if pipe.variables.is_empty() {
                        self.print(&value)?;
                    }
                    Flow::On
                }
                Node::If(pipe, then, otherwise) | Node::With(pipe, then, otherwise) => {
                    let known = self.variables.len();
                    let value = self.pipe(pipe, dot)?;
                    let is_with = matches!(node, Node::With(..));
                    let flow = match (value.truth(), is_with) {
                        (true, true) => self.nodes(then, &value)?,
                        (true, false) => self.nodes(then, dot)?,
                        (false, _) => self.nodes(otherwise, dot)?,
                    };
                    self.variables.truncate(known);
                    flow
                }
                Node::Range(pipe, body, otherwise) => self.range(pipe, (body, otherwise), dot)?,
                Node::Template(name, pipe) => {
                    self.call(name, pipe.as_ref(), dot)?;
                    Flow::On
                }
                Node::Break => Flow::Break,
                Node::Continue => Flow::Continue,
            };
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn call(&mut self, name: &str, pipe: Option<&'t Pipe>, dot: &Value) -> Done<()> {
        let template = self.template;
        let nodes = template.named.get(name);
        let nodes = nodes.ok_or_else(|| format!("template {name:?} not defined"))?;
        self.depth = self.depth.saturating_add(1);
        if self.depth > DEPTH {
            return Err("exceeded maximum template depth".to_owned());
        }
        let dot = match pipe {
            Some(pipe) => self.pipe(pipe, dot)?,
            None => Value::Nil,
        };
        let outer = std::mem::replace(&mut self.variables, vec![("$", dot.clone())]);
        let in_range = std::mem::take(&mut self.in_range);
        self.nodes(nodes, &dot)?;
        self.in_range = in_range;
        self.variables = outer;
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }

    fn range(
        &mut self,
        pipe: &'t Pipe,
        (body, otherwise): (&'t [Node], &'t [Node]),
        dot: &Value,
    ) -> Done<Flow> {
        let known = self.variables.len();
        let over = self.value(pipe, dot)?;
        let mut empty = true;
        let mut turn = |run: &mut Self, key: Value, value: Value| {
            empty = false;
            run.turn(pipe, body, (key, value), known)
        };
        match &over {
            Value::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    if turn(self, Value::Int(index_of(at)), item.clone())? == Flow::Break {
                        break;
                    }
                }
            }
            Value::Map(members) => {
                for (name, value) in members.copy() {
                    if turn(self, Value::Str(name), value)? == Flow::Break {
                        break;
                    }
                }
            }
            Value::Int(count) if *count <= i64::from(STEPS) && pipe.variables.len() < 2 => {
                for at in 0..*count {
                    if turn(self, Value::Int(at), Value::Int(at))? == Flow::Break {
                        break;
                    }
                }
            }
            Value::Nil => {}
            other => return Err(format!("range can't iterate over {}", other.print())),
        }
        self.variables.truncate(known);
        if empty {
            return self.nodes(otherwise, dot);
        }
        Ok(Flow::On)
    }

    /// Executes the body of a `range` for one element.
    fn turn(
        &mut self,
        pipe: &'t Pipe,
        body: &'t [Node],
        (key, value): (Value, Value),
        known: usize,
    ) -> Done<Flow> {
        match pipe.variables.as_slice() {
            [] => {}
            [only] => self.set(only, value.clone(), pipe.declares),
            [first, second, ..] => {
                self.set(first, key, pipe.declares);
                self.set(second, value.clone(), pipe.declares);
            }
        }
        let in_range = std::mem::replace(&mut self.in_range, true);
        let flow = self.nodes(body, &value)?;
        self.in_range = in_range;
        self.variables.truncate(known);
        Ok(flow)
    }

    fn set(&mut self, name: &'t str, value: Value, declares: bool) {
        if declares {
            self.variables.push((name, value));
        } else if let Some(found) = self
            .variables
            .iter_mut()
            .rev()
            .find(|(known, _)| *known == name)
        {
            found.1 = value;
        }
    }

    fn pipe(&mut self, pipe: &'t Pipe, dot: &Value) -> Done<Value> {
        let value = self.value(pipe, dot)?;
        for name in &pipe.variables {
            self.set(name, value.clone(), pipe.declares);
        }
        Ok(value)
    }

    fn value(&mut self, pipe: &'t Pipe, dot: &Value) -> Done<Value> {
        let mut last = None;
        for command in &pipe.commands {
            step(&self.steps)?;
            last = Some(self.command(command, dot, last)?);
        }
        Ok(last.unwrap_or_default())
    }

    fn command(&mut self, command: &'t [Arg], dot: &Value, last: Option<Value>) -> Done<Value> {
        let Some((first, rest)) = command.split_first() else {
            return Ok(Value::Nil);
        };
        if let Arg::Function(name) = first {
            if matches!(name.as_str(), "and" | "or") {
                return self.either(name == "and", rest, dot, last);
            }
            let mut args = Vec::with_capacity(rest.len().saturating_add(1));
            for arg in rest {
                args.push(self.arg(arg, dot)?);
            }
            args.extend(last);
            return functions::call(name, &args, &self.steps);
        }
        if !rest.is_empty() || last.is_some() {
            return Err("can't give argument to non-function".to_owned());
        }
        self.arg(first, dot)
    }

    /// Evaluates `and` and `or`: the first value that decides; later ones are not evaluated.
    fn either(
        &mut self,
        is_and: bool,
        args: &'t [Arg],
        dot: &Value,
        last: Option<Value>,
    ) -> Done<Value> {
        let mut value = None;
        for arg in args {
            let found = self.arg(arg, dot)?;
            if found.truth() != is_and {
                return Ok(found);
            }
            value = Some(found);
        }
        last.or(value)
            .ok_or_else(|| "wrong number of args for and".to_owned())
    }

    fn arg(&mut self, arg: &'t Arg, dot: &Value) -> Done<Value> {
        Ok(match arg {
            Arg::Dot => dot.clone(),
            Arg::Nil => Value::Nil,
            Arg::Bool(truth) => Value::Bool(*truth),
            Arg::Int(number) => Value::Int(*number),
            Arg::Float(number) => Value::Float(*number),
            Arg::Str(text) => Value::str(self.text(text)),
            Arg::Field(fields) => field(dot.clone(), fields, self.in_range)?,
            Arg::Variable(name, fields) => {
                let found = self.variables.iter().rev().find(|(known, _)| known == name);
                field(
                    found.map(|(_, value)| value.clone()).unwrap_or_default(),
                    fields,
                    false,
                )?
            }
            Arg::Function(name) => functions::call(name, &[], &self.steps)?,
            Arg::Pipe(pipe, fields) => {
                let value = self.pipe(pipe, dot)?;
                field(value, fields, false)?
            }
        })
    }
}

/// Returns the member at a path of names. A missing member has (missing) members; accessing one of null is an error.
fn field(value: Value, fields: &[String], mut is_null: bool) -> Done<Value> {
    let mut value = value;
    for name in fields {
        value = match &value {
            Value::Nil if is_null => {
                return Err(format!("nil pointer evaluating interface {{}}.{name}"));
            }
            Value::Nil => Value::Nil,
            Value::Map(members) => {
                let found = members.get(name);
                is_null = found == Some(Value::Nil);
                found.unwrap_or_default()
            }
            other => {
                return Err(format!(
                    "can't evaluate field {name} in type {}",
                    other.type_name()
                ));
            }
        };
    }
    Ok(value)
}

pub(crate) fn index_of(at: usize) -> i64 {
    i64::try_from(at).unwrap_or(i64::MAX)
}
