//! Gatewright at the edge.
