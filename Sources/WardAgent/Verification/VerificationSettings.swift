internal import WardCBOR
internal import WardVault

/// The settings for PIN and fingerprint.
///
/// This device stores them, encrypted with the vault's key.
struct VerificationSettings: Hashable, Sendable {
    /// The name of the file in the state folder.
    static let record = "verification"

    var pin: PINVerifier?
    var usesFingerprint = false

    /// Whether neither a PIN nor a fingerprint is set up.
    var isEmpty: Bool { pin == nil && !usesFingerprint }

    init() {}

    /// Reads the settings of this device for an open vault.
    ///
    /// They are empty if there is no file.
    init(of vault: Vault) async throws(VaultError) {
        guard let bytes = try await vault.deviceRecord(Self.record), let value = try? CBORValue.decode(bytes) else {
            return
        }
        pin = value[1]?.bytesValue.flatMap { PINVerifier(bytes: $0) }
        usesFingerprint = value[2]?.boolValue ?? false
    }

    /// Writes the settings and replaces the earlier ones.
    func keep(in vault: Vault) async throws(VaultError) {
        var fields = CBORFields()
        fields.put(1, pin.map { .bytes($0.bytes) })
        fields.put(2, usesFingerprint ? true : nil)
        try await vault.keepDeviceRecord(isEmpty ? nil : fields.encoded, Self.record)
    }
}
