internal import Foundation
internal import WardCBOR
internal import WardVault

/// The file that this device needs to open the vault with a PIN and the TPM: `quick-unlock` in the state folder.
///
/// The file opens nothing without this machine's TPM. `Documentation/formats/vault.md`, "Quick unlock".
struct QuickUnlockFile: Hashable, Sendable {
    /// The part that is created again when the passphrase is typed.
    ///
    /// It works until the next restart of the machine, for 14 days at most.
    struct Pass: Hashable, Sendable {
        /// The rule under which the TPM opens `sealedKey`.
        var resets: UInt32
        var until: UInt64
        /// A key of 32 bytes, encrypted by the TPM.
        var sealedKey: [UInt8]
        /// The vault's keys, encrypted with two keys: first to the public key below, then with the key above.
        var encapsulated: [UInt8]
        var ciphertext: [UInt8]
    }

    static let name = "quick-unlock"
    private static let maximumLength = 16_384

    /// The ID of the vault that it opens.
    var vault: [UInt8]
    /// The X25519 public key that belongs to `sealedPrivateKey`.
    var publicKey: [UInt8]
    /// The private key, encrypted by the TPM and protected by the PIN.
    var sealedPrivateKey: [UInt8]
    /// It is `nil` until the person types the passphrase.
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

    /// Writes the file.
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
