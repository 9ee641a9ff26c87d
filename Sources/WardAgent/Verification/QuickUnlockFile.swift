internal import Foundation
internal import WardCBOR
internal import WardVault

/// What this device keeps so that a PIN and the TPM open the vault: `quick-unlock` in the state folder.
///
/// Nothing in it opens anything without this machine's TPM. `Documentation/formats/vault.md`, "Quick unlock".
struct QuickUnlockFile: Hashable, Sendable {
    /// What a typed passphrase renews: good until the machine is started anew, for 14 days at most.
    struct Pass: Hashable, Sendable {
        /// The rule that the TPM opens `sealedKey` under.
        var resets: UInt32
        var until: UInt64
        /// A key of 32 bytes, sealed by the TPM.
        var sealedKey: [UInt8]
        /// The vault's keys: sealed to the public key below, and then with the key above.
        var encapsulated: [UInt8]
        var ciphertext: [UInt8]
    }

    static let name = "quick-unlock"
    private static let maximumLength = 16_384

    /// The vault that it opens.
    var vault: [UInt8]
    /// X25519, the public half of `sealedPrivateKey`.
    var publicKey: [UInt8]
    /// The private half, sealed by the TPM under the PIN.
    var sealedPrivateKey: [UInt8]
    /// There is one after the passphrase was typed.
    var pass: Pass?

    init(vault: [UInt8], publicKey: [UInt8], sealedPrivateKey: [UInt8]) {
        (self.vault, self.publicKey, self.sealedPrivateKey) = (vault, publicKey, sealedPrivateKey)
    }

    /// Reads the file, or returns `nil` if there is no such file or Ward did not write it.
    init?(path: String) {
        guard let bytes = try? SmallFile.read(path, limit: Self.maximumLength),
            let value = try? CBORValue.decode(bytes), value[0]?.integerValue == 1,
            let vault = value[1]?.bytesValue, let publicKey = value[2]?.bytesValue,
            let sealedPrivateKey = value[3]?.bytesValue
        else { return nil }
        self.init(vault: vault, publicKey: publicKey, sealedPrivateKey: sealedPrivateKey)
        pass = value[4].flatMap { Pass($0) }
    }

    /// Puts the file in place.
    func write(_ path: String) throws(VaultError) {
        var fields = CBORFields()
        fields.put(0, 1)
        fields.put(1, .bytes(vault))
        fields.put(2, .bytes(publicKey))
        fields.put(3, .bytes(sealedPrivateKey))
        fields.put(4, pass?.cbor)
        try SmallFile.replace(path, with: fields.encoded)
    }
}

extension QuickUnlockFile.Pass {
    fileprivate var cbor: CBORValue {
        [
            .unsigned(UInt64(resets)), .unsigned(until), .bytes(sealedKey), .bytes(encapsulated), .bytes(ciphertext),
        ]
    }

    fileprivate init?(_ value: CBORValue) {
        guard let parts = value.arrayValue, parts.count == 5,
            let resets = parts[0].integerValue.flatMap({ UInt32(exactly: $0) }),
            let until = parts[1].integerValue.flatMap({ UInt64(exactly: $0) }),
            let sealedKey = parts[2].bytesValue, let encapsulated = parts[3].bytesValue,
            let ciphertext = parts[4].bytesValue
        else { return nil }
        self.init(
            resets: resets,
            until: until,
            sealedKey: sealedKey,
            encapsulated: encapsulated,
            ciphertext: ciphertext
        )
    }
}
