// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sets of bits, as the library takes and gives them.
use libnxs_sys as sys;

macro_rules! flags {
    ($(#[$doc:meta])* $name:ident { $($(#[$flag_doc:meta])* $flag:ident = $bits:expr;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// No flag.
            pub const NONE: $name = $name(0);
            $($(#[$flag_doc])* pub const $flag: $name = $name($bits);)*

            /// The flags as C has them; unknown ones are the library's to refuse.
            pub const fn from_bits(bits: u32) -> $name {
                $name(bits)
            }

            /// The bits that C has for them.
            pub const fn bits(self) -> u32 {
                self.0
            }

            /// Whether all flags of `other` are in here.
            pub const fn contains(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }
        }

        impl std::ops::BitOr for $name {
            type Output = $name;

            fn bitor(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }
    };
}

flags! {
    /// How text becomes tokens and back.
    TextFlags {
        /// Control tokens in the text are that, not plain characters; detokenizing writes them out.
        SPECIAL = sys::NXS_TEXT_SPECIAL;
        /// The model's begin token first, if it asks for one.
        BOS = sys::NXS_TEXT_BOS;
        /// Leave unencodable bytes out instead of failing.
        DROP = sys::NXS_TEXT_DROP;
    }
}

flags! {
    /// How a chat ends.
    ChatFlags {
        /// With the opening of an assistant turn.
        REPLY = sys::NXS_CHAT_REPLY;
        /// The sequence ends with a reply already: give only what comes after it.
        CONTINUE = sys::NXS_CHAT_CONTINUE;
    }
}

flags! {
    /// How a run ends and what is recorded of it.
    DecodeFlags {
        /// Stop tokens are emitted like any other.
        IGNORE_STOP = sys::NXS_DECODE_IGNORE_STOP;
        /// Fill [`Completion::logprobs`](crate::Completion::logprobs).
        LOGPROBS = sys::NXS_DECODE_LOGPROBS;
    }
}

flags! {
    /// What an event is about; none: a token that the model's own row chose.
    EventFlags {
        /// The token was drafted and accepted.
        DRAFTED = sys::NXS_EVENT_DRAFTED;
        /// A chunk of the prompt was taken in.
        PREFILL = sys::NXS_EVENT_PREFILL;
        /// The run has ended.
        END = sys::NXS_EVENT_END;
    }
}
