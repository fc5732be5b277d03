//! A batch being composed: the form and the JSON text are two views of the same items.

use gatewright_model::json::{Kind, Value, parse, quote};

/// Methods offered by the form; the text may use any other.
pub const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// One request of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The method.
    pub method: String,
    /// The URL relative to the API's listen path.
    pub relative_url: String,
    /// Header names and values, in the order in which they were written.
    pub headers: Vec<(String, String)>,
    /// The body as text.
    pub body: String,
}

impl Default for Item {
    fn default() -> Self {
        Self {
            method: "GET".to_owned(),
            relative_url: String::new(),
            headers: Vec::new(),
            body: String::new(),
        }
    }
}

/// A batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The requests, in order.
    pub items: Vec<Item>,
    /// Whether the requests run one after the other.
    pub sequential: bool,
}

impl Batch {
    /// Returns a batch with one empty request, as the composer initially shows.
    #[must_use]
    pub fn starter() -> Self {
        Self {
            items: vec![Item {
                relative_url: "get".to_owned(),
                ..Item::default()
            }],
            sequential: false,
        }
    }

    /// Returns the body for the batch endpoint.
    #[must_use]
    pub fn to_json(&self) -> String {
        let items: Vec<String> = self.items.iter().map(item_json).collect();
        let list = if items.is_empty() {
            "[]".to_owned()
        } else {
            format!("[\n{}\n  ]", items.join(",\n"))
        };
        format!(
            "{{\n  \"requests\": {list},\n  \"suppress_parallel_execution\": {}\n}}\n",
            self.sequential
        )
    }

    /// Parses such a body.
    ///
    /// # Errors
    /// One sentence about what is wrong, with the line if the text isn't JSON.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let value = parse(text).map_err(|issues| first_sentence(&issues))?;
        let list = value.get("requests").ok_or("\"requests\" is missing")?;
        if !matches!(list.kind, Kind::Array(_)) {
            return Err("\"requests\" has to be an array".to_owned());
        }
        let items = list.items().iter().enumerate().map(|(index, item)| {
            read_item(item)
                .map_err(|problem| format!("request {}: {problem}", index.saturating_add(1)))
        });
        let sequential = value.bool("suppress_parallel_execution").unwrap_or(false);
        Ok(Self {
            items: items.collect::<Result<_, _>>()?,
            sequential,
        })
    }

    /// Moves an item up or down by one, unless it is at that end. Returns its new index.
    pub fn shift(&mut self, index: usize, down: bool) -> usize {
        let target = if down {
            index.saturating_add(1)
        } else {
            index.saturating_sub(1)
        };
        if index < self.items.len() && target < self.items.len() {
            self.items.swap(index, target);
            return target;
        }
        index
    }
}

fn first_sentence(issues: &[gatewright_model::Issue]) -> String {
    issues.first().map_or_else(
        || "This is not JSON".to_owned(),
        |issue| {
            format!(
                "Line {}, column {}: {}",
                issue.start.line, issue.start.column, issue.message
            )
        },
    )
}

fn item_json(item: &Item) -> String {
    let headers: Vec<String> = item
        .headers
        .iter()
        .map(|(name, value)| format!("{}: {}", quote(name), quote(value)))
        .collect();
    format!(
        "    {{\n      \"method\": {},\n      \"relative_url\": {},\n      \"headers\": {{{}}},\n      \"body\": {}\n    }}",
        quote(&item.method),
        quote(&item.relative_url),
        if headers.is_empty() {
            String::new()
        } else {
            format!(" {} ", headers.join(", "))
        },
        quote(&item.body),
    )
}

fn read_item(value: &Value<'_>) -> Result<Item, String> {
    if !matches!(value.kind, Kind::Object(_)) {
        return Err("has to be an object".to_owned());
    }
    let text = |name: &str| match value.get(name) {
        None => Ok(String::new()),
        Some(member) => member
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| format!("{name} has to be a string")),
    };
    let method = Some(text("method")?).filter(|method| !method.is_empty());
    Ok(Item {
        method: method.unwrap_or_else(|| "GET".to_owned()),
        relative_url: text("relative_url")?,
        headers: read_headers(value.get("headers"))?,
        body: text("body")?,
    })
}

fn read_headers(value: Option<&Value<'_>>) -> Result<Vec<(String, String)>, String> {
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    if !matches!(value.kind, Kind::Object(_)) {
        return Err("headers has to be an object".to_owned());
    }
    let pair = |member: &gatewright_model::json::Member<'_>| {
        let text = member
            .value
            .as_str()
            .ok_or_else(|| format!("header {} has to be a string", member.name))?;
        Ok((member.name.to_string(), text.to_owned()))
    };
    value.members().iter().map(pair).collect()
}
