public import WardWebAuthn

/// Context of a request that is not sent on the wire: origin, channel, and how the request may be answered.
///
/// The client knows the origin; a transport does not know it and leaves it out. Ward does not check these values: the code that
/// creates a context is responsible for them.
public struct CeremonyContext: Hashable, Sendable {
    /// The requesting program, for the text of prompts.
    public struct Caller: Hashable, Sendable {
        /// A name that a person can read, such as a browser's name.
        public var name: String
        /// The process number on this machine, if known.
        public var processID: Int32?

        /// Creates a caller.
        public init(name: String, processID: Int32? = nil) {
            self.name = name
            self.processID = processID
        }
    }

    /// The channel of the request.
    ///
    /// Results of `getAssertion` can only be continued on the same channel.
    ///
    /// Transports give each connection its own channel; a client in the same process may keep the default.
    public var channel: UInt64
    /// The origin of the requesting page or app, if a client checked it.
    public var origin: Origin?
    /// The top-level origin, if the requesting page is in a frame.
    public var topOrigin: Origin?
    /// The requesting program, if known.
    public var caller: Caller?
    /// Whether the request must not interrupt the person.
    ///
    /// When a passkey is created, there is no prompt: the flags UP and UV stay off, and requests that need the person
    /// are refused. When a passkey is used, the form's autofill is the prompt. Only a client in the same process may
    /// set this.
    public var isConditional: Bool
    /// The passkey that the person has already chosen, if a client let them choose before it called the authenticator.
    ///
    /// No other passkey answers. Only a client in the same process may set this.
    public var picked: CredentialID?
    /// Whether the relying party also accepts an answer without user verification, although it prefers verification.
    ///
    /// The authenticator then verifies the person if that is easy, and the flags report the result. Only a client in the same
    /// process may set this.
    public var isVerificationOptional: Bool
    /// The time limit for the person.
    ///
    /// With `nil` the authenticator decides.
    public var timeout: Duration?

    /// Creates a context.
    public init(
        channel: UInt64 = 0,
        origin: Origin? = nil,
        topOrigin: Origin? = nil,
        caller: Caller? = nil,
        isConditional: Bool = false,
        picked: CredentialID? = nil,
        isVerificationOptional: Bool = false,
        timeout: Duration? = nil
    ) {
        self.channel = channel
        self.origin = origin
        self.topOrigin = topOrigin
        self.caller = caller
        self.isConditional = isConditional
        self.picked = picked
        self.isVerificationOptional = isVerificationOptional
        self.timeout = timeout
    }
}
