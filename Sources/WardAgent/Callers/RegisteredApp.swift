internal import WardAgentClient
internal import WardDomains
internal import WardText
internal import WardWebAuthn

/// A registered app: its file, the digest of the file when it was registered, and the app's identifier and name.
struct RegisteredApp: Hashable, Sendable {
    /// The identifier by which domains list the app.
    var identifier: String
    /// What people see.
    var name: String
    /// The path of the executable, with all links resolved.
    var path: String
    /// SHA-256 of the executable in hexadecimal.
    var digest: String
    /// The only domains that the app may use.
    ///
    /// If the list is empty, the app may use all domains that list it.
    var domains: [String]

    /// Checks that all values are valid.
    ///
    /// - Throws: `AgentError` with `invalidValue`.
    func check() throws(AgentError) {
        guard AppIdentifier.isValid(identifier) else {
            throw AgentError(
                .invalidValue,
                "an app's identifier must be words separated by periods, such as com.example.shiny"
            )
        }
        guard !name.isEmpty, name == name.cleanedForPrompt else {
            throw AgentError(.invalidValue, "an app's name must be one line of 1 to 64 characters")
        }
        guard path.hasPrefix("/"), path.utf8.count < 4096 else {
            throw AgentError(.invalidValue, "an app's path must begin with /")
        }
        guard digest.utf8.count == 64,
            digest.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { throw AgentError(.invalidValue, "an app's digest must be 64 hexadecimal digits in lower case") }
        try Self.check(domains: domains)
    }

    /// Checks that a list can be the domains of an app.
    ///
    /// - Throws: `AgentError` with `invalidValue`.
    static func check(domains: [String]) throws(AgentError) {
        guard domains.count <= 32 else { throw AgentError(.invalidValue, "an app can have at most 32 domains") }
        for domain in domains {
            do {
                _ = try RelyingPartyID(domain)
            } catch {
                throw AgentError(.invalidValue, "\(domain.prefix(64)) is not a domain that an app can use: \(error)")
            }
        }
    }
}

extension RegisteredApp {
    /// Reads one app.
    ///
    /// - Throws: `WebAuthnError` naming the member that is absent or wrong, or `AgentError` with `invalidValue`.
    init(_ value: JSONValue) throws {
        let members = try JSONMembers(value, in: "app")
        identifier = try members.string("identifier")
        name = try members.string("name")
        path = try members.string("path")
        digest = try members.string("sha256")
        domains = try Self.domains(members)
        try check()
    }

    /// The domains of an app.
    static func domains(_ members: JSONMembers) throws -> [String] {
        try members.array("domains").map { domain in
            guard let text = domain.stringValue else { throw AgentError(.invalidValue, "a domain is a string") }
            return text
        }
    }

    /// The app in the form of the file.
    var value: JSONValue {
        [
            "identifier": .string(identifier), "name": .string(name), "path": .string(path), "sha256": .string(digest),
            "domains": .array(domains.map { .string($0) }),
        ]
    }

    /// The apps of a file: `{"apps": […]}`.
    static func list(_ bytes: [UInt8]) throws -> [RegisteredApp] {
        try JSONMembers(try JSONValue(bytes), in: "the file").array("apps").map { try RegisteredApp($0) }
    }

    /// The Flatpaks of a file: `{"apps": […], "flatpaks": […]}`; a file may have none.
    static func flatpaks(_ bytes: [UInt8]) throws -> [FlatpakDomains] {
        guard let value = try JSONValue(bytes)["flatpaks"] else { return [] }
        guard let flatpaks = value.arrayValue else { throw AgentError(.invalidValue, "flatpaks is a list") }
        return try flatpaks.map { try FlatpakDomains($0) }
    }

    /// A file of apps.
    static func file(_ apps: [RegisteredApp], _ flatpaks: [FlatpakDomains] = []) -> [UInt8] {
        // One app per line, so that people and version control can read the file.
        func lines(_ values: [JSONValue]) -> String {
            values.map { String(decoding: $0.serialized, as: UTF8.self) }.joined(separator: ",\n")
        }
        let more = flatpaks.isEmpty ? "" : ", \"flatpaks\": [\n\(lines(flatpaks.map(\.value)))\n]"
        return Array("{\"apps\": [\n\(lines(apps.map(\.value)))\n]\(more)}\n".utf8)
    }
}
