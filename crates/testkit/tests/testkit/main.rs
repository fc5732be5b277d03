//! The parts together over ports in memory, in one program: linking one takes longer than compiling most of these files,
//! and its tests run on all processors.

mod contracts;
mod gate;
mod handovers;
mod leases;
mod oauth;
mod publication;
