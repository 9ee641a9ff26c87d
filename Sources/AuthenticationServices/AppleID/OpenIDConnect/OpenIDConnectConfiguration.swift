internal import Foundation

/// The issuer that people sign in with when an app asks for Sign in with Apple.
///
/// Apple's own sign-in is not on Linux, and Apple's issuer redirects to no program on a person's machine; any other OpenID
/// Connect issuer that knows native apps ([RFC 8252](https://www.rfc-editor.org/rfc/rfc8252)) will do. The issuer registers the app as a
/// public client with the redirect URI `http://127.0.0.1/ward/signed-in`, any port.
///
/// A program names its issuer once, where it starts:
///
/// ```swift
/// ASAuthorizationAppleIDProvider.use(
///     try OpenIDConnectConfiguration(issuer: "https://id.example.com", clientID: "shiny")
/// )
/// ```
///
/// Otherwise the file `ward/openid-connect.json` in `$XDG_CONFIG_HOME`, or in `~/.config`, counts:
///
/// ```json
/// { "issuer": "https://id.example.com", "clientID": "shiny" }
/// ```
public struct OpenIDConnectConfiguration: Hashable, Sendable {
    /// The issuer: `https://`, a host, no query and no fragment; `http://` for this machine alone.
    public let issuer: String
    /// What the issuer calls the app.
    public let clientID: String
    let clientSecret: Secret?

    /// A secret that no description shows.
    struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
        let text: String
        var description: String { "…" }
        var debugDescription: String { description }
    }

    /// Describes an issuer.
    ///
    /// - Parameters:
    ///   - issuer: Its address, just as it writes itself in its identity tokens.
    ///   - clientID: What it calls the app: 1 to 256 printable ASCII characters.
    ///   - clientSecret: What it wants to hear from the app besides; for issuers that know no public clients, since a secret that
    ///     is handed out with a program is none.
    /// - Throws: ``ASAuthorizationError`` with `notHandled` and what is wrong with it.
    public init(issuer: String, clientID: String, clientSecret: String? = nil) throws(ASAuthorizationError) {
        guard OpenIDConnectAddress.isAllowed(issuer, allowingQuery: false) else {
            throw .configuration("the issuer has to be an https:// address without query and fragment")
        }
        guard (1...256).contains(clientID.utf8.count), clientID.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .configuration("the clientID has to be 1 to 256 printable ASCII characters")
        }
        if let clientSecret {
            guard (1...1024).contains(clientSecret.utf8.count) else {
                throw .configuration("the clientSecret has to have 1 to 1024 bytes")
            }
        }
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret.map { Secret(text: $0) }
    }

    // MARK: The file

    /// Reads the person's configuration.
    ///
    /// - Returns: The configuration, or `nil` when there is no such file.
    /// - Throws: ``ASAuthorizationError`` with `notHandled` when the file is there and cannot be used, or holds a secret and others may
    ///   read it.
    public static func ofPerson() throws(ASAuthorizationError) -> OpenIDConnectConfiguration? {
        try read(from: folder(ProcessInfo.processInfo.environment) + "/openid-connect.json")
    }

    package static func folder(_ environment: [String: String]) -> String {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + "/ward" }
        return NSHomeDirectory() + "/.config/ward"
    }

    private struct File: Decodable {
        let issuer: String
        let clientID: String
        let clientSecret: String?
    }

    package static func read(from path: String) throws(ASAuthorizationError) -> OpenIDConnectConfiguration? {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            guard !FileManager.default.fileExists(atPath: path) else { throw .configuration("\(path) cannot be read") }
            return nil
        }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: 16_384),
            let file = try? JSONDecoder().decode(File.self, from: data)
        else {
            throw .configuration("\(path) has to hold {\"issuer\": \"https://…\", \"clientID\": \"…\"}")
        }
        if file.clientSecret != nil {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 == 0 else {
                throw .configuration("others may read the secret in \(path): chmod 600 it")
            }
        }
        do {
            return try Self(issuer: file.issuer, clientID: file.clientID, clientSecret: file.clientSecret)
        } catch {
            throw .configuration("\(path): \(error.failureReason ?? "it cannot be used")")
        }
    }
}

extension ASAuthorizationAppleIDProvider {
    /// Says which issuer people sign in with from now on, in this program; `nil` for the one that the person configured.
    public static func use(_ configuration: OpenIDConnectConfiguration?) {
        AppleIDAuthorization.install(configuration.map { OpenIDConnectAuthorization($0) })
    }
}

extension ASAuthorizationError {
    static func configuration(_ sentence: String) -> Self { Self(.notHandled, sentence) }
    /// The issuer, or somebody who pretends to be it, said what it must not.
    static func refused(_ sentence: String) -> Self { Self(.failed, "the issuer's answer is refused: \(sentence)") }
    /// The issuer could not be asked.
    static func unreachable(_ sentence: String) -> Self { Self(.failed, sentence) }
}
