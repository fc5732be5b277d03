//! The contract of each port against the implementation that the tests use.

use gatewright_testkit::contracts;
use gatewright_testkit::sql::FaultySql;
use gatewright_testkit::sqlite::Sqlite;

#[test]
fn sqlite_in_memory_keeps_the_contract_of_the_database() {
    let sql = FaultySql::<Sqlite>::default();
    let failed: Vec<_> = contracts::sql::cases()
        .filter_map(|(name, case)| Some((name, case(&sql).err()?)))
        .collect();
    assert_eq!(failed, []);
}

#[test]
fn the_cases_hold_again_on_a_database_that_was_used() {
    let sql = Sqlite::default();
    for round in 1..=2 {
        for (name, case) in contracts::sql::cases() {
            assert_eq!(case(&sql), Ok(()), "{name}, round {round}");
        }
    }
}
