/// A thing the agent does: its name on the wire, what it takes and what it answers.
public protocol AgentMethod: Codable, Sendable {
    /// What the agent answers.
    associatedtype Result: Codable & Sendable
    /// The name on the wire.
    static var name: String { get }
}

/// The answer of a method that has nothing to say but that it is done.
public struct Done: Codable, Hashable, Sendable {
    /// Done.
    public init() {}
}

/// The first request of a connection: who speaks, which versions of the protocol it knows, and where its person can be asked.
public struct Hello: AgentMethod {
    /// `hello`.
    public static let name = "hello"
    /// The versions of the protocol this program knows.
    ///
    /// Version 1 had other error codes.
    public static let versions = [2]

    /// What a prompt needs to reach the person: the names are the environment's and pinentry's.
    ///
    /// The agent listens to the manager's own programs alone, and checks each part: what an app says is not used.
    public struct Terminal: Codable, Hashable, Sendable {
        /// The terminal's device, such as `/dev/pts/3`.
        public var tty: String?
        /// `TERM`.
        public var type: String?
        /// `DISPLAY`.
        public var display: String?
        /// `WAYLAND_DISPLAY`.
        public var waylandDisplay: String?
        /// `XAUTHORITY`.
        public var xauthority: String?
        /// `DBUS_SESSION_BUS_ADDRESS`.
        public var sessionBus: String?
        /// `LC_ALL`, `LC_CTYPE` or `LANG`.
        public var locale: String?
        /// The path of the pinentry that is wanted, from `WARD_PINENTRY`; empty where the agent's own choice is.
        public var pinentry: String?

        /// Nothing known.
        public init() {}
    }

    /// The versions the client knows.
    public var versions: [Int]
    /// What the client calls itself; shown nowhere but in logs, because anyone may claim anything.
    public var client: String
    /// Where the person can be asked; apps leave it empty.
    public var terminal: Terminal

    /// Introduces a client.
    public init(client: String, terminal: Terminal) {
        versions = Self.versions
        self.client = client
        self.terminal = terminal
    }

    /// What the agent chose.
    public struct Result: Codable, Sendable {
        /// The version that is spoken from now on.
        public var version: Int
        /// The agent's process.
        public var pid: Int32
        /// The vault's file; `nil` for an app, which is not told.
        public var vault: String?

        package init(version: Int, pid: Int32, vault: String? = nil) {
            self.version = version
            self.pid = pid
            self.vault = vault
        }
    }
}

/// What makes a request go through without a prompt.
///
/// A passphrase that came from a descriptor the caller named. It answers unlocking, consent and verification of this one
/// request.
public struct Authorization: Codable, Sendable {
    /// The passphrase; the agent moves it into locked memory.
    public var passphrase: String?
    /// Whether the person may be asked; without it a locked vault is an error at once.
    public var mayPrompt: Bool

    /// Says how the request is allowed.
    public init(passphrase: String? = nil, mayPrompt: Bool = true) {
        self.passphrase = passphrase
        self.mayPrompt = mayPrompt
    }
}

/// Whether an app's request may ask the person.
///
/// An app brings no passphrase: the person types the passphrase in the agent's own prompt. The agent refuses a message that has
/// the member `passphrase`.
public struct AppAuthorization: Codable, Hashable, Sendable {
    private enum CodingKeys: String, CodingKey { case mayPrompt, passphrase }

    /// Whether the person may be asked; without it a locked vault is an error at once.
    public var mayPrompt: Bool

    /// Says whether the person may be asked.
    public init(mayPrompt: Bool = true) { self.mayPrompt = mayPrompt }

    /// Reads a message.
    ///
    /// - Throws: ``AgentError`` with `invalidRequest` when the message has a passphrase; else what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard !container.contains(.passphrase) else {
            throw AgentError(
                .invalidRequest,
                "an app brings no passphrase: leave authorization.passphrase out, and the agent asks the person"
            )
        }
        mayPrompt = try container.decode(Bool.self, forKey: .mayPrompt)
    }

    /// Writes a message.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(mayPrompt, forKey: .mayPrompt)
    }
}

extension Authorization {
    /// What an app's request allows, for what app and manager requests have in common.
    package init(_ app: AppAuthorization) { self.init(mayPrompt: app.mayPrompt) }
}

/// A request of the manager's own programs that needs the open vault.
public protocol AuthorizedMethod: AgentMethod {
    /// How the request is allowed.
    var authorization: Authorization { get }
}
