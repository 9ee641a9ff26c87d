internal import WardAgentClient
internal import WardDomains
internal import WardText
internal import WardWebAuthn

/// The domains that a person gave to a Flatpak app.
///
/// The app is known only by its ID.
struct FlatpakDomains: Hashable, Sendable {
    /// The application ID.
    var identifier: String
    /// The domains whose passwords and codes the app may request.
    var domains: [String]

    /// Checks that all values are valid.
    ///
    /// - Throws: `AgentError` with `invalidValue`.
    func check() throws(AgentError) {
        guard AppIdentifier.isValid(identifier) else {
            throw AgentError(
                .invalidValue,
                "a Flatpak's application ID must be words separated by periods, such as com.example.Shiny"
            )
        }
        guard !domains.isEmpty else { throw AgentError(.invalidValue, "at least one domain is required: add --domain") }
        try RegisteredApp.check(domains: domains)
    }

    init(identifier: String, domains: [String]) {
        self.identifier = identifier
        self.domains = domains
    }

    /// Reads one.
    ///
    /// - Throws: `WebAuthnError` naming the member that is absent or wrong, or `AgentError` with `invalidValue`.
    init(_ value: JSONValue) throws {
        let members = try JSONMembers(value, in: "Flatpak")
        identifier = try members.string("identifier")
        domains = try RegisteredApp.domains(members)
        try check()
    }

    /// The same values in the form of the file.
    var value: JSONValue {
        ["identifier": .string(identifier), "domains": .array(domains.map { .string($0) })]
    }
}

extension AppRecord {
    init(_ flatpak: FlatpakDomains) {
        self.init(
            identifier: flatpak.identifier,
            displayName: flatpak.identifier,
            path: "",
            digest: "",
            domains: flatpak.domains,
            state: .ok,
            isAdministrators: false,
            isFlatpak: true
        )
    }
}

extension AppIdentifier {
    /// The domains that the parts of an identifier form: `example.com` for `com.example.Shiny`.
    ///
    /// Usually they belong to the app's owner.
    ///
    /// They count only if the domain lists the app. Public suffixes are left out.
    static func homes(_ identifier: String) -> [String] {
        // In application IDs, Flatpak writes hyphens as underscores.
        let names = identifier.lowercased().replacing("_", with: "-").split(separator: ".")
        guard names.count >= 2 else { return [] }
        return (2...max(2, min(names.count - 1, 4))).compactMap { count in
            try? RelyingPartyID(names.prefix(count).reversed().joined(separator: ".")).description
        }
    }
}
