//! All tests of the control plane through its public functions, in one program: linking one takes longer than compiling
//! most of these files, and its tests run on all processors.

mod admin;
mod backup;
mod contract;
mod cost;
mod dashboard;
mod failures;
mod fetch;
mod figures;
mod group;
mod hooks;
mod keys;
mod oas;
mod preview;
mod reload;
mod retention;
mod rights;
mod rows;
mod rulesets;
mod sign_ins;
mod trail;
mod uptime;
