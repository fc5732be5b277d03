//! What Gatewright does, over small ports.
