/// Why a page or an app gets no credential: a name it can act on, a sentence for its developer, and a reason that stays here.
///
/// ``code`` and ``detail`` may go to the page. They are the same sentence for a person who said no, a person who did not
/// answer, and a device that holds nothing: a page must not learn which it was. ``reason`` knows, for the machine's own
/// prompts and logs, and never leaves it.
///
/// Errors are equal when their codes are. WebAuthn Level 3,
/// [§5.1.3.1](https://www.w3.org/TR/webauthn-3/#sctn-create-request-exceptions) and
/// [§14.5](https://www.w3.org/TR/webauthn-3/#sctn-privacy-considerations-client).
public struct ClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of a `DOMException` or of a simple exception; minor releases may add names.
    public struct Code: Hashable, Sendable {
        /// The name as scripts see it.
        public let name: String

        /// `AbortError`: the caller took its request back.
        public static let abort = Self(name: "AbortError")
        /// `ConstraintError`: this device cannot do what was required.
        public static let constraint = Self(name: "ConstraintError")
        /// `EncodingError`: what was sent cannot be represented.
        public static let encoding = Self(name: "EncodingError")
        /// `InvalidStateError`: the account has a passkey here already; only after the person agreed.
        public static let invalidState = Self(name: "InvalidStateError")
        /// `NotAllowedError`: denied, not answered, or nothing there.
        public static let notAllowed = Self(name: "NotAllowedError")
        /// `NotSupportedError`: no kind of key in common, or extension inputs that contradict the request.
        public static let notSupported = Self(name: "NotSupportedError")
        /// `SecurityError`: the caller may not use this RP ID.
        public static let security = Self(name: "SecurityError")
        /// `SyntaxError`: `prf.evalByCredential` names what the request does not list.
        public static let syntax = Self(name: "SyntaxError")
        /// `TypeError`: the options are no such options.
        public static let type = Self(name: "TypeError")
        /// `UnknownError`: the authenticator answered what it must not.
        public static let unknown = Self(name: "UnknownError")
    }

    /// What really happened, for the machine's own logs; minor releases may add reasons.
    public struct Reason: Hashable, Sendable {
        /// A stable name for logs.
        public let name: String

        /// The person said no.
        public static let denied = Self(name: "denied")
        /// Nobody answered in time.
        public static let timedOut = Self(name: "timed_out")
        /// There is no such credential.
        public static let nothingFound = Self(name: "nothing_found")
        /// The request asks for another kind of authenticator, or at a moment when none is offered.
        public static let notOffered = Self(name: "not_offered")
        /// The authenticator failed.
        public static let authenticator = Self(name: "authenticator")
        /// The caller took its request back.
        public static let cancelled = Self(name: "cancelled")
        /// The request itself cannot be answered.
        public static let request = Self(name: "request")
    }

    /// The name that the page sees.
    public let code: Code
    /// A sentence for the page's developer, which says nothing about the person or their credentials.
    public let detail: String
    /// What really happened, which is never for the page.
    public let reason: Reason

    /// What the page may see, in one line.
    public var description: String { "\(code.name): \(detail)" }

    package init(_ code: Code, _ detail: String, _ reason: Reason = .request) {
        self.code = code
        self.detail = detail
        self.reason = reason
    }

    /// One sentence for everything that a page must not tell apart.
    static func notAllowed(_ reason: Reason) -> ClientError {
        ClientError(.notAllowed, "the operation timed out, was not allowed, or found nothing", reason)
    }

    /// The caller's task was cancelled.
    static var aborted: ClientError { ClientError(.abort, "the caller took its request back", .cancelled) }

    /// Errors are equal if their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
