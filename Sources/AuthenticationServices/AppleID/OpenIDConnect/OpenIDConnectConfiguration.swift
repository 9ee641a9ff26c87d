internal import Foundation
internal import WardFolders

/// The issuer that people sign in with when an app uses Sign in with Apple.
///
/// Sign in with Apple does not exist on Linux, and Apple's issuer does not redirect to programs on a person's machine.
/// Any other OpenID Connect issuer that supports native apps ([RFC 8252](https://www.rfc-editor.org/rfc/rfc8252))
/// works. Register the app there as a public client with the redirect URI `http://127.0.0.1/ward/signed-in`, any port.
///
/// A program configures its issuer once, at its start:
///
/// ```swift
/// ASAuthorizationAppleIDProvider.use(
/// try OpenIDConnectConfiguration(issuer: "https://id.example.com", clientID: "shiny")
/// )
/// ```
///
/// Otherwise Ward uses the file `ward/openid-connect.json` in `$XDG_CONFIG_HOME`, or in `~/.config`:
///
/// ```json
/// { "issuer": "https://id.example.com", "clientID": "shiny" }
/// ```
public struct OpenIDConnectConfiguration: Hashable, Sendable {
    /// The issuer: `https://` and a host, without query and fragment; `http://` only for this machine.
    public let issuer: String
    /// The app's client ID at the issuer.
    public let clientID: String
    let clientSecret: Secret?

    /// A client secret.
    ///
    /// Descriptions never contain it.
    struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
        let text: String
        var description: String { "…" }
        var debugDescription: String { description }
    }

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - issuer: The issuer's address, exactly as in its identity tokens.
    ///   - clientID: The app's client ID: 1 to 256 printable ASCII characters.
    ///   - clientSecret: The client secret, for issuers without public clients. A secret that is distributed with a
    ///     program is not secret.
    ///
    /// - Throws: ``ASAuthorizationError`` with `notHandled` that says what is wrong.
    public init(issuer: String, clientID: String, clientSecret: String? = nil) throws(ASAuthorizationError) {
        guard OpenIDConnectAddress.isAllowed(issuer, allowingQuery: false) else {
            throw .configuration("the issuer must be an https:// address without query and fragment")
        }
        guard (1...256).contains(clientID.utf8.count), clientID.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .configuration("the clientID must be 1 to 256 printable ASCII characters")
        }
        if let clientSecret {
            guard (1...1024).contains(clientSecret.utf8.count) else {
                throw .configuration("the clientSecret must have 1 to 1024 bytes")
            }
        }
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret.map { Secret(text: $0) }
    }

    // MARK: The file

    /// Reads the person's configuration file.
    ///
    /// - Returns: The configuration, or `nil` if there is no file.
    /// - Throws: ``ASAuthorizationError`` with `notHandled` if the file is not valid, or if other users can read a
    ///   secret in it.
    public static func ofPerson() throws(ASAuthorizationError) -> OpenIDConnectConfiguration? {
        try read(from: BaseFolders.ofThisProcess.config + "/ward/openid-connect.json")
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
            throw .configuration("\(path) must contain {\"issuer\": \"https://…\", \"clientID\": \"…\"}")
        }
        if file.clientSecret != nil {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 == 0 else {
                throw .configuration("other users can read the secret in \(path): run chmod 600 on it")
            }
        }
        do {
            return try Self(issuer: file.issuer, clientID: file.clientID, clientSecret: file.clientSecret)
        } catch {
            throw .configuration("\(path): \(error.failureReason ?? "it is not valid")")
        }
    }
}

extension ASAuthorizationAppleIDProvider {
    /// Sets the issuer for this program; `nil` uses the person's configuration.
    public static func use(_ configuration: OpenIDConnectConfiguration?) {
        AppleIDAuthorization.install(configuration.map { OpenIDConnectAuthorization($0) })
    }
}

extension ASAuthorizationError {
    static func configuration(_ sentence: String) -> Self { Self(.notHandled, sentence) }
    /// The error for an answer that fails a check.
    static func refused(_ sentence: String) -> Self { Self(.failed, "the issuer's answer is refused: \(sentence)") }
    /// The error for an issuer that cannot be reached.
    static func unreachable(_ sentence: String) -> Self { Self(.failed, sentence) }
}
