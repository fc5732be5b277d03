//! Writes the descriptions of the two APIs into a folder: their OpenAPI documents, and the JSON Schemas of every kind
//! of document, for OpenAPI documents also with the vendor extension. `cargo xtask build` runs it; the worker serves
//! the files.

use gatewright_api::openapi;
use gatewright_model::openapi::DocumentKind;
use gatewright_model::schema::{json_schema, openapi_schema};
use gatewright_model::shape::Root;
use gatewright_model::shape::oas::Version;
use std::io::Error;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Error> {
    let folder = env::args().nth(1);
    let folder = folder.ok_or_else(|| Error::other("name the folder to write into"))?;
    let schemas = Path::new(&folder).join("schemas");
    fs::create_dir_all(&schemas)?;
    let write = |path: &Path, text: String| fs::write(path.with_extension("json"), text + "\n");
    for root in Root::ALL {
        write(&schemas.join(root.word()), json_schema(root))?;
    }
    for version in Version::ALL {
        let schema = openapi_schema(version, DocumentKind::Oas);
        let name = format!("openapi_{}", version.word().replace('.', "_"));
        write(&schemas.join(name), schema)?;
    }
    let folder = Path::new(&folder);
    write(&folder.join("gateway"), openapi::gateway().to_string())?;
    write(&folder.join("dashboard"), openapi::dashboard().to_string())
}
