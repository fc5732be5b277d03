//! The wire contract of Gatewright.
