//! `Unit`: one database transaction, and what the operations inside it share.

use std::sync::{Arc, Mutex, PoisonError};

use super::Held;
use super::places::Seat;
use crate::key::Identity;
use crate::store::Database;
use crate::store::session::Session;

/// A database transaction with everything that hangs on its outcome. Fields are dropped in this
/// order: the rollback is under way before the next copy may ask the store.
pub(crate) struct Unit<Db: Database> {
    pub(crate) session: Session<Db>,
    /// The operations running inside it, outermost first.
    pub(super) inside: Vec<Identity>,
    /// The seats of joined operations that recorded: nobody may take their answers for committed
    /// before the whole is.
    pub(super) seats: Vec<Seat>,
    /// Joined operations whose body ended the transaction by itself.
    pub(super) ended: Vec<Held>,
    /// A join was dropped half-way, so nobody knows what of it is in the transaction.
    pub(super) poisoned: bool,
}

impl<Db: Database> Unit<Db> {
    pub(crate) fn new(session: Session<Db>) -> Self {
        Unit {
            session,
            inside: Vec::new(),
            seats: Vec::new(),
            ended: Vec::new(),
            poisoned: false,
        }
    }

    /// Whether a body that joined has ended the transaction.
    pub(crate) fn has_ended(&self) -> bool {
        !self.ended.is_empty()
    }

    pub(crate) fn connection(&self) -> &Db::Connection {
        assert!(!self.poisoned, "{POISONED}");
        self.session.connection()
    }

    pub(crate) fn connection_mut(&mut self) -> &mut Db::Connection {
        assert!(!self.poisoned, "{POISONED}");
        self.session.connection_mut()
    }

    pub(super) fn has_seat(&self, identity: &Identity) -> bool {
        self.seats.iter().any(|seat| seat.identity() == identity)
    }

    /// Counts an operation, and whatever was left inside it, as ended.
    pub(super) fn leave(&mut self, held: &Held) {
        let is_it = |inside: &Identity| *inside == held.attempt.identity;
        if let Some(depth) = self.inside.iter().position(is_it) {
            self.inside.truncate(depth);
        }
    }

    /// Counts an operation that has the claim as running in here.
    pub(super) fn enter(&mut self, held: &Held) {
        self.inside.push(held.attempt.identity);
        if let Some(seat) = &held.seat {
            seat.running(held.attempt.fingerprint);
        }
    }
}

const POISONED: &str = "an operation that joined this transaction was dropped before it ended, or \
                        ended the transaction, so nothing more can be done in it";

/// Where a unit comes back to that was lent to a joined operation.
pub(crate) type Home<Db> = Arc<Mutex<Option<Unit<Db>>>>;

/// A unit in the hands of one operation: its own, or lent by the operation it joined.
pub(crate) struct Loan<Db: Database> {
    /// `None` only while it is lent on, or was never given back.
    unit: Option<Unit<Db>>,
    /// `None` for its owner.
    home: Option<Home<Db>>,
}

impl<Db: Database> Loan<Db> {
    pub(crate) fn own(session: Session<Db>) -> Self {
        Loan {
            unit: Some(Unit::new(session)),
            home: None,
        }
    }

    pub(crate) fn unit(&self) -> Option<&Unit<Db>> {
        self.unit.as_ref()
    }

    pub(crate) fn unit_mut(&mut self) -> Option<&mut Unit<Db>> {
        self.unit.as_mut()
    }

    /// Whether another operation owns it.
    pub(super) fn is_lent(&self) -> bool {
        self.home.is_some()
    }

    /// Lends the unit to an operation that joins; [`take_back`](Self::take_back) gets it back.
    pub(crate) fn lend(&mut self) -> (Loan<Db>, Home<Db>) {
        let home = Home::default();
        let lent = Loan {
            unit: self.unit.take(),
            home: Some(Arc::clone(&home)),
        };
        (lent, home)
    }

    /// Takes back what was lent; stays without if it was leaked.
    pub(crate) fn take_back(&mut self, home: &Home<Db>) {
        self.unit = home.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Gives a lent unit back in good order; an owner's ends.
    pub(crate) fn settle(mut self) {
        self.give_back();
    }

    /// Takes an owner's unit apart.
    pub(super) fn into_unit(mut self) -> Option<Unit<Db>> {
        self.unit.take()
    }

    fn give_back(&mut self) {
        if let (Some(home), Some(unit)) = (self.home.take(), self.unit.take()) {
            *home.lock().unwrap_or_else(PoisonError::into_inner) = Some(unit);
        }
    }
}

impl<Db: Database> Drop for Loan<Db> {
    fn drop(&mut self) {
        if let (Some(_), Some(unit)) = (&self.home, &mut self.unit) {
            unit.poisoned = true;
        }
        self.give_back();
    }
}
