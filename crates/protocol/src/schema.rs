//! The version of a database's tables. A Durable Object's SQLite has no `PRAGMA user_version`
//! (<https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/#pragma-statements>), so a table records
//! each version that was ever reached; it is empty for tables of releases before versions existed.

/// Creates the table.
pub const MAKE: &str = "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY)";
/// Selects the current version, 0 for none.
pub const FOUND: &str = "SELECT coalesce(max(version), 0) FROM schema_version";
/// Records that a version was reached: binds its number.
pub const REACHED: &str = "INSERT INTO schema_version (version) VALUES (?)";

/// Returns the reason why a database of a later release is left alone.
#[must_use]
pub fn refusal(found: u64, known: u64) -> String {
    format!(
        "its tables are of version {found}, made by a later release; this one knows version {known}: deploy that release or a later one"
    )
}
