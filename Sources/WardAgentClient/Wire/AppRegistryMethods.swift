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
        /// The executable is missing or unreadable.
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
    /// The only domains that it may use; empty for all domains that list it.
    package var domains: [String]
    /// The state of its executable.
    package var state: State
    /// Whether the administrator registered it, and not the person.
    package var isAdministrators: Bool
    /// Whether it is a Flatpak, without path and digest; `nil` for a program.
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
    /// `apps.list`.
    package static let name = "apps.list"
    /// Creates a request.
    package init() {}

    /// The apps.
    package struct Result: Codable, Sendable {
        /// The apps, those of the administrator first.
        package var apps: [AppRecord]
        /// Sentences about files that are ignored.
        package var problems: [String]

        package init(apps: [AppRecord], problems: [String]) {
            self.apps = apps
            self.problems = problems
        }
    }
}

/// Inspects a program before it is registered; changes nothing.
package struct CheckApp: AgentMethod {
    /// `apps.check`.
    package static let name = "apps.check"
    /// The executable's absolute path.
    package var path: String
    /// Creates a request.
    package init(path: String) { self.path = path }

    /// The data that would be trusted.
    package struct Result: Codable, Hashable, Sendable {
        /// The path without links.
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
    /// `apps.add`.
    package static let name = "apps.add"
    /// The executable's absolute path.
    package var path: String
    /// The identifier that domains list, such as `com.example.shiny`.
    package var identifier: String
    /// The name for display: one line of at most 64 characters.
    package var displayName: String
    /// The only domains that it may use; empty for all domains that list it.
    package var domains: [String]
    /// The digest that was shown to the person; the error is `conflict` if the file has changed since.
    package var digest: String?
    /// Whether interpreters are allowed.
    package var allowsInterpreter: Bool

    /// Creates a request.
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

/// Gives domains to a Flatpak, and replaces those that it was given before.
///
/// Passwords and codes of these domains then do not need the domain's own file; passkeys still do.
package struct AddFlatpakApp: AgentMethod {
    /// `apps.addFlatpak`.
    package static let name = "apps.addFlatpak"
    /// The application ID.
    package var identifier: String
    /// The domains: 1 to 32.
    package var domains: [String]

    /// Creates a request.
    package init(identifier: String, domains: [String]) {
        self.identifier = identifier
        self.domains = domains
    }
    /// The Flatpak with its domains.
    package typealias Result = AppRecord
}

/// Removes an app from this person's registry.
package struct RemoveApp: AgentMethod {
    /// `apps.remove`.
    package static let name = "apps.remove"
    /// The identifier, or the path.
    package var app: String
    /// Creates a request.
    package init(app: String) { self.app = app }

    /// The removed apps: one, unless several programs have the identifier.
    package struct Result: Codable, Sendable {
        /// The apps.
        package var apps: [AppRecord]
        package init(apps: [AppRecord]) { self.apps = apps }
    }
}
