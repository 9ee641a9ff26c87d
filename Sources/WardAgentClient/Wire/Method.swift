/// A method of the agent: its name, its parameters and its result.
public protocol AgentMethod: Codable, Sendable {
    /// The result.
    associatedtype Result: Codable & Sendable
    /// The method's name.
    static var name: String { get }
}

/// The empty result of a method.
public struct Done: Codable, Hashable, Sendable {
    /// Creates the result.
    public init() {}
}

/// The first request of a connection.
///
/// It contains the client, its protocol versions, and the place for prompts.
public struct Hello: AgentMethod {
    /// `hello`.
    public static let name = "hello"
    /// The protocol versions that this program supports.
    ///
    /// Version 1 had other error codes, so it is not supported.
    public static let versions = [2]

    /// The values that a prompt needs to reach the person.
    ///
    /// The names are those of the environment and of pinentry.
    ///
    /// The agent uses them only from the manager's own programs, and checks each value. It ignores them from apps.
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
        /// The value of `DBUS_SESSION_BUS_ADDRESS`.
        public var sessionBus: String?
        /// The value of `LC_ALL`, `LC_CTYPE` or `LANG`.
        public var locale: String?
        /// The language of messages: `LC_ALL`, `LC_MESSAGES` or `LANG`.
        public var messages: String?
        /// The path of the pinentry that the person wants, from `WARD_PINENTRY`.
        ///
        /// If it is empty, the agent chooses one.
        public var pinentry: String?

        /// Creates empty values.
        public init() {}
    }

    /// The protocol versions of the client.
    public var versions: [Int]
    /// The name that the client gives itself.
    ///
    /// It is used only in logs, because it can be false.
    public var client: String
    /// The place for prompts.
    ///
    /// Apps leave it empty.
    public var terminal: Terminal
    /// The ID of the browser's extension for which `ward-browser` speaks.
    ///
    /// Other programs leave it empty.
    package var extensionID: String?

    /// Creates the request.
    public init(client: String, terminal: Terminal) {
        versions = Self.versions
        self.client = client
        self.terminal = terminal
    }

    /// The agent's choice.
    public struct Result: Codable, Sendable {
        /// The protocol version of the connection.
        public var version: Int
        /// The agent's process number.
        public var pid: Int32
        /// The vault's file; `nil` for an app.
        public var vault: String?

        package init(version: Int, pid: Int32, vault: String? = nil) {
            self.version = version
            self.pid = pid
            self.vault = vault
        }
    }
}

/// The authorization of a manager program's request.
///
/// The passphrase comes from a file descriptor that the caller chose. It replaces all prompts of this request: for unlocking,
/// consent and verification.
package struct Authorization: Codable, Sendable {
    /// The passphrase; the agent moves it into locked memory.
    package var passphrase: String?
    /// Whether prompts are allowed.
    ///
    /// If not, a locked vault is an error at once.
    package var mayPrompt: Bool

    package init(passphrase: String? = nil, mayPrompt: Bool = true) {
        self.passphrase = passphrase
        self.mayPrompt = mayPrompt
    }
}

/// The authorization of an app's request.
///
/// An app cannot send a passphrase: the person types it in the agent's own prompt. The agent refuses a message with the
/// member `passphrase`.
public struct AppAuthorization: Codable, Hashable, Sendable {
    private enum CodingKeys: String, CodingKey { case mayPrompt, passphrase }

    /// Whether prompts are allowed.
    ///
    /// If not, a locked vault is an error at once.
    public var mayPrompt: Bool

    /// Creates an authorization.
    public init(mayPrompt: Bool = true) { self.mayPrompt = mayPrompt }

    /// Reads a message.
    ///
    /// - Throws: ``AgentError`` with `invalid_request` if the message has a passphrase; otherwise the decoder's errors.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard !container.contains(.passphrase) else {
            throw AgentError(
                .invalidRequest,
                "an app cannot send a passphrase: leave out authorization.passphrase; the agent then asks the person for the "
                    + "passphrase"
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
    /// The same authorization in the form for code that handles requests of apps and of manager programs.
    package init(_ app: AppAuthorization) { self.init(mayPrompt: app.mayPrompt) }
}
