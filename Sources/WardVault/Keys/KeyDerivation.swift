internal import CSodium
internal import WardCBOR

/// The derivation of a key from a passphrase: Argon2id (RFC 9106) and its cost.
struct KeyDerivation: Hashable, Sendable {
    /// The number of passes.
    var passes: Int
    /// The memory, in KiB.
    var memory: Int
    /// Sixteen random bytes.
    var salt: [UInt8]

    /// The cost for new vaults: 3 passes over 64 MiB.
    ///
    /// RFC 9106, section 4, second recommended option, with one lane.
    static let standard = (passes: 3, memory: 65_536)
    static let saltLength = 16
    static let outputLength = 32

    /// The accepted cost, no matter what a file says.
    ///
    /// It is never weaker than the standard, and never so high that a crafted file could block the machine.
    static let acceptedPasses = 3...64
    static let acceptedMemory = 65_536...1_048_576

    init(passes: Int = standard.passes, memory: Int = standard.memory, salt: [UInt8]) {
        self.passes = passes
        self.memory = memory
        self.salt = salt
    }

    /// Refuses costs outside the limits.
    func check() throws(VaultError) {
        guard Self.acceptedPasses.contains(passes), Self.acceptedMemory.contains(memory), salt.count == Self.saltLength
        else {
            throw VaultError(
                .weakKeyDerivation,
                "the file requires Argon2id with \(passes) passes over \(memory) KiB; 3 to 64 passes over 65536 to 1048576 "
                    + "KiB are accepted"
            )
        }
    }

    /// The form in the header.
    ///
    /// The derived keys are bound to it. Algorithm 1 is Argon2id version 1.3 with one lane.
    var cbor: CBORValue {
        [1, .integer(Int64(passes)), .integer(Int64(memory)), 1, .bytes(salt)]
    }

    init(_ value: CBORValue) throws(VaultError) {
        guard let parts = value.arrayValue, parts.count == 5, parts[0].integerValue == 1, parts[3].integerValue == 1,
            let passes = parts[1].integerValue, let memory = parts[2].integerValue, let salt = parts[4].bytesValue
        else { throw VaultError(.damaged, "the header's key derivation is unknown") }
        self.init(passes: Int(clamping: passes), memory: Int(clamping: memory), salt: salt)
    }

    /// Runs Argon2id on the caller's thread.
    ///
    /// It takes about a tenth of a second.
    ///
    /// - Throws: ``VaultError`` with `weakKeyDerivation`, or `unavailable` if there is not enough memory.
    func run(_ passphrase: LockedBytes) throws(VaultError) -> LockedBytes {
        try check()
        let (passes, memory, salt) = (UInt64(passes), memory * 1024, salt)
        return try unsafe LockedBytes(count: Self.outputLength) { (output) throws(VaultError) in
            guard LockedBytes.isReady, let target = output.baseAddress else {
                throw VaultError(.unavailable, "libsodium could not be initialised")
            }
            let result: CInt = unsafe passphrase.withBytes { input in
                guard let source = input.baseAddress else { return -1 }
                return unsafe crypto_pwhash(
                    target.assumingMemoryBound(to: UInt8.self),
                    UInt64(output.count),
                    source.assumingMemoryBound(to: CChar.self),
                    UInt64(input.count),
                    salt,
                    passes,
                    memory,
                    crypto_pwhash_ALG_ARGON2ID13
                )
            }
            guard result == 0 else {
                throw VaultError(.unavailable, "there is not enough memory: Argon2id needs \(memory) bytes of memory")
            }
        }
    }
}

extension Passphrase {
    /// Runs only Argon2id, for comparison with other implementations and for measurements.
    package static func stretch(
        _ bytes: [UInt8],
        salt: [UInt8],
        passes: Int,
        memory: Int
    ) throws(VaultError) -> [UInt8] {
        try KeyDerivation(passes: passes, memory: memory, salt: salt).run(LockedBytes(bytes)).copy
    }
}
