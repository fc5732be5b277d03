//! A virtual event loop, as JavaScript has it: what an event makes ready runs before the next event, and between events
//! any time may pass. Everything that runs belongs to a *life*, of an object or of an isolate; when that ends, nothing of
//! it goes on, and who waits for its reply gets an error.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

/// Deterministic pseudo-random numbers (xorshift64*).
#[derive(Debug)]
pub(super) struct Dice(Cell<u64>);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(Cell::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1))
    }

    /// Returns a number below `most`.
    pub(super) fn below(&self, most: u64) -> u64 {
        let mut state = self.0.get();
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        self.0.set(state);
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) % most.max(1)
    }

    /// Returns true once in this many times; never for 0.
    pub(super) fn once_in(&self, times: u64) -> bool {
        times > 0 && self.below(times) == 0
    }

    /// Returns one of these; `None` if there is none.
    pub(super) fn pick<T: Clone>(&self, of: &[T]) -> Option<T> {
        of.get(self.below(of.len() as u64) as usize).cloned()
    }
}

/// A value that is there now or later, for all who wait for it.
#[derive(Debug)]
pub(super) struct Promise<T>(Rc<RefCell<(Option<T>, Vec<Waker>)>>);

impl<T> Clone for Promise<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T: Clone> Promise<T> {
    pub(super) fn new() -> Self {
        Self(Rc::new(RefCell::new((None, Vec::new()))))
    }

