internal import WardText
public import WardWebAuthn

/// The document of `/.well-known/assetlinks.json`: the Android apps that may use the domain's passkeys and passwords.
///
/// Serve it at the RP ID's own host with status 200, `application/json` and without a redirect. [Digital Asset
/// Links](https://developers.google.com/digital-asset-links/v1/getting-started)
public struct AssetLinks: Hashable, Sendable {
    /// An app: its package name and its signing certificates.
    public struct App: Hashable, Sendable {
        /// The package name, such as `com.example.app`.
        public let package: String
        /// SHA-256 digests of the signing certificates, 32 bytes each.
        public let certificateHashes: [[UInt8]]

        /// Creates an app.
        ///
        /// - Parameters:
        ///   - package: Letters, digits, underscores and periods; at least two parts.
        ///   - certificateHashes: At least one, 32 bytes each.
        /// - Throws: ``RelyingPartyConfigurationError`` for values in another form.
        public init(package: String, certificateHashes: [[UInt8]]) throws(RelyingPartyConfigurationError) {
            let parts = package.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
            let isSound =
                parts.count >= 2
                && parts.allSatisfy { part in
                    !part.isEmpty
                        && part.allSatisfy {
                            $0 == 0x5f || Character(Unicode.Scalar($0)).isLetter || (0x30...0x39).contains($0)
                        }
                }
            guard isSound, package.utf8.count <= 255, package.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw RelyingPartyConfigurationError("\(package) is not a package name")
            }
            guard !certificateHashes.isEmpty, certificateHashes.allSatisfy({ $0.count == 32 }) else {
                throw RelyingPartyConfigurationError(
                    "\(package) needs at least one SHA-256 digest of its certificates, 32 bytes each"
                )
            }
            self.package = package
            self.certificateHashes = certificateHashes
        }

        /// The app's origins in client data.
        ///
        /// Add them to the relying party's origins.
        public var origins: [Origin] { certificateHashes.map { .android(apkKeyHash: $0) } }
    }

    /// The apps.
    public let apps: [App]
    /// Whether the apps may also open the domain's links.
    ///
    /// [Android's documentation](https://developer.android.com/identity/credential-manager/prerequisites) asks for both
    /// permissions, and some credential managers look for this one.
    public let opensLinks: Bool

    /// Creates a document.
    ///
    /// - Parameters:
    ///   - apps: The apps.
    ///   - opensLinks: Whether the apps may also open the domain's links.
    public init(apps: [App], opensLinks: Bool = false) {
        self.apps = apps
        self.opensLinks = opensLinks
    }

    /// The document's text.
    ///
    /// Each app may use the domain's credentials, and open the domain's links if ``opensLinks`` is `true`.
    public var json: [UInt8] {
        let relations: [JSONValue] =
            (opensLinks ? ["delegate_permission/common.handle_all_urls"] : [])
            + ["delegate_permission/common.get_login_creds"]
        let statements = apps.map { app -> JSONValue in
            [
                "relation": .array(relations),
                "target": [
                    "namespace": "android_app", "package_name": .string(app.package),
                    "sha256_cert_fingerprints": .array(app.certificateHashes.map { .string(Self.fingerprint($0)) }),
                ],
            ]
        }
        return JSONValue.array(statements).serialized
    }

    private static func fingerprint(_ hash: [UInt8]) -> String {
        hash.map { Hex.encode([$0], uppercase: true) }.joined(separator: ":")
    }
}
