internal import CArgon2

/// Argon2id (RFC 9106) with any number of lanes.
///
/// libsodium, which the vault uses, has only one lane.
struct Argon2 {
    var salt: [UInt8]
    /// In KiB.
    var memory: UInt32
    var passes: UInt32
    var lanes: UInt32

    /// The hash of a passphrase: 32 bytes.
    ///
    /// - Throws: ``ImportError`` with `tooLarge` if there is not enough memory.
    func hash(_ passphrase: [UInt8]) throws(ImportError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 32)
        let status = unsafe argon2id_hash_raw(
            passes,
            memory,
            lanes,
            passphrase,
            passphrase.count,
            salt,
            salt.count,
            &output,
            output.count
        )
        guard status == ARGON2_OK.rawValue else {
            throw ImportError(.tooLarge, "there is not enough memory to derive the key of the file")
        }
        return output
    }
}
