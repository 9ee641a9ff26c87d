import WardAttestation

/// What the service takes from the BLOB of the FIDO Metadata Service, which is read once.
struct ConfiguredAuthenticators {
    /// The metadata for rules.
    ///
    /// With `nil` no rule asks for it, and it does not stay in memory.
    let metadata: AuthenticatorMetadata?
    /// The pictures for the account page.
    let icons: ProviderIcons

    /// - Parameters:
    ///   - path: The path of the BLOB.
    ///   - isNeeded: Whether a rule asks for attestation.
    ///   - anchors: The roots that the signer of the BLOB must lead to.
    ///   - now: Seconds since 1970.
    /// - Throws: ``ServerConfigurationError`` for a file that is not such a BLOB.
    init(
        _ path: String?,
        isNeeded: Bool,
        anchors: TrustAnchors,
        at now: Int64
    ) throws(ServerConfigurationError) {
        guard let path else {
            (metadata, icons) = (nil, .none)
            return
        }
        let file = MetadataFile(path, anchors: anchors)
        // Before the file is read: a change meanwhile is then seen the next time.
        let version = file.version
        let blob = try file.read(at: now)
        metadata = isNeeded ? AuthenticatorMetadata(file, version, blob, at: now) : nil
        icons = ProviderIcons(blob.entries)
    }
}
