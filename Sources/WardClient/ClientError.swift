public import WardText

/// The reason why a page or an app gets no credential: an exception name, a sentence for its developer, and a private reason.
///
/// ``code`` and ``detail`` may go to the page. They are the same if the person declined, did not answer, or has no
/// credential: a page must not learn which. ``reason`` is for the machine's own prompts and logs and must never leave
/// the machine.
///
/// Errors are equal if their codes are. WebAuthn Level 3,
/// [§5.1.3.1](https://www.w3.org/TR/webauthn-3/#sctn-create-request-exceptions) and
/// [§14.5](https://www.w3.org/TR/webauthn-3/#sctn-privacy-considerations-client).
public struct ClientError: CodedError {
    /// The name of a `DOMException` or of a simple exception; minor releases may add names.
    public struct Code: ErrorCode {
        /// The name as scripts see it.
        public let name: String

        /// `AbortError`: the caller cancelled the request.
        public static let abort = Self(name: "AbortError")
        /// `ConstraintError`: this device cannot do what the request requires.
        public static let constraint = Self(name: "ConstraintError")
        /// `EncodingError`: a value cannot be decoded.
        public static let encoding = Self(name: "EncodingError")
        /// `InvalidStateError`: the account already has a passkey here.
        ///
        /// This error comes only after the person agreed.
        public static let invalidState = Self(name: "InvalidStateError")
        /// `NotAllowedError`: declined, not answered, or no credential.
        public static let notAllowed = Self(name: "NotAllowedError")
        /// `NotSupportedError`: no common key type, or extension inputs that contradict the request.
        public static let notSupported = Self(name: "NotSupportedError")
        /// `SecurityError`: the caller may not use this RP ID.
        public static let security = Self(name: "SecurityError")
        /// `SyntaxError`: `prf.evalByCredential` has a key that the request does not list.
        public static let syntax = Self(name: "SyntaxError")
        /// `TypeError`: the options are malformed.
        public static let type = Self(name: "TypeError")
        /// `UnknownError`: the authenticator's answer is invalid.
        public static let unknown = Self(name: "UnknownError")
    }

    /// The real reason.
    ///
    /// It is only for the machine's own logs.
    ///
    /// Minor releases may add reasons.
    public struct Reason: Hashable, Sendable {
        /// A stable name for logs.
        public let name: String

        /// The person declined.
        public static let denied = Self(name: "denied")
        /// The person did not answer in time.
        public static let timedOut = Self(name: "timed_out")
        /// No matching credential exists.
        public static let nothingFound = Self(name: "nothing_found")
        /// The request needs another kind of authenticator, or none is available.
        public static let notOffered = Self(name: "not_offered")
        /// The authenticator failed.
        public static let authenticator = Self(name: "authenticator")
        /// The caller cancelled the request.
        public static let cancelled = Self(name: "cancelled")
        /// The request is invalid.
        public static let request = Self(name: "request")
    }

    /// The name that the page sees.
    public let code: Code
    /// A sentence for the page's developer, without information about the person or their credentials.
    public let detail: String
    /// The real reason.
    ///
    /// A page must never see it.
    public let reason: Reason

    package init(_ code: Code, _ detail: String, _ reason: Reason = .request) {
        self.code = code
        self.detail = detail
        self.reason = reason
    }

    /// One sentence for all cases that a page must not distinguish.
    package static func notAllowed(_ reason: Reason) -> ClientError {
        ClientError(.notAllowed, "the operation timed out, was not allowed, or found nothing", reason)
    }

    /// The caller's task was cancelled.
    static var aborted: ClientError { ClientError(.abort, "the caller cancelled its request", .cancelled) }
}
