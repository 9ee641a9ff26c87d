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
        private enum Base: String {
            case abort = "AbortError"
            case constraint = "ConstraintError"
            case encoding = "EncodingError"
            case invalidState = "InvalidStateError"
            case notAllowed = "NotAllowedError"
            case notSupported = "NotSupportedError"
            case security = "SecurityError"
            case syntax = "SyntaxError"
            case type = "TypeError"
            case unknown = "UnknownError"
        }
        private let base: Base

        /// `AbortError`: the caller took its request back.
        public static var abort: Self { .init(base: .abort) }
        /// `ConstraintError`: this device cannot do what was required.
        public static var constraint: Self { .init(base: .constraint) }
        /// `EncodingError`: what was sent cannot be represented.
        public static var encoding: Self { .init(base: .encoding) }
        /// `InvalidStateError`: the account has a passkey here already; only after the person agreed.
        public static var invalidState: Self { .init(base: .invalidState) }
        /// `NotAllowedError`: denied, not answered, or nothing there.
        public static var notAllowed: Self { .init(base: .notAllowed) }
        /// `NotSupportedError`: no kind of key in common, or extension inputs that contradict the request.
        public static var notSupported: Self { .init(base: .notSupported) }
        /// `SecurityError`: the caller may not use this RP ID.
        public static var security: Self { .init(base: .security) }
        /// `SyntaxError`: `prf.evalByCredential` names what the request does not list.
        public static var syntax: Self { .init(base: .syntax) }
        /// `TypeError`: the options are no such options.
        public static var type: Self { .init(base: .type) }
        /// `UnknownError`: the authenticator answered what it must not.
        public static var unknown: Self { .init(base: .unknown) }

        /// The name as scripts see it.
        public var name: String { base.rawValue }
    }

    /// What really happened, for the machine's own logs; minor releases may add reasons.
    public struct Reason: Hashable, Sendable {
        private enum Base: String { case denied, timedOut, nothingFound, notOffered, authenticator, cancelled, request }
        private let base: Base

        /// The person said no.
        public static var denied: Self { .init(base: .denied) }
        /// Nobody answered in time.
        public static var timedOut: Self { .init(base: .timedOut) }
        /// There is no such credential.
        public static var nothingFound: Self { .init(base: .nothingFound) }
        /// The request asks for another kind of authenticator, or at a moment when none is offered.
        public static var notOffered: Self { .init(base: .notOffered) }
        /// The authenticator failed.
        public static var authenticator: Self { .init(base: .authenticator) }
        /// The caller took its request back.
        public static var cancelled: Self { .init(base: .cancelled) }
        /// The request itself cannot be answered.
        public static var request: Self { .init(base: .request) }

        /// A stable word for logs.
        public var name: String { base.rawValue }
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

    /// Errors are equal when their codes are.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
