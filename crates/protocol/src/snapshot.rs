//! A published set of APIs: how a reload writes it, and how an isolate reads it.

pub mod brief;
mod chunks;

pub use chunks::{Candidate, Chunks, Outcome, check};

use crate::digest::digest;
use crate::error::StoreError;
use gatewright_model::json::{self, Value};
use serde::{Deserialize, Serialize};

/// The KV key that says which set is served.
pub const GENERATION_KEY: &str = "generation";

/// The KV key with the organisations that have a session, and with other data that isolates use apart from the set
/// ([`Orgs`]). Only the Registry writes it: soon after an organisation has got its first session or lost its last, and
/// after a reload.
pub const ORGS_KEY: &str = "orgs";

/// The value of [`ORGS_KEY`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Orgs {
    /// The organisations with a session.
    pub keys: Vec<String>,
    /// The version of the list: a higher one is newer. Lists of earlier releases have none.
    pub version: u64,
    /// What tokens are checked by besides definitions, as JSON; empty for nothing:
    /// `{"forgotten":{"<api id or *>":1},"providers":[{"org":"","issuer":"","jwks_uri":"","scope_claim_name":"",
    /// "api_mappings":{}}]}`. A key set that was fetched under a lower number than that of its API is discarded.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub trust: String,
}

impl Orgs {
    /// Reads a list.
    ///
    /// # Errors
    /// If the text is not a list.
    pub fn read(text: &str) -> Result<Self, StoreError> {
        let read = |list: &Value<'_>| {
            Some(Self {
                keys: texts(list.get("keys")?)?,
                version: number(list, "version").unwrap_or_default(),
                trust: list.str("trust").unwrap_or_default().to_owned(),
            })
        };
        let list = json::parse_repeating(text);
        let list = list.as_ref().and_then(read);
        list.ok_or_else(|| StoreError::new("read organisations", "it is no such list"))
    }
}

/// Returns the elements of an array of strings; `None` for anything else.
fn texts(array: &Value<'_>) -> Option<Vec<String>> {
    let texts = array.as_array()?.iter();
    texts.map(|text| Some(text.as_str()?.to_owned())).collect()
}

/// Returns a member that is an unsigned number.
fn number(object: &Value<'_>, name: &str) -> Option<u64> {
    object.get(name)?.as_u64()
}

/// The result of a reload, for the isolate that waits for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The generation that KV names now.
    pub generation: u64,
    /// The number of its chunks.
    pub chunks: usize,
    /// Whether files remain to be written after the response is sent.
    pub files_left: bool,
    /// As in [`Generation`].
    #[serde(default)]
    pub names: Vec<String>,
}

/// The value of [`GENERATION_KEY`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Generation {
    /// The number of the set.
    pub generation: u64,
    /// The number of its chunks.
    pub chunks: usize,
    /// The previous set: its number, 0 for none, and the number of its chunks. Earlier releases don't record it.
    pub before: (u64, usize),
    /// The names of the chunks, derived from their content, in order. Earlier releases record none: their chunks are
    /// under a [`key`] of the set. A release that doesn't read this asks the Registry, which knows every chunk by that
    /// key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The names of the previous set's chunks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names_before: Vec<String>,
}

impl Generation {
    /// Reads the value of [`GENERATION_KEY`].
    ///
    /// # Errors
    /// If the text is not such a value.
    pub fn read(text: &str) -> Result<Self, StoreError> {
        let size = |value: &Value<'_>| usize::try_from(value.as_u64()?).ok();
        let names = |set: &Value<'_>, name: &str| set.get(name).map_or(Some(Vec::new()), texts);
        let read = |set: &Value<'_>| {
            let before = match set.get("before").map(Value::as_array) {
                None => (0, 0),
                Some(Some([generation, chunks])) => (generation.as_u64()?, size(chunks)?),
                Some(_) => return None,
            };
            Some(Self {
                generation: number(set, "generation")?,
                chunks: size(set.get("chunks")?)?,
                before,
                names: names(set, "names")?,
                names_before: names(set, "names_before")?,
            })
        };
        let set = json::parse_repeating(text);
        let set = set.as_ref().and_then(read);
        set.ok_or_else(|| StoreError::new("read generation", "it names no set"))
    }

    /// Returns the previous set.
    #[must_use]
    pub fn set_before(self) -> Self {
        let (generation, chunks) = self.before;
        Self {
            generation,
            chunks,
            names: self.names_before,
            ..Self::default()
        }
    }

    /// Returns the KV key of a chunk of the set.
    #[must_use]
    pub fn key(&self, chunk: usize) -> String {
        match self.names.get(chunk) {
            Some(name) => named_key(name),
            None => key(self.generation, chunk),
        }
    }
}

/// The prefix of the keys of chunks.
pub const FOLDER: &str = "snapshot/";

/// The prefix of the keys of chunks that are named by their content.
const NAMED: &str = "snapshot/by-content/";

/// Returns the key of the chunk with this name. Its value never changes, and sets share it.
#[must_use]
pub fn named_key(name: &str) -> String {
    format!("{NAMED}{name}")
}

/// Returns the name of the chunk with this key; `None` for any other key.
#[must_use]
pub fn read_named_key(key: &str) -> Option<&str> {
    key.strip_prefix(NAMED)
}

