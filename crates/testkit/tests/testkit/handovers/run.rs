//! A run: operations while everything fails, and then what has to be true once nothing does.

use super::clients::Clients;
use super::world::{Outcome, Plan, World};
use gatewright_testkit::sqlite::Sql as _;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// How long nothing fails before everything has to be in its place, in milliseconds.
const CALM_MS: u64 = 90_000;
/// How many events there may be in such a time.
const STEPS_MAX: u32 = 20_000;
/// How long the end of a session is remembered, and more.
const LONG_MS: u64 = 12 * 60_000;

fn plan(seed: u64) -> Plan {
    let dice = super::events::Dice::new(seed.wrapping_mul(31));
    let of = |values: &[u64]| dice.pick(values).unwrap();
    let shards: [&[u32]; 6] = [&[16], &[0], &[2, 5], &[1, 0], &[3, 0, 7], &[2, 3]];
    Plan {
        seed,
        operations: of(&[60, 150, 250]),
        gap: of(&[20, 200, 1500]),
        delay: of(&[2, 30, 300]),
        lost: of(&[0, 0, 100, 15]),
        crashes: of(&[0, 500, 3000, 20_000]),
        deployments: of(&[0, 3000, 20_000]),
        shards: dice.pick(&shards).unwrap().to_vec(),
        names_before: dice.once_in(2),
        pauses: of(&[0, 0, 30]),
        lifetime: dice.pick(&[0, 0, 0, 120]).unwrap(),
    }
}

/// Runs a world.
///
/// # Errors
/// What is wrong, with its seed.
pub(super) fn run(seed: u64, is_traced: bool) -> Result<(), String> {
    let plan = plan(seed);
    let world = World::new(plan.clone(), is_traced);
    let clients = Clients::new(&world);
    let ran = catch_unwind(AssertUnwindSafe(|| whole(&world, &clients)));
    if let Some(trace) = &*world.trace.borrow() {
        println!("{plan:?}\n{}", trace.join("\n"));
        println!(
            "requests: {:?}, operations done: {}, failed: {}",
            world.oracle.borrow().requests,
            clients.done.get(),
            clients.failed.get()
        );
    }
    let faults = match ran {
        Ok(_) => world.oracle.borrow().faults.clone(),
        Err(_) => vec!["a panic".to_owned()],
    };
    world.events.clear();
    match faults.first() {
        None => Ok(()),
        Some(first) => Err(format!("seed {seed}: {first} ({} in all)", faults.len())),
    }
}

fn whole(world: &Rc<World>, clients: &Rc<Clients>) -> Option<()> {
    disturbed(world, clients)?;
    world.is_calm.set(true);
    pass(world, CALM_MS)?;
    settled(world)?;
    requests(world, clients)?;
    is_quiet(world)?;
    for _ in 0..2 {
        let shards = world.events.dice.pick(&world.plan.shards)?;
        world.deploy(shards);
        requests(world, clients)?;
        pass(world, CALM_MS)?;
        settled(world)?;
        let touched: Vec<_> = clients
            .known()
            .into_iter()
            .map(|id| clients.touch(id))
            .collect();
        pass(world, CALM_MS)?;
        drop(touched);
        requests(world, clients)?;
        settled(world)?;
    }
    for id in clients.known() {
        clients.end(id);
    }
    pass(world, CALM_MS)?;
    requests(world, clients)?;
    pass(world, LONG_MS)?;
    settled(world)?;
    for shards in world.plan.shards.clone() {
        world.deploy(shards);
        requests(world, clients)?;
    }
    Some(())
}

/// Lets time pass. `None` if something is wrong.
fn pass(world: &Rc<World>, ms: u64) -> Option<()> {
    let until = world.events.now() + ms;
    let mut steps = 0;
    while world.events.step(until) {
        steps += 1;
        if steps > STEPS_MAX {
            world.fail("it goes on and on".to_owned());
        }
        if !world.oracle.borrow().faults.is_empty() {
            return None;
        }
    }
    world.oracle.borrow().faults.is_empty().then_some(())
}

