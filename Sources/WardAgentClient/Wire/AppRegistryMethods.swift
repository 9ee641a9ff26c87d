/// A program that is registered as an app.
package struct AppRecord: Codable, Hashable, Sendable {
    /// The state of its executable.
    package struct State: RawRepresentable, Codable, Hashable, Sendable {
        /// The state's name in messages.
        package let rawValue: String
        /// Creates a value from any word.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The executable is unchanged.
        package static let ok = Self(rawValue: "ok")
        /// The executable differs: the app has no access until it is added again.
        package static let changed = Self(rawValue: "changed")
        /// The executable does not exist or cannot be read.
        package static let missing = Self(rawValue: "missing")
    }

    /// The identifier that domains list.
    package var identifier: String
    /// The name for display.
    package var displayName: String
    /// The executable.
    package var path: String
    /// SHA-256 of the executable when it was registered, in hexadecimal.
    package var digest: String
    /// The only domains that the app may use.
    ///
    /// If the list is empty, the app may use all domains that list it.
    package var domains: [String]
    /// The state of its executable.
    package var state: State
    /// Whether the administrator registered the app.
    ///
    /// If not, the person did.
    package var isAdministrators: Bool
    /// Whether this is a Flatpak, which has no path and no digest.
    ///
    /// It is `nil` for a program.
    package var isFlatpak: Bool?

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
package struct ListApps: AgentMethod {
    package static let name = "apps.list"
    package init() {}

    /// The apps.
    package struct Result: Codable, Sendable {
        /// The apps.
        ///
        /// Those that the administrator registered come first.
        package var apps: [AppRecord]
        /// Sentences about files that were ignored because of a problem.
        package var problems: [String]

        package init(apps: [AppRecord], problems: [String]) {
            self.apps = apps
            self.problems = problems
        }
    }
}

/// Inspects a program before it is registered.
///
/// It changes nothing.
package struct CheckApp: AgentMethod {
    package static let name = "apps.check"
    /// The executable's absolute path.
    package var path: String
    package init(path: String) { self.path = path }

    /// The data that a registration would trust.
    package struct Result: Codable, Hashable, Sendable {
        /// The path with all links resolved.
        package var path: String
        /// SHA-256 of the file in hexadecimal.
        package var digest: String
        /// Whether it is an interpreter, for which every script would count as the app.
        package var isInterpreter: Bool

        package init(path: String, digest: String, isInterpreter: Bool) {
            self.path = path
            self.digest = digest
            self.isInterpreter = isInterpreter
        }
    }
}

/// Registers a program as an app for this person, and replaces an entry with the same path.
package struct AddApp: AgentMethod {
    package static let name = "apps.add"
    /// The executable's absolute path.
    package var path: String
    /// The identifier that domains list, such as `com.example.shiny`.
    package var identifier: String
    /// The name for display: one line of at most 64 characters.
    package var displayName: String
    /// The only domains that the app may use.
    ///
    /// If the list is empty, the app may use all domains that list it.
    package var domains: [String]
    /// The digest that the person saw.
    ///
    /// If the file has changed since, the error is `conflict`.
    package var digest: String?
    /// Whether an interpreter may be registered.
    package var allowsInterpreter: Bool

    package init(
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
    package typealias Result = AppRecord
}

/// Gives domains to a Flatpak.
///
/// They replace the domains that it had.
///
/// For passwords and codes, these domains then need not list the app. For passkeys they must.
package struct AddFlatpakApp: AgentMethod {
    package static let name = "apps.addFlatpak"
    /// The application ID.
    package var identifier: String
    /// The domains: 1 to 32.
    package var domains: [String]

    package init(identifier: String, domains: [String]) {
        self.identifier = identifier
        self.domains = domains
    }
    /// The Flatpak and its domains.
    package typealias Result = AppRecord
}

/// Removes an app from this person's registry.
package struct RemoveApp: AgentMethod {
    package static let name = "apps.remove"
    /// The identifier, or the path.
    package var app: String
    package init(app: String) { self.app = app }

    /// The removed apps: one, unless several programs have the identifier.
    package struct Result: Codable, Sendable {
        package var apps: [AppRecord]
        package init(apps: [AppRecord]) { self.apps = apps }
    }
}
