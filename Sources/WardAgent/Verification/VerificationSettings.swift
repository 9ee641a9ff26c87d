internal import WardCBOR
internal import WardVault

/// What the person set up to show who they are without the passphrase; kept by this device, sealed with the vault's key.
struct VerificationSettings: Hashable, Sendable {
    /// The file in the state folder.
    static let record = "verification"

    var pin: PINVerifier?
    var usesFingerprint = false

    /// Whether there is nothing but the passphrase.
    var isEmpty: Bool { pin == nil && !usesFingerprint }

    init() {}

    /// Reads what an open vault's device keeps; empty where there is nothing.
    init(of vault: Vault) async throws(VaultError) {
        guard let bytes = try await vault.deviceRecord(Self.record), let value = try? CBORValue.decode(bytes) else {
            return
        }
        pin = value[1]?.bytesValue.flatMap { PINVerifier(bytes: $0) }
        usesFingerprint = value[2]?.boolValue ?? false
    }

    /// Keeps it, in place of what was there.
    func keep(in vault: Vault) async throws(VaultError) {
        var fields = CBORFields()
        fields.put(1, pin.map { .bytes($0.bytes) })
        fields.put(2, usesFingerprint ? true : nil)
        try await vault.keepDeviceRecord(isEmpty ? nil : fields.encoded, Self.record)
    }
}
