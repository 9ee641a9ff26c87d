import WardRelyingParty
import WardText

extension AssetLinks {
    /// Reads the apps of the settings.
    ///
    /// Entries of one package become one app with several certificates. It is `nil` if there are no entries.
    ///
    /// - Parameter entries: The apps, as `PACKAGE=FINGERPRINT`.
    /// - Throws: ``ServerConfigurationError`` for an entry in another form.
    init?(_ entries: [String]) throws(ServerConfigurationError) {
        var packages: [String] = []
        var certificates: [String: [[UInt8]]] = [:]
        for entry in entries {
            let parts = entry.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let hash = Self.fingerprint(parts[1]) else {
                throw ServerConfigurationError(
                    "\(entry) is not an Android app: write PACKAGE=FINGERPRINT, with the 32 bytes of the SHA-256 fingerprint that "
                        + "apksigner verify --print-certs prints"
                )
            }
            if certificates[parts[0]] == nil { packages.append(parts[0]) }
            if certificates[parts[0]]?.contains(hash) != true { certificates[parts[0], default: []].append(hash) }
        }
        guard !packages.isEmpty else { return nil }
        do {
            let apps = try packages.map { package throws(RelyingPartyConfigurationError) in
                try App(package: package, certificateHashes: certificates[package] ?? [])
            }
            self.init(apps: apps, opensLinks: true)
        } catch {
            throw ServerConfigurationError(error.description)
        }
    }

    /// The apps' origins in client data.
    var originTexts: [String] { apps.flatMap { app in app.origins.map { "\($0)" } } }

    /// A fingerprint of 32 bytes: pairs of hexadecimal digits, all or none of them with a colon between them.
    private static func fingerprint(_ text: String) -> [UInt8]? {
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.count == 1 || pairs.allSatisfy({ $0.utf8.count == 2 }), let bytes = Hex.decode(pairs.joined()),
            bytes.count == 32
        else { return nil }
        return bytes
    }
}