    /// The first value counts.
    pub(super) fn resolve(&self, value: T) {
        let wakers = {
            let mut slot = self.0.borrow_mut();
            if slot.0.is_some() {
                return;
            }
            slot.0 = Some(value);
            std::mem::take(&mut slot.1)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: Clone> Future for Promise<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut slot = self.0.borrow_mut();
        match &slot.0 {
            Some(value) => Poll::Ready(value.clone()),
            None => {
                slot.1.push(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// Waits for all of these, or for the first that fails, as `Promise.all` does.
pub(super) async fn all<T: Clone, E: Clone>(
    promises: Vec<Promise<Result<T, E>>>,
) -> Result<Vec<T>, E> {
    std::future::poll_fn(move |context| {
        let mut values = Vec::new();
        let mut is_ready = true;
        for promise in &promises {
            match Pin::new(&mut promise.clone()).poll(context) {
                Poll::Ready(Ok(value)) => values.push(value),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => is_ready = false,
            }
        }
        match is_ready {
            true => Poll::Ready(Ok(values)),
            false => Poll::Pending,
        }
    })
    .await
}

type Task = Pin<Box<dyn Future<Output = ()>>>;
type Event = Box<dyn FnOnce()>;

/// The loop.
pub(super) struct Loop {
    pub(super) dice: Dice,
    now: Cell<u64>,
    number: Cell<u64>,
    /// By time; those of the same millisecond in any order.
    events: RefCell<BTreeMap<(u64, u64, u64), Event>>,
    tasks: RefCell<BTreeMap<u64, (u64, Option<Task>)>>,
    ready: Arc<Mutex<VecDeque<u64>>>,
    /// The lives that go on, each with what to do when it ends.
    lives: RefCell<BTreeMap<u64, BTreeMap<u64, Event>>>,
}

struct Waking(u64, Arc<Mutex<VecDeque<u64>>>);

impl Wake for Waking {
    fn wake(self: Arc<Self>) {
        let mut ready = self.1.lock().unwrap();
        // Once is enough: who waits for many would otherwise be polled twice as often with each of them.
        if !ready.contains(&self.0) {
            ready.push_back(self.0);
        }
    }
}

impl Loop {
    pub(super) fn new(seed: u64, now: u64) -> Self {
        Self {
            dice: Dice::new(seed),
            now: Cell::new(now),
            number: Cell::new(0),
            events: RefCell::default(),
            tasks: RefCell::default(),
            ready: Arc::default(),
            lives: RefCell::default(),
        }
    }

    pub(super) fn now(&self) -> u64 {
        self.now.get()
    }

    pub(super) fn number(&self) -> u64 {
        self.number.set(self.number.get() + 1);
        self.number.get()
    }

    /// Makes something happen in this many milliseconds.
    pub(super) fn after(&self, ms: u64, event: impl FnOnce() + 'static) {
        let at = (self.now() + ms, self.dice.below(1 << 20), self.number());
        self.events.borrow_mut().insert(at, Box::new(event));
    }

    pub(super) fn begin_life(&self) -> u64 {
        let life = self.number();
        self.lives.borrow_mut().insert(life, BTreeMap::new());
        life
    }

    pub(super) fn is_alive(&self, life: u64) -> bool {
        self.lives.borrow().contains_key(&life)
    }

    /// Does something when a life ends, unless it has been called off ([`Self::call_off`]) by the returned number.
    pub(super) fn at_end(&self, life: u64, event: impl FnOnce() + 'static) -> u64 {
        let number = self.number();
        match self.lives.borrow_mut().get_mut(&life) {
            Some(ends) => ends.insert(number, Box::new(event)),
            None => return number,
        };
        number
    }

    pub(super) fn call_off(&self, life: u64, number: u64) {
        if let Some(ends) = self.lives.borrow_mut().get_mut(&life) {
            ends.remove(&number);
        }
    }

    /// Ends a life. Its tasks stop where they wait.
    pub(super) fn end_life(&self, life: u64) {
        let ends = self.lives.borrow_mut().remove(&life);
        let ended: Vec<_> = {
            let mut tasks = self.tasks.borrow_mut();
            let ids = tasks.iter().filter(|(_, (of, _))| *of == life);
            let ids: Vec<u64> = ids.map(|(id, _)| *id).collect();
            ids.iter().filter_map(|id| tasks.remove(id)).collect()
        };
        drop(ended);
        for event in ends.into_iter().flatten() {
            event.1();
        }
    }

    /// Starts a task, which runs until it waits for the first time.
    pub(super) fn spawn<T: Clone + 'static>(
        &self,
        life: u64,
        task: impl Future<Output = T> + 'static,
    ) -> Promise<T> {
        let promise = Promise::new();
        if !self.is_alive(life) {
            return promise;
        }
        let done = promise.clone();
        let task: Task = Box::pin(async move { done.resolve(task.await) });
        let id = self.number();
        self.tasks.borrow_mut().insert(id, (life, Some(task)));
        self.poll(id);
        promise
    }

    fn poll(&self, id: u64) {
        let task = self.tasks.borrow_mut().get_mut(&id).map(|it| it.1.take());
        let Some(Some(mut task)) = task else {
            return;
        };
        let waker = Arc::new(Waking(id, Arc::clone(&self.ready))).into();
        let polled = task.as_mut().poll(&mut Context::from_waker(&waker));
        let mut tasks = self.tasks.borrow_mut();
        match polled {
            Poll::Ready(()) => drop(tasks.remove(&id)),
            Poll::Pending => {
                // Its life may have ended.
                if let Some(known) = tasks.get_mut(&id) {
                    known.1 = Some(task);
                }
            }
        }
    }

    fn run_ready(&self) {
        loop {
            let next = self.ready.lock().unwrap().pop_front();
            match next {
                Some(id) => self.poll(id),
                None => return,
            }
        }
    }

    /// Resolves after this many milliseconds.
    pub(super) fn sleep(&self, ms: u64) -> Promise<()> {
        let promise = Promise::new();
        let done = promise.clone();
        self.after(ms, move || done.resolve(()));
        promise
    }

    /// Carries out the next event, if there is one up to this time. Returns whether there was.
    pub(super) fn step(&self, until: u64) -> bool {
        self.run_ready();
        let next = {
            let mut events = self.events.borrow_mut();
            match events.first_key_value() {
                Some(((at, ..), _)) if *at <= until => events.pop_first(),
                _ => None,
            }
        };
        let Some(((at, ..), event)) = next else {
            self.now.set(self.now().max(until));
            return false;
        };
        self.now.set(at);
        event();
        self.run_ready();
        true
    }

    /// Ends everything, which refers to itself.
    pub(super) fn clear(&self) {
        let lives: Vec<u64> = self.lives.borrow().keys().copied().collect();
        lives.into_iter().for_each(|life| self.end_life(life));
        let events = std::mem::take(&mut *self.events.borrow_mut());
        drop(events);
    }
}