/// Returns the name of the chunk with this text: half of its SHA-256, which is ample for a few thousand chunks.
#[must_use]
pub fn name(text: &str) -> String {
    let mut name = digest(&[text.as_bytes()]);
    name.truncate(32);
    name
}

/// Returns the key under which the Registry knows a chunk of a set, and under which earlier releases stored it in KV.
#[must_use]
pub fn key(generation: u64, chunk: usize) -> String {
    format!("{FOLDER}{generation}/{chunk}")
}

/// Returns the generation and the number of the chunk with this key; `None` for any other key.
#[must_use]
pub fn read_key(key: &str) -> Option<(u64, usize)> {
    let (generation, chunk) = key.strip_prefix(FOLDER)?.split_once('/')?;
    Some((generation.parse().ok()?, chunk.parse().ok()?))
}

/// A chunk as an isolate reads it.
#[derive(Debug)]
pub struct Chunk<'a> {
    /// The APIs.
    pub apis: Vec<ChunkApi<'a>>,
    /// The texts of policies.
    pub policies: Vec<&'a str>,
}

/// An API in a chunk.
#[derive(Debug)]
pub struct ChunkApi<'a> {
    /// Its stored revision; 0 for a file that somebody put into KV.
    pub revision: u64,
    /// The text of its definition.
    pub definition: &'a str,
}

impl<'a> Chunk<'a> {
    /// Reads a chunk.
    ///
    /// # Errors
    /// If the text was not written by a reload.
    pub fn read(text: &'a str) -> Result<Self, StoreError> {
        // The chunk, the list of APIs, an API: anything deeper is read as a definition.
        let chunk = json::parse_shallow(text, 3);
        let written = |value: &Value<'_>| value.span.of(text);
        let api = |api: &Value<'_>| {
            Some(ChunkApi {
                revision: number(api, "revision")?,
                definition: written(api.get("definition")?),
            })
        };
        let read = |chunk: &Value<'_>| {
            let apis = chunk.get("apis")?.as_array()?.iter();
            let policies = chunk
                .get("policies")
                .map_or(Some(&[][..]), Value::as_array)?;
            Some(Self {
                apis: apis.map(api).collect::<Option<_>>()?,
                policies: policies.iter().map(written).collect(),
            })
        };
        let chunk = chunk.as_ref().and_then(read);
        chunk.ok_or_else(|| StoreError::new("read snapshot", "it is no chunk of a set"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_api::session::KeyList;

    #[test]
    fn published_values_are_read_by_the_previous_release_and_vice_versa() {
        #[derive(Deserialize)]
        struct Before {
            generation: u64,
            chunks: usize,
        }
        let pointer = Generation {
            generation: 7,
            chunks: 2,
            before: (6, 1),
            names: vec!["x".to_owned(), "y".to_owned()],
            names_before: vec!["x".to_owned()],
        };
        let text = serde_json::to_string(&pointer).unwrap();
        assert_eq!(
            text,
            r#"{"generation":7,"chunks":2,"before":[6,1],"names":["x","y"],"names_before":["x"]}"#
        );
        let before: Before = serde_json::from_str(&text).unwrap();
        assert_eq!((before.generation, before.chunks), (7, 2));
        assert_eq!(pointer.key(1), "snapshot/by-content/y");
        assert_eq!(pointer.set_before().key(0), "snapshot/by-content/x");

        let text = r#"{"generation":7,"chunks":2,"before":[6,1]}"#;
        let read = Generation::read(text).unwrap();
        assert_eq!(
            (read.key(1), read.before),
            ("snapshot/7/1".to_owned(), (6, 1))
        );
        assert_eq!(read.clone().set_before().key(0), "snapshot/6/0");
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        let read = Generation::read(r#"{"generation":6,"chunks":1}"#).unwrap();
        assert_eq!((read.generation, read.before), (6, (0, 0)));
        assert_eq!(read.set_before(), Generation::default());

        let keys = vec!["acme".to_owned()];
        let list = Orgs {
            keys,
            version: 3,
            trust: String::new(),
        };
        let text = serde_json::to_string(&list).unwrap();
        assert_eq!(text, r#"{"keys":["acme"],"version":3}"#);
        let trusting = Orgs {
            trust: "{}".to_owned(),
            ..list.clone()
        };
        let whole = serde_json::to_string(&trusting).unwrap();
        assert_eq!(whole, r#"{"keys":["acme"],"version":3,"trust":"{}"}"#);
        assert_eq!(Orgs::read(&whole).unwrap(), trusting);
        let before: KeyList = serde_json::from_str(&text).unwrap();
        assert_eq!(before.keys, list.keys);
        let read = Orgs::read(r#"{"keys":["acme"]}"#).unwrap();
        assert_eq!((read.keys, read.version), (list.keys, 0));
    }

    #[test]
    fn only_the_keys_of_chunks_are_read_as_such() {
        assert_eq!(read_key(&key(7, 12)), Some((7, 12)));
        for other in [
            "generation",
            "snapshot/",
            "snapshot/7",
            "snapshot/7/x",
            "x/7/1",
        ] {
            assert_eq!(read_key(other), None, "{other}");
        }
        let key = named_key(&name("text"));
        assert_eq!(read_key(&key), None, "earlier versions leave it alone");
        assert_eq!(read_named_key(&key), Some(name("text").as_str()));
        assert_eq!(name("text").len(), 32);
        assert_eq!(read_named_key("snapshot/7/1"), None);
    }
}
