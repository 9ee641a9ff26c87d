public import WardWebAuthn

/// What stands beside a request and is never on the wire: for whom it is, through which door it came, how it may be answered.
///
/// The client knows the origin; a transport does not and leaves it out. None of this proves anything: whoever makes a context
/// vouches for it.
public struct CeremonyContext: Hashable, Sendable {
    /// Who asked, for the words of a prompt.
    public struct Caller: Hashable, Sendable {
        /// A name a person can read, such as that of a browser.
        public var name: String
        /// The process on this machine, where it is known.
        public var processID: Int32?

        /// Names a caller.
        public init(name: String, processID: Int32? = nil) {
            self.name = name
            self.processID = processID
        }
    }

    /// The conversation a request belongs to: what `getAssertion` found is only continued on the same channel.
    ///
    /// Transports give each connection its own; one client in the same process may leave it as it is.
    public var channel: UInt64
    /// The origin of the page or app that asks, where a client checked it.
    public var origin: Origin?
    /// The origin of the page on top, where another one frames the asking page.
    public var topOrigin: Origin?
    /// Who asked, where it is known.
    public var caller: Caller?
    /// Whether nobody may be interrupted.
    ///
    /// When a passkey is made, nobody is asked at all: flags UP and UV stay off, and what needs a person is refused. When
    /// one is used, the prompt is the form's autofill. Only a client in the same process may set it.
    public var isConditional: Bool
    /// How long the person has to answer; absent means as long as the authenticator likes.
    public var timeout: Duration?

    /// Puts a context together.
    public init(
        channel: UInt64 = 0,
        origin: Origin? = nil,
        topOrigin: Origin? = nil,
        caller: Caller? = nil,
        isConditional: Bool = false,
        timeout: Duration? = nil
    ) {
        self.channel = channel
        self.origin = origin
        self.topOrigin = topOrigin
        self.caller = caller
        self.isConditional = isConditional
        self.timeout = timeout
    }
}
