/// A program that is registered as an app.
public struct AppRecord: Codable, Hashable, Sendable {
    /// How its file is now.
    public struct State: RawRepresentable, Codable, Hashable, Sendable {
        /// The word on the wire.
        public let rawValue: String
        /// Creates a value from any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// As it was registered.
        public static let ok = Self(rawValue: "ok")
        /// Another one than was registered: the app gets nothing until it is added again.
        public static let changed = Self(rawValue: "changed")
        /// Not there, or not readable.
        public static let missing = Self(rawValue: "missing")
    }

    /// What domains name it by.
    public var identifier: String
    /// What people see.
    public var displayName: String
    /// The executable.
    public var path: String
    /// SHA-256 of the executable when it was registered, in hexadecimal.
    public var digest: String
    /// The only domains it may speak for; empty for all that name it.
    public var domains: [String]
    /// How its file is now.
    public var state: State
    /// Whether the administrator registered it, and not this person.
    public var isAdministrators: Bool
    /// Whether it is a Flatpak app, which has no path and no digest here; `nil` for a program.
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
    /// Asks.
    public init() {}

    /// The apps.
    public struct Result: Codable, Sendable {
        /// The administrator's first.
        public var apps: [AppRecord]
        /// Sentences about files that are passed over.
        public var problems: [String]

        package init(apps: [AppRecord], problems: [String]) {
            self.apps = apps
            self.problems = problems
        }
    }
}

/// Looks at a program before it is registered, and changes nothing.
public struct CheckApp: AgentMethod {
    /// `apps.check`.
    public static let name = "apps.check"
    /// The executable's path, from the root.
    public var path: String
    /// Asks.
    public init(path: String) { self.path = path }

    /// What would be trusted.
    public struct Result: Codable, Hashable, Sendable {
        /// The path without links on the way.
        public var path: String
        /// SHA-256 of the file in hexadecimal.
        public var digest: String
        /// Whether it runs what it is told, so that every script would be the app.
        public var isInterpreter: Bool

        package init(path: String, digest: String, isInterpreter: Bool) {
            self.path = path
            self.digest = digest
            self.isInterpreter = isInterpreter
        }
    }
}

/// Registers a program as an app for this person, in place of one of the same path.
public struct AddApp: AgentMethod {
    /// `apps.add`.
    public static let name = "apps.add"
    /// The executable's path, from the root.
    public var path: String
    /// What domains name it by: names with periods between, as `com.example.shiny`.
    public var identifier: String
    /// What people see: one line of at most 64 characters.
    public var displayName: String
    /// The only domains it may speak for; empty for all that name it.
    public var domains: [String]
    /// The digest that was shown to the person; the error `conflict` when the file has another by now.
    public var digest: String?
    /// Whether a program that runs what it is told will do.
    public var allowsInterpreter: Bool

    /// Registers.
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
    /// What was registered.
    public typealias Result = AppRecord
}

/// Gives domains to a Flatpak app, in place of those that it was given before.
///
/// Its passwords and verification codes of these domains are found without the domain's own word; a passkey needs that word.
public struct AddFlatpakApp: AgentMethod {
    /// `apps.addFlatpak`.
    public static let name = "apps.addFlatpak"
    /// The application ID.
    public var identifier: String
    /// The domains: 1 to 32.
    public var domains: [String]

    /// Gives.
    public init(identifier: String, domains: [String]) {
        self.identifier = identifier
        self.domains = domains
    }
    /// What was given.
    public typealias Result = AppRecord
}

/// Takes an app out of this person's registry.
public struct RemoveApp: AgentMethod {
    /// `apps.remove`.
    public static let name = "apps.remove"
    /// The identifier, or the path.
    public var app: String
    /// Takes it out.
    public init(app: String) { self.app = app }

    /// What was taken out: one, unless several programs have the identifier.
    public struct Result: Codable, Sendable {
        /// The apps.
        public var apps: [AppRecord]
        package init(apps: [AppRecord]) { self.apps = apps }
    }
}