fn disturbed(world: &Rc<World>, clients: &Rc<Clients>) -> Option<()> {
    let dice = &world.events.dice;
    let plan = &world.plan;
    let mut operations = 0;
    let soon = |mean: u64| match mean {
        0 => u64::MAX,
        mean => world.events.now() + 1 + dice.below(2 * mean),
    };
    let (mut crash, mut deployment) = (soon(plan.crashes), soon(plan.deployments));
    let mut operation = soon(plan.gap);
    while operations < plan.operations {
        let next = crash.min(deployment).min(operation);
        pass(world, next - world.events.now())?;
        if next == crash {
            world.crash();
            crash = soon(plan.crashes);
        } else if next == deployment {
            world.deploy(dice.pick(&plan.shards)?);
            deployment = soon(plan.deployments);
        } else {
            clients.operate();
            operations += 1;
            operation = soon(plan.gap);
            if dice.once_in(plan.pauses) {
                world.note(|| "a pause".to_owned());
                operation += LONG_MS;
                pass(world, LONG_MS)?;
                (crash, deployment) = (soon(plan.crashes), soon(plan.deployments));
            }
        }
        if dice.once_in(20) {
            world
                .running()
                .iter()
                .for_each(|object| object.forget_idle());
        }
    }
    pass(world, 3000)
}

/// Checks that nothing is left to do, and that each Ledger has what the index says.
fn settled(world: &Rc<World>) -> Option<()> {
    // A session may just have ended.
    if unsettled(world).is_err() {
        pass(world, CALM_MS)?;
    }
    if let Err(wrong) = unsettled(world) {
        world.fail(wrong);
        return None;
    }
    Some(())
}

fn unsettled(world: &Rc<World>) -> Outcome<()> {
    let now = world.events.now();
    let (_, documents) = world.documents();
    let mut registry = documents.documents.borrow_mut();
    let (open, _) = registry.open_handovers().map_err(|it| it.to_string())?;
    if !open.is_empty() {
        return Err(format!("handovers are open: {open:?}"));
    }
    if let Some(at) = registry.next_handover(now).unwrap() {
        return Err(format!("the alarm has handovers to carry out at {at}"));
    }
    drop(registry);
    let index = "SELECT owner || ':' || id, revision FROM session";
    let rows = world.sql.query(index, &[]).unwrap().into_iter();
    let index: BTreeSet<(String, u64)> = rows
        .map(|mut row| (row.text().unwrap(), row.number().unwrap()))
        .collect();
    let known = world.oracle.borrow().living(now);
    // Those whose time has just passed may still be there.
    let is_over = |entry: &(String, u64)| {
        let mut oracle = world.oracle.borrow_mut();
        let last = oracle.current(&entry.0);
        !last.is_gone && last.revision == entry.1
    };
    if !known.is_subset(&index) || !index.difference(&known).all(is_over) {
        return Err(format!(
            "the index has {index:?}, and written was {known:?}"
        ));
    }
    let mut kept = BTreeSet::new();
    for (at, disk) in &*world.disks.borrow() {
        let single = disk.own.as_ref().map(|state| (at, state));
        let single = single.map(|(name, state)| (name, state, disk.own_session.as_ref()));
        let rows = disk.rows.iter();
        let rows = rows.map(|(name, (state, _))| (name, state, disk.kept.get(name)));
        for (name, state, session) in rows.chain(single) {
            let is_here = super::world::place(name, world.shards.get()) == *at;
            let Some(session) = session.filter(|_| is_here) else {
                continue;
            };
            let revision: u64 = session.split(' ').next().unwrap().parse().unwrap();
            let entry = (name.clone(), revision);
            // What has moved is used only if it is nowhere else, and the Registry says that there is a session.
            let is_used = !state.starts_with("moved ") || index.contains(&entry);
            if is_used && state.contains(&format!("\"kept\":{revision}")) {
                kept.insert(entry);
            }
        }
    }
    if kept != index {
        return Err(format!("Ledgers have {kept:?}, and the index {index:?}"));
    }
    for object in world.running() {
        for (name, revision) in object.sessions() {
            let known = revision.map(|revision| (name, revision));
            if let Some(known) = known.filter(|known| !index.contains(known)) {
                return Err(format!("{} has {known:?} in memory", object.place));
            }
        }
    }
    Ok(())
}

/// Makes a request with each token that is known, and with one that isn't.
fn requests(world: &Rc<World>, clients: &Rc<Clients>) -> Option<()> {
    for id in clients.known() {
        clients.request(id);
        clients.request("nobody".to_owned());
    }
    pass(world, 20_000)
}

/// Checks that alarms ring only for what has to be done.
fn is_quiet(world: &Rc<World>) -> Option<()> {
    pass(world, LONG_MS)?;
    let rings = || -> u64 {
        world
            .alarms
            .borrow()
            .values()
            .map(|alarm| alarm.rings)
            .sum()
    };
    let before = rings();
    pass(world, LONG_MS)?;
    let rung = rings() - before;
    if rung > 40 {
        world.fail(format!("alarms ring {rung} times although nothing happens"));
    }
    settled(world)
}
