// SPDX-License-Identifier: Apache-2.0 OR MIT
use crate::text_of;
use libnxs_sys as sys;
use std::error::Error as StdError;
use std::fmt;

/// What a callback may fail with.
pub type Cause = Box<dyn StdError + Send + Sync>;

/// Why a call failed; `nxs.h` says when each of them comes.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    Internal,
    Argument,
    Memory,
    Buffer,
    Busy,
    Forked,
    Cancelled,
    Unsupported,
    Io,
    Format,
    Unencodable,
    Template,
    Context,
    KvFull,
    Callback,
    Numeric,
    NoAnswer,
    Range,
    SelfTest,
    /// A status of a newer library.
    Other(i32),
}

impl Status {
    const ALL: [(Status, i32); 19] = [
        (Status::Internal, sys::NXS_ERR_INTERNAL),
        (Status::Argument, sys::NXS_ERR_ARGUMENT),
        (Status::Memory, sys::NXS_ERR_MEMORY),
        (Status::Buffer, sys::NXS_ERR_BUFFER),
        (Status::Busy, sys::NXS_ERR_BUSY),
        (Status::Forked, sys::NXS_ERR_FORKED),
        (Status::Cancelled, sys::NXS_ERR_CANCELLED),
        (Status::Unsupported, sys::NXS_ERR_UNSUPPORTED),
        (Status::Io, sys::NXS_ERR_IO),
        (Status::Format, sys::NXS_ERR_FORMAT),
        (Status::Unencodable, sys::NXS_ERR_UNENCODABLE),
        (Status::Template, sys::NXS_ERR_TEMPLATE),
        (Status::Context, sys::NXS_ERR_CONTEXT),
        (Status::KvFull, sys::NXS_ERR_KV_FULL),
        (Status::Callback, sys::NXS_ERR_CALLBACK),
        (Status::Numeric, sys::NXS_ERR_NUMERIC),
        (Status::NoAnswer, sys::NXS_ERR_NO_ANSWER),
        (Status::Range, sys::NXS_ERR_RANGE),
        (Status::SelfTest, sys::NXS_ERR_SELFTEST),
    ];

    /// The status with this number.
    pub fn from_code(code: i32) -> Status {
        let known = Status::ALL.iter().find(|(_, number)| *number == code);
        known.map_or(Status::Other(code), |(status, _)| *status)
    }

    /// The number that C has for it.
    pub fn code(self) -> i32 {
        match self {
            Status::Other(code) => code,
            known => Status::ALL.iter().find(|(status, _)| *status == known).map_or(0, |(_, code)| *code),
        }
    }
}

/// `NXS_ERR_KV_FULL` and its like.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: a static string.
        f.write_str(&unsafe { text_of(sys::nxs_status_name(self.code())) }.unwrap_or_default())
    }
}

/// A failed call: the status, the library's message, and what a callback failed with.
#[derive(Debug)]
pub struct Error {
    status: Status,
    message: String,
    cause: Option<Cause>,
}

/// What fallible calls return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn argument(message: &str) -> Error {
        Error { status: Status::Argument, message: message.into(), cause: None }
    }

    pub(crate) fn because(self, cause: Option<Cause>) -> Error {
        Error { cause, ..self }
    }

    /// Why the call failed.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The library's message: it names the thing and the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.status)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.as_deref().map(|cause| cause as &(dyn StdError + 'static))
    }
}

/// Makes a call and turns what it says into a `Result`.
pub(crate) fn check(call: impl FnOnce(*mut sys::nxs_error) -> sys::nxs_status) -> Result<()> {
    let mut error = sys::nxs_error { status: 0, message: [0; 252] };
    let status = call(&mut error);
    if status == sys::NXS_OK {
        return Ok(());
    }
    // SAFETY: the library ends its messages with a NUL.
    let message = unsafe { text_of(error.message.as_ptr()) }.unwrap_or_default().into_owned();
    Err(Error { status: Status::from_code(status), message, cause: None })
}

/// Makes a call of the form (data, capacity, *n): with a guess first, again if the library asks for more.
pub(crate) fn grown<T: Clone + Default>(
    guess: usize,
    call: impl Fn(*mut T, usize, *mut usize, *mut sys::nxs_error) -> sys::nxs_status,
) -> Result<Vec<T>> {
    let mut data = vec![T::default(); guess.max(1)];
    loop {
        let mut n = 0;
        match check(|error| call(data.as_mut_ptr(), data.len(), &mut n, error)) {
            Err(error) if error.status == Status::Buffer && n > data.len() => data.resize(n, T::default()),
            Err(error) => return Err(error),
            Ok(()) => {
                data.truncate(n);
                return Ok(data);
            }
        }
    }
}
