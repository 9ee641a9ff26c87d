internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import WardText

/// How a KDBX file makes a key from a passphrase: slowly, so that guessing is slow as well.
///
/// A file says what the derivation costs. The limits refuse a file that would stop the machine.
package enum KDBXDerivation: Sendable {
    /// Argon2 (RFC 9106).
    case argon2(Argon2)
    /// AES-256 of the key with itself, many times over.
    case aes(rounds: UInt64, seed: [UInt8])

    /// The maximum memory of Argon2, in KiB: 1 GiB.
    static let maximumMemory: UInt64 = 1 << 20
    /// The maximum of memory in KiB times passes: about a minute.
    static let maximumWork: UInt64 = 1 << 26
    /// The maximum number of lanes.
    static let maximumLanes: UInt64 = 64
    /// The maximum number of rounds of AES: about half a minute.
    static let maximumRounds: UInt64 = 1 << 30

    private static let argon2d = "ef636ddf8c29444b91f7a9a403e30a0c"
    private static let argon2id = "9e298b1956db4773b23dfc3ec6f0a1e6"
    private static let aes3 = "c9d9f39a628a4460bf740d08c18a4fea"
    private static let aes4 = "7c02bb8279a74ac0927d114a00648238"

    /// Reads the parameters, and refuses those over a limit.
    init(_ values: VariantDictionary) throws(ImportError) {
        let identifier = Hex.encode(values.bytes("$UUID") ?? [])
        switch identifier {
        case Self.aes3, Self.aes4:
            guard let rounds = values.number("R"), let seed = values.bytes("S"), seed.count == 32 else {
                throw ImportError(.malformed, "the parameters of AES-KDF are incomplete")
            }
            self = try .aes(rounds: rounds, seed: seed).checked()
        case Self.argon2d, Self.argon2id:
            self = .argon2(try Argon2(values, isID: identifier == Self.argon2id))
        default:
            throw ImportError(.unsupported, "the file has an unknown key derivation; save it with Argon2 or AES-KDF")
        }
    }

    /// The rounds of AES within the limit, or an error.
    func checked() throws(ImportError) -> Self {
        if case .aes(let rounds, _) = self, rounds > Self.maximumRounds {
            throw ImportError(
                .tooLarge,
                "the file asks for \(rounds) rounds of key derivation; the limit is \(Self.maximumRounds)"
            )
        }
        return self
    }

    /// The form in the header.
    var values: VariantDictionary {
        switch self {
        case .aes(let rounds, let seed):
            VariantDictionary(["$UUID": .bytes(Hex.decode(Self.aes3) ?? []), "R": .uint64(rounds), "S": .bytes(seed)])
        case .argon2(let argon2):
            VariantDictionary([
                "$UUID": .bytes(Hex.decode(argon2.isID ? Self.argon2id : Self.argon2d) ?? []),
                "S": .bytes(argon2.salt), "P": .uint32(argon2.lanes), "M": .uint64(UInt64(argon2.memory) << 10),
                "I": .uint64(UInt64(argon2.passes)), "V": .uint32(argon2.version),
            ])
        }
    }

    /// The key of 32 bytes that belongs to a composite key.
    func transform(_ key: [UInt8]) throws(ImportError) -> [UInt8] {
        switch self {
        case .argon2(let argon2): try argon2.hash(key)
        case .aes(let rounds, let seed): try Self.aes(key, rounds: rounds, seed: seed)
        }
    }

    /// Encrypts both halves of a key many times.
    ///
    /// CBC over zeros encrypts each result again: the block after E(x) is E(0 ⊕ E(x)).
    private static func aes(_ key: [UInt8], rounds: UInt64, seed: [UInt8]) throws(ImportError) -> [UInt8] {
        let step = 1 << 16
        let zeros = [UInt8](repeating: 0, count: step * 16)
        let cipher = SymmetricKey(data: seed)
        var result: [UInt8] = []
        for half in [key.prefix(16), key.suffix(16)] {
            var block = Array(half)
            var left = rounds
            while left > 0 {
                let count = Int(min(left, UInt64(step)))
                do {
                    let chain = try AES._CBC.encrypt(
                        zeros[..<(count * 16)],
                        using: cipher,
                        iv: AES._CBC.IV(ivBytes: block),
                        noPadding: true
                    )
                    block = [UInt8](chain.suffix(16))
                } catch {
                    throw ImportError(.malformed, "the key of the file cannot be derived")
                }
                left -= UInt64(count)
            }
            result += block
        }
        return Array(SHA256.hash(data: result))
    }
}

extension Argon2 {
    fileprivate init(_ values: VariantDictionary, isID: Bool) throws(ImportError) {
        guard let salt = values.bytes("S"), (8...1024).contains(salt.count), let lanes = values.number("P"), lanes > 0,
            let size = values.number("M"), let passes = values.number("I"), passes > 0,
            let version = values.number("V"), version == 0x10 || version == 0x13
        else { throw ImportError(.malformed, "the parameters of Argon2 are incomplete") }
        guard lanes <= KDBXDerivation.maximumLanes else {
            throw ImportError(
                .tooLarge,
                "the file asks for Argon2 with \(lanes) lanes; the limit is \(KDBXDerivation.maximumLanes)"
            )
        }
        let memory = size >> 10
        guard memory <= KDBXDerivation.maximumMemory else {
            throw ImportError(
                .tooLarge,
                "the file asks for \(size >> 20) MiB of memory for Argon2; the limit is "
                    + "\(KDBXDerivation.maximumMemory >> 10) MiB"
            )
        }
        guard memory >= 8 * lanes else { throw ImportError(.malformed, "the memory of Argon2 is too small") }
        guard passes <= KDBXDerivation.maximumWork / memory else {
            throw ImportError(
                .tooLarge,
                "the file asks for \(passes) passes of Argon2; with its memory the limit is "
                    + "\(KDBXDerivation.maximumWork / memory)"
            )
        }
        self.isID = isID
        self.salt = salt
        self.lanes = UInt32(lanes)
        self.memory = UInt32(memory)
        self.passes = UInt32(passes)
        self.version = UInt32(version)
        secret = values.bytes("K") ?? []
        associated = values.bytes("A") ?? []
    }
}
