import Foundation
import WardText

/// A provider of identities where people of this service may sign in: Google, Apple, or any OpenID provider.
package struct IdentityProvider: Sendable {
    /// How the token endpoint learns that this service asks.
    package enum Authentication: Sendable {
        /// The secret in the header field `Authorization` (RFC 6749, section 2.3.1).
        case basic(ClientSecret)
        /// The secret in the form.
        case post(ClientSecret)
        /// The secret in the header field, or in the form if the provider supports only that.
        case secret(ClientSecret)
        /// A signed token in the form, in place of a secret, as Apple wants it.
        case signed(ProviderSecretKey)
    }

    /// How the provider's answer comes back.
    package enum ResponseMode: String, Sendable {
        /// In the query of the redirect URI.
        case query
        /// In a form that the browser posts to the redirect URI.
        case formPost = "form_post"
    }

    /// The service's own name for the provider: 1 to 32 letters in lower case, digits and hyphens.
    package let id: String
    /// The name that the pages show.
    package let name: String
    /// The issuer, exactly as the provider spells it.
    package let issuer: String
    /// The ID that this service has at the provider.
    package let clientID: String
    package let authentication: Authentication
    /// The scopes that are asked for.
    package let scopes: [String]
    package let responseMode: ResponseMode
}

/// A client secret, which no text shows.
package struct ClientSecret: Sendable, CustomStringConvertible, CustomReflectable {
    let text: String

    package init(_ text: String) { self.text = text }

    package var description: String { "ClientSecret(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The providers of a settings file.
package struct IdentityProviders: Sendable {
    /// The most providers.
    private static let most = 8
    private static let setting = "--identity-providers"

    /// The providers, in the order of the file, which is the order on the pages.
    package let all: [IdentityProvider]

    /// No providers.
    package static let none = Self(all: [])

    private init(all: [IdentityProvider]) { self.all = all }

    /// Reads the file, and the files with secrets that it names.
    ///
    /// - Parameter path: The file's path. Relative paths in the file begin at its folder.
    /// - Throws: ``ServerConfigurationError`` that says what is wrong. It has no part of a secret.
    package init(path: String) throws(ServerConfigurationError) {
        guard let content = FileManager.default.contents(atPath: path) else {
            throw ServerConfigurationError("\(Self.setting): \(path) cannot be read")
        }
        let folder = (path as NSString).deletingLastPathComponent
        try self.init([UInt8](content), from: path) { name, setting throws(ServerConfigurationError) in
            try SecretFile.read(
                name.hasPrefix("/") ? name : (folder as NSString).appendingPathComponent(name),
                of: setting
            )
        }
    }

    /// Reads the content of the file.
    ///
    /// - Parameters:
    ///   - content: JSON.
    ///   - path: The file's path, for errors.
    ///   - secret: Reads a file with a secret, for a setting.
    /// - Throws: ``ServerConfigurationError``.
    package init(
        _ content: [UInt8],
        from path: String,
        secret: (_ path: String, _ setting: String) throws(ServerConfigurationError) -> [UInt8]
    ) throws(ServerConfigurationError) {
        let entries: [JSONValue]
        do {
            guard let found = try JSONValue(content)["providers"]?.arrayValue else {
                throw ServerConfigurationError(
                    "\(Self.setting): \(path) must be a JSON object with the list \"providers\""
                )
            }
            entries = found
        } catch let error as ServerConfigurationError {
            throw error
        } catch {
            throw ServerConfigurationError("\(Self.setting): \(path) is not valid JSON")
        }
        guard entries.count <= Self.most else {
            throw ServerConfigurationError("\(Self.setting): \(path) has more than \(Self.most) providers")
        }
        var all: [IdentityProvider] = []
        for (index, entry) in entries.enumerated() {
            let reader = ProviderReader(entry, "\(Self.setting): \(path): provider \(index + 1)")
            let provider = try reader.provider(secret)
            guard !all.contains(where: { $0.id == provider.id }) else {
                throw reader.wrong("id", "another provider has the same ID")
            }
            // Linked accounts are found by the issuer, so it must say which provider they belong to.
            guard !all.contains(where: { $0.issuer == provider.issuer }) else {
                throw reader.wrong("issuer", "another provider has the same issuer")
            }
            all.append(provider)
        }
        self.all = all
    }

    /// The names by issuer.
    package var names: [String: String] {
        Dictionary(all.map { ($0.issuer, $0.name) }) { first, _ in first }
    }

    /// The provider with an ID.
    package subscript(id: String) -> IdentityProvider? { all.first { $0.id == id } }

    /// The provider with an issuer.
    package func provider(issuer: String) -> IdentityProvider? { all.first { $0.issuer.isSame(as: issuer) } }
}

/// Reads one provider of the settings file.
private struct ProviderReader {
    private static let known: Set<String> = [
        "id", "name", "issuer", "clientID", "clientSecretFile", "signingKeyFile", "signingKeyID", "teamID",
        "authentication", "scopes", "responseMode",
    ]

    private let value: JSONValue
    private let place: String

    init(_ value: JSONValue, _ place: String) {
        self.value = value
        self.place = place
    }

    func wrong(_ member: String, _ reason: String) -> ServerConfigurationError {
        ServerConfigurationError("\(place): \"\(member)\": \(reason)")
    }

    func provider(
        _ secret: (String, String) throws(ServerConfigurationError) -> [UInt8]
    ) throws(ServerConfigurationError) -> IdentityProvider {
        guard let members = value.objectValue else { throw ServerConfigurationError("\(place) must be a JSON object") }
        if let other = members.first(where: { !Self.known.contains($0.name) }) {
            let name = other.name.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic }
            throw ServerConfigurationError(
                "\(place): \"\(String(String.UnicodeScalarView(name.prefix(64))))\" is no setting of a provider; the "
                    + "settings are \(Self.known.sorted().joined(separator: ", "))"
            )
        }
        let id = try text("id", most: 32)
        guard id.utf8.allSatisfy({ isASCIILetterOrDigit($0) || $0 == UInt8(ascii: "-") }) else {
            throw wrong("id", "it must have only the letters a to z, digits and hyphens")
        }
        let name = try text("name", most: 64)
        guard FederatedIdentity(issuer: "", subject: "", label: name).label == name else {
            throw wrong("name", "it must have only characters that can be shown")
        }
        let issuer = try text("issuer", most: WebAddress.maximumLength)
        if let problem = WebAddress.problem(issuer) { throw wrong("issuer", problem) }
        guard !issuer.contains("?") else { throw wrong("issuer", "it must not have a query") }
        let clientID = try text("clientID", most: 255)
        guard clientID.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw wrong("clientID", "it must have only printable ASCII characters")
        }
        let authentication = try authentication(clientID, issuer, secret)
        let scopes = try scopes()
        return IdentityProvider(
            id: id,
            name: name,
            issuer: issuer,
            clientID: clientID,
            authentication: authentication,
            scopes: scopes,
            responseMode: try responseMode(authentication, scopes)
        )
    }

    private func isASCIILetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private func optional(_ name: String, most: Int) throws(ServerConfigurationError) -> String? {
        guard let found = value[name] else { return nil }
        guard let text = found.stringValue, (1...most).contains(text.unicodeScalars.count) else {
            throw wrong(name, "it must be a string of 1 to \(most) characters")
        }
        return text
    }

    private func text(_ name: String, most: Int) throws(ServerConfigurationError) -> String {
        guard let text = try optional(name, most: most) else { throw wrong(name, "it is missing") }
        return text
    }

    private func authentication(
        _ clientID: String,
        _ issuer: String,
        _ secret: (String, String) throws(ServerConfigurationError) -> [UInt8]
    ) throws(ServerConfigurationError) -> IdentityProvider.Authentication {
        let method = try optional("authentication", most: 64)
        if let file = try optional("signingKeyFile", most: 4_096) {
            guard value["clientSecretFile"] == nil, method == nil else {
                throw wrong("signingKeyFile", "leave out clientSecretFile and authentication, or this setting")
            }
            let bytes = try secret(file, "\(place): \"signingKeyFile\"")
            guard
                let key = ProviderSecretKey(
                    pem: bytes,
                    keyID: try text("signingKeyID", most: 64),
                    teamID: try text("teamID", most: 64),
                    clientID: clientID,
                    issuer: issuer
                )
            else { throw wrong("signingKeyFile", "the file must have a private key for ES256 in PEM form") }
            return .signed(key)
        }
        guard value["signingKeyID"] == nil, value["teamID"] == nil else {
            throw wrong("signingKeyFile", "it is missing")
        }
        let file = try text("clientSecretFile", most: 4_096)
        let bytes = try secret(file, "\(place): \"clientSecretFile\"")
        guard bytes.count <= 4_096, let whole = String(validating: bytes, as: UTF8.self) else {
            throw wrong("clientSecretFile", "the file is too large, or is no text")
        }
        let text = whole.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw wrong("clientSecretFile", "the file must have one line of printable ASCII characters")
        }
        switch method {
        case nil: return .secret(ClientSecret(text))
        case "client_secret_basic"?: return .basic(ClientSecret(text))
        case "client_secret_post"?: return .post(ClientSecret(text))
        default: throw wrong("authentication", "it must be client_secret_basic or client_secret_post")
        }
    }

    private func scopes() throws(ServerConfigurationError) -> [String] {
        guard let found = value["scopes"] else { return ["openid", "email"] }
        let words = found.arrayValue?.compactMap(\.stringValue) ?? []
        // RFC 6749, section 3.3.
        let isRight = words.allSatisfy { word in
            !word.isEmpty && word.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
        }
        guard isRight, words.count == found.arrayValue?.count, words.count <= 16, words.contains("openid") else {
            throw wrong("scopes", "it must be a list of scopes with openid among them")
        }
        return words
    }

    private func responseMode(
        _ authentication: IdentityProvider.Authentication,
        _ scopes: [String]
    ) throws(ServerConfigurationError) -> IdentityProvider.ResponseMode {
        guard let word = try optional("responseMode", most: 64) else {
            // Apple answers with a form if it is asked for more than the subject.
            if case .signed = authentication, scopes != ["openid"] { return .formPost }
            return .query
        }
        guard let mode = IdentityProvider.ResponseMode(rawValue: word) else {
            throw wrong("responseMode", "it must be query or form_post")
        }
        return mode
    }
}
