internal import WardText
internal import WardWebAuthn

/// The document of `/.well-known/apple-app-site-association`: the apps that may use the domain's passkeys and
/// passwords.
///
/// Serve it at the RP ID's own host with status 200, `application/json` and without a redirect. [Supporting associated
/// domains](https://developer.apple.com/documentation/xcode/supporting-associated-domains)
public struct AppleAppSiteAssociation: Hashable, Sendable {
    /// The apps: team identifier (ten characters), a period, bundle identifier.
    public let apps: [String]

    /// Creates a document.
    ///
    /// - Parameter apps: App identifiers such as `ABCDE12345.com.example.app`.
    /// - Throws: ``RelyingPartyConfigurationError`` for an identifier in another form.
    public init(apps: [String]) throws(RelyingPartyConfigurationError) {
        for app in apps {
            let parts = app.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].utf8.count == 10,
                parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) }),
                (try? Origin("ios:bundle-id:\(parts[1])")) != nil
            else {
                throw RelyingPartyConfigurationError(
                    "\(app) is not an app identifier: write TEAMID1234.bundle.identifier"
                )
            }
        }
        self.apps = apps
    }

    /// The document's text.
    public var json: [UInt8] {
        let value: JSONValue = ["webcredentials": ["apps": .array(apps.map { .string($0) })]]
        return value.serialized
    }

    /// Whether a document lets an app use the domain's credentials.
    ///
    /// - Parameters:
    ///   - document: The fetched bytes; the caller limits their size.
    ///   - app: The app's identifier.
    /// - Returns: Whether the document lists the app; `false` if the document is malformed.
    public static func allows(document: [UInt8], app: String) -> Bool {
        guard let apps = (try? JSONValue(document))?["webcredentials"]?["apps"]?.arrayValue else { return false }
        return apps.contains(.string(app))
    }
}
