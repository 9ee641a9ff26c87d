internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// How Bitwarden encrypts an export with a passphrase.
struct BitwardenSealing {
    private enum Derivation {
        case pbkdf2(rounds: Int)
        case argon2(passes: Int, memory: Int, lanes: Int)
    }

    /// The maximum number of rounds of PBKDF2; Bitwarden's own is 2,000,000.
    static let maximumRounds: Int64 = 5_000_000
    /// The maximum number of passes of Argon2id; Bitwarden's own is 10.
    static let maximumPasses: Int64 = 32
    /// The maximum memory of Argon2id, in MiB; Bitwarden's own.
    static let maximumMemory: Int64 = 1024
    /// The maximum number of lanes of Argon2id; Bitwarden's own.
    static let maximumLanes: Int64 = 16

    private let derivation: Derivation
    /// The salt is the text itself, not the bytes that it encodes.
    private let salt: [UInt8]

    /// Reads the parameters, and refuses those over a limit.
    init(_ document: JSONValue) throws(ImportError) {
        guard let salt = document["salt"]?.stringValue, !salt.isEmpty, salt.utf8.count <= 1024,
            let passes = document["kdfIterations"]?.wholeNumber, passes > 0
        else { throw ImportError(.malformed, "the parameters of the file's encryption are incomplete") }
        self.salt = Array(salt.utf8)
        switch document["kdfType"]?.wholeNumber {
        case 0:
            try Self.check(passes, Self.maximumRounds, "rounds of PBKDF2")
            derivation = .pbkdf2(rounds: Int(passes))
        case 1:
            guard let memory = document["kdfMemory"]?.wholeNumber, memory > 0,
                let lanes = document["kdfParallelism"]?.wholeNumber, lanes > 0
            else { throw ImportError(.malformed, "the parameters of Argon2id are incomplete") }
            try Self.check(passes, Self.maximumPasses, "passes of Argon2id")
            try Self.check(memory, Self.maximumMemory, "MiB of memory for Argon2id")
            try Self.check(lanes, Self.maximumLanes, "lanes of Argon2id")
            derivation = .argon2(passes: Int(passes), memory: Int(memory), lanes: Int(lanes))
        default:
            throw ImportError(.unsupported, "the file has an unknown key derivation; export again as .json")
        }
    }

    /// Encrypts a document with a passphrase, with Argon2id as Bitwarden has it.
    static func seal(
        _ document: JSONValue,
        passphrase: SecretText,
        effects: Effects = .live
    ) throws(ImportError) -> JSONValue {
        let parameters: JSONValue = [
            "encrypted": true, "passwordProtected": true, "salt": .string(Base64.encode(effects.randomBytes(16))),
            "kdfType": 1, "kdfIterations": 6, "kdfMemory": 64, "kdfParallelism": 4,
        ]
        let keys = Keys(try BitwardenSealing(parameters).masterKey(passphrase))
        let check = Array(BitwardenExport.guid(effects.randomBytes(16)).utf8)
        return parameters.joined(with: [
            "encKeyValidation_DO_NOT_EDIT": .string(try keys.seal(check, iv: effects.randomBytes(16))),
            "data": .string(try keys.seal(document.serialized, iv: effects.randomBytes(16))),
        ])
    }

    private static func check(_ value: Int64, _ limit: Int64, _ name: String) throws(ImportError) {
        guard value <= limit else {
            throw ImportError(.tooLarge, "the file asks for \(value) \(name); the limit is \(limit)")
        }
    }

    /// Decrypts the document inside.
    func open(_ document: JSONValue, passphrase: SecretText) throws(ImportError) -> [UInt8] {
        let keys = Keys(try masterKey(passphrase))
        if let check = document["encKeyValidation_DO_NOT_EDIT"]?.stringValue {
            guard try keys.open(check) != nil else {
                throw ImportError(.wrongPassphrase, "the passphrase does not open the file")
            }
        }
        guard let data = document["data"]?.stringValue else {
            throw ImportError(.malformed, "the file has no encrypted data")
        }
        guard let plain = try keys.open(data) else {
            throw document["encKeyValidation_DO_NOT_EDIT"] == nil
                ? ImportError(.wrongPassphrase, "the passphrase does not open the file")
                : ImportError(.malformed, "the encrypted data of the file is damaged")
        }
        return plain
    }

    private func masterKey(_ passphrase: SecretText) throws(ImportError) -> SymmetricKey {
        let passphrase = Array(passphrase.revealed.utf8)
        switch derivation {
        case .pbkdf2(let rounds):
            do {
                return try KDF.Insecure.PBKDF2.deriveKey(
                    from: passphrase,
                    salt: salt,
                    using: .sha256,
                    outputByteCount: 32,
                    unsafeUncheckedRounds: rounds
                )
            } catch {
                throw ImportError(.malformed, "the key of the file cannot be derived")
            }
        case .argon2(let passes, let memory, let lanes):
            let argon2 = Argon2(
                salt: Array(SHA256.hash(data: salt)),
                memory: UInt32(memory) << 10,
                passes: UInt32(passes),
                lanes: UInt32(lanes)
            )
            return SymmetricKey(data: try argon2.hash(passphrase))
        }
    }

    /// The two keys of encrypted text of type 2.
    private struct Keys {
        let encryption: SymmetricKey
        let authentication: SymmetricKey

        init(_ master: SymmetricKey) {
            encryption = HKDF<SHA256>.expand(pseudoRandomKey: master, info: Data("enc".utf8), outputByteCount: 32)
            authentication = HKDF<SHA256>.expand(pseudoRandomKey: master, info: Data("mac".utf8), outputByteCount: 32)
        }

        /// Encrypts a text as `2.IV|TEXT|MAC`.
        func seal(_ plain: [UInt8], iv: [UInt8]) throws(ImportError) -> String {
            guard let nonce = try? AES._CBC.IV(ivBytes: iv),
                let body = try? AES._CBC.encrypt(plain, using: encryption, iv: nonce)
            else { throw ImportError(.tooLarge, "there is no memory to encrypt the file") }
            let code = HMAC<SHA256>.authenticationCode(for: iv + body, using: authentication)
            return "2." + [iv, [UInt8](body), [UInt8](code)].map { Base64.encode($0) }.joined(separator: "|")
        }

        /// Decrypts `2.IV|TEXT|MAC`; `nil` for other keys.
        func open(_ text: String) throws(ImportError) -> [UInt8]? {
            let parts = text.dropFirst(2).split(separator: "|", omittingEmptySubsequences: false)
            guard text.hasPrefix("2."), parts.count == 3, let iv = Base64.decode(String(parts[0])), iv.count == 16,
                let body = Base64.decode(String(parts[1])), let mac = Base64.decode(String(parts[2]))
            else { throw ImportError(.malformed, "the encrypted text of the file has an unknown form") }
            guard HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: iv + body, using: authentication) else {
                return nil
            }
            guard let nonce = try? AES._CBC.IV(ivBytes: iv),
                let plain = try? AES._CBC.decrypt(body, using: encryption, iv: nonce)
            else { throw ImportError(.malformed, "the encrypted text of the file is damaged") }
            return [UInt8](plain)
        }
    }
}
