internal import WardAgentClient
internal import WardDomains
internal import WardText
internal import WardWebAuthn

/// Domains that a person gave to a Flatpak app, whose ID is all that is known of it.
struct FlatpakDomains: Hashable, Sendable {
    /// The application ID.
    var identifier: String
    /// The domains whose passwords and codes it may ask for.
    var domains: [String]

    /// Whether all of it is what it should be.
    ///
    /// - Throws: `AgentError` with `invalidValue`.
    func check() throws(AgentError) {
        guard AppIdentifier.isValid(identifier) else {
            throw AgentError(
                .invalidValue,
                "a Flatpak's application ID has names with periods between, as com.example.Shiny"
            )
        }
        guard !domains.isEmpty else { throw AgentError(.invalidValue, "name at least one domain") }
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

    /// The same as it is written.
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
    /// The domains that an identifier is made of, in which its owner is at home: `example.com` for `com.example.Shiny`.
    ///
    /// They say nothing by themselves: a domain has to name the app. Public suffixes are left out.
    static func homes(_ identifier: String) -> [String] {
        // Flatpak writes hyphens as underscores.
        let names = identifier.lowercased().replacing("_", with: "-").split(separator: ".")
        guard names.count >= 2 else { return [] }
        return (2...max(2, min(names.count - 1, 4))).compactMap { count in
            try? RelyingPartyID(names.prefix(count).reversed().joined(separator: ".")).description
        }
    }
}
