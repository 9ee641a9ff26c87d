/// A program that is registered as an app.
public struct AppRecord: Codable, Hashable, Sendable {
    /// The state of its executable.
    public struct State: RawRepresentable, Codable, Hashable, Sendable {
        /// The state's name in messages.
        public let rawValue: String
        /// Creates a value from any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The executable is unchanged.
        public static let ok = Self(rawValue: "ok")
        /// The executable differs: the app has no access until it is added again.
        public static let changed = Self(rawValue: "changed")
        /// The executable is missing or unreadable.
        public static let missing = Self(rawValue: "missing")
    }

    /// The identifier that domains list.
    public var identifier: String
    /// The name for display.
    public var displayName: String
    /// The executable.
    public var path: String
    /// SHA-256 of the executable when it was registered, in hexadecimal.
    public var digest: String
    /// The only domains that it may use; empty for all domains that list it.
    public var domains: [String]
    /// The state of its executable.
    public var state: State
    /// Whether the administrator registered it, and not the person.
    public var isAdministrators: Bool
    /// Whether it is a Flatpak, without path and digest; `nil` for a program.
    public var isFlatpak: Bool?

    package init(
        identifier: String,
        displayName: String,
        path: String,
        digest: String,
        domains: [String],
        state: State,
        isAdministrators: Bool,
        isFlatpak: Bool? = nil
    ) {
        self.identifier = identifier
        self.displayName = displayName
        self.path = path
        self.digest = digest
        self.domains = domains
        self.state = state
        self.isAdministrators = isAdministrators
        self.isFlatpak = isFlatpak
    }
}

/// Lists the registered apps.
public struct ListApps: AgentMethod {
    /// `apps.list`.
    public static let name = "apps.list"
    /// Creates a request.
    public init() {}

    /// The apps.
    public struct Result: Codable, Sendable {
        /// The apps, those of the administrator first.
        public var apps: [AppRecord]
        /// Sentences about files that are ignored.
        public var problems: [String]

        package init(apps: [AppRecord], problems: [String]) {
            self.apps = apps
            self.problems = problems
        }
    }
}

/// Inspects a program before it is registered; changes nothing.
public struct CheckApp: AgentMethod {
    /// `apps.check`.
    public static let name = "apps.check"
    /// The executable's absolute path.
    public var path: String
    /// Creates a request.
    public init(path: String) { self.path = path }

    /// The data that would be trusted.
    public struct Result: Codable, Hashable, Sendable {
        /// The path without links.
        public var path: String
        /// SHA-256 of the file in hexadecimal.
        public var digest: String
        /// Whether it is an interpreter, for which every script would count as the app.
        public var isInterpreter: Bool

        package init(path: String, digest: String, isInterpreter: Bool) {
            self.path = path
            self.digest = digest
            self.isInterpreter = isInterpreter
        }
    }
}

/// Registers a program as an app for this person, and replaces an entry with the same path.
public struct AddApp: AgentMethod {
    /// `apps.add`.
    public static let name = "apps.add"
    /// The executable's absolute path.
    public var path: String
    /// The identifier that domains list, such as `com.example.shiny`.
    public var identifier: String
    /// The name for display: one line of at most 64 characters.
    public var displayName: String
    /// The only domains that it may use; empty for all domains that list it.
    public var domains: [String]
    /// The digest that was shown to the person; the error is `conflict` if the file has changed since.
    public var digest: String?
    /// Whether interpreters are allowed.
    public var allowsInterpreter: Bool

    /// Creates a request.
    public init(
        path: String,
        identifier: String,
        displayName: String,
        domains: [String] = [],
        digest: String? = nil,
        allowsInterpreter: Bool = false
    ) {
        self.path = path
        self.identifier = identifier
        self.displayName = displayName
        self.domains = domains
        self.digest = digest
        self.allowsInterpreter = allowsInterpreter
    }
    /// The registered app.
    public typealias Result = AppRecord
}

/// Gives domains to a Flatpak, and replaces those that it was given before.
///
/// Passwords and codes of these domains then do not need the domain's own file; passkeys still do.
public struct AddFlatpakApp: AgentMethod {
    /// `apps.addFlatpak`.
    public static let name = "apps.addFlatpak"
    /// The application ID.
    public var identifier: String
    /// The domains: 1 to 32.
    public var domains: [String]

    /// Creates a request.
    public init(identifier: String, domains: [String]) {
        self.identifier = identifier
        self.domains = domains
    }
    /// The Flatpak with its domains.
    public typealias Result = AppRecord
}

/// Removes an app from this person's registry.
public struct RemoveApp: AgentMethod {
    /// `apps.remove`.
    public static let name = "apps.remove"
    /// The identifier, or the path.
    public var app: String
    /// Creates a request.
    public init(app: String) { self.app = app }

    /// The removed apps: one, unless several programs have the identifier.
    public struct Result: Codable, Sendable {
        /// The apps.
        public var apps: [AppRecord]
        package init(apps: [AppRecord]) { self.apps = apps }
    }
}
