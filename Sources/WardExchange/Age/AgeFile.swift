internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// A file of age, version 1 (age-encryption.org/v1), for X25519 keys and passphrases.
enum AgeFile {
    /// The first line.
    static let intro = Array("age-encryption.org/v1\n".utf8)
    /// The maximum work factor of a passphrase: 1 GiB of memory.
    ///
    /// age writes 18.
    static let maximumWork = 20
    private static let maximumHeader = 64 << 10
    private static let chunk = 64 << 10

    /// A line `-> TYPE ARGUMENT…` of the header, and its body.
    private struct Stanza {
        var type: String
        var arguments: [String]
        var body: [UInt8]
    }

    // MARK: Writing

    /// Encrypts a content to keys, or with a passphrase.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - seal: The keys or the passphrase.
    ///   - work: The binary logarithm of the work for a passphrase.
    ///   - effects: Where random bytes come from.
    /// - Returns: The file.
    /// - Throws: ``ImportError`` with `tooLarge` if there is no memory.
    static func seal(
        _ content: [UInt8],
        _ seal: ExportSeal,
        work: Int = 18,
        effects: Effects = .live
    ) throws(ImportError) -> [UInt8] {
        let fileKey = effects.randomBytes(16)
        var header = String(decoding: intro, as: UTF8.self)
        switch seal {
        case .passphrase(let passphrase):
            let salt = effects.randomBytes(16)
            let key = try wrapKey(passphrase, salt: salt, work: work)
            header += "-> scrypt \(Base64.encode(salt, padding: false)) \(work)\n"
            header += Base64.encode(wrap(fileKey, key), padding: false) + "\n"
        case .recipients(let recipients):
            for recipient in recipients {
                let ephemeral = Curve25519.KeyAgreement.PrivateKey()
                let share = [UInt8](ephemeral.publicKey.rawRepresentation)
                guard let key = wrapKey(ephemeral, with: recipient.bytes, salt: share + recipient.bytes) else {
                    throw ImportError(.malformed, "a recipient's key is not usable")
                }
                header += "-> X25519 \(Base64.encode(share, padding: false))\n"
                header += Base64.encode(wrap(fileKey, key), padding: false) + "\n"
            }
        }
        header += "---"
        let code = HMAC<SHA256>.authenticationCode(for: Data(header.utf8), using: headerKey(fileKey))
        header += " " + Base64.encode([UInt8](code), padding: false) + "\n"
        let nonce = effects.randomBytes(16)
        var file = Array(header.utf8) + nonce
        let key = payloadKey(fileKey, nonce)
        var (start, counter): (Int, UInt64) = (0, 0)
        repeat {
            let end = min(start + chunk, content.count)
            let part = content[start..<end]
            guard
                let box = try? ChaChaPoly.seal(
                    part,
                    using: key,
                    nonce: chunkNonce(counter, isLast: end == content.count)
                )
            else { throw ImportError(.tooLarge, "there is no memory to encrypt the file") }
            file += box.ciphertext + box.tag
            (start, counter) = (end, counter + 1)
        } while start < content.count
        return file
    }

    // MARK: Reading

    /// Decrypts a file.
    ///
    /// - Throws: ``ImportError`` with `passphraseNeeded`, `wrongPassphrase`, `malformed`, `truncated`, `unsupported` or
    ///   `tooLarge`.
    static func open(_ source: ImportSource) throws(ImportError) -> [UInt8] {
        let (stanzas, authenticated, code, payload) = try header(of: source.bytes)
        let fileKey = try fileKey(stanzas, source)
        guard HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: authenticated, using: headerKey(fileKey))
        else {
            throw ImportError(.malformed, "the header of the file was changed")
        }
        let rest = source.bytes[payload...]
        guard rest.count >= 32 else { throw ImportError(.truncated, "the encrypted content is cut off") }
        let key = payloadKey(fileKey, Array(rest.prefix(16)))
        var content: [UInt8] = []
        content.reserveCapacity(rest.count)
        var (start, counter) = (rest.startIndex + 16, UInt64(0))
        repeat {
            let end = min(start + chunk + 16, rest.endIndex)
            let isLast = end == rest.endIndex
            guard end - start >= 16, counter == 0 || end - start > 16,
                let box = try? ChaChaPoly.SealedBox(
                    nonce: chunkNonce(counter, isLast: isLast),
                    ciphertext: rest[start..<(end - 16)],
                    tag: rest[(end - 16)..<end]
                ), let part = try? ChaChaPoly.open(box, using: key)
            else {
                throw isLast
                    ? ImportError(.truncated, "the encrypted content is cut off or damaged at its end")
                    : ImportError(.malformed, "the encrypted content is damaged")
            }
            content += part
            (start, counter) = (end, counter + 1)
        } while start < rest.endIndex
        return content
    }

    private static func fileKey(_ stanzas: [Stanza], _ source: ImportSource) throws(ImportError) -> [UInt8] {
        if stanzas.contains(where: { $0.type == "scrypt" }) {
            // A passphrase must be alone, so that nobody else can put a second key into the file.
            guard stanzas.count == 1, let stanza = stanzas.first, stanza.arguments.count == 2,
                let salt = Base64.decode(stanza.arguments[0], padding: false), salt.count == 16,
                let work = Int(stanza.arguments[1]), String(work) == stanza.arguments[1], work > 0
            else { throw ImportError(.malformed, "the header of the file has a wrong entry for a passphrase") }
            guard work <= maximumWork else {
                throw ImportError(
                    .tooLarge,
                    "the file asks for 2^\(work) steps of scrypt; the limit is 2^\(maximumWork)"
                )
            }
            guard let passphrase = source.passphrase else {
                throw ImportError(.passphraseNeeded, "the file has a passphrase")
            }
            guard let key = unwrap(stanza.body, try wrapKey(passphrase, salt: salt, work: work)) else {
                throw ImportError(.wrongPassphrase, "the passphrase does not open the file")
            }
            return key
        }
        guard let file = source.keyFile else {
            throw ImportError(.unsupported, "the file is encrypted to a key of age: name its file with --key-file")
        }
        let identities = AgeIdentity.all(in: file)
        guard !identities.isEmpty else {
            throw ImportError(.wrongPassphrase, "the key file has no key of age (AGE-SECRET-KEY-1…)")
        }
        for stanza in stanzas where stanza.type == "X25519" && stanza.arguments.count == 1 {
            guard let share = Base64.decode(stanza.arguments[0], padding: false), share.count == 32 else {
                throw ImportError(.malformed, "the header of the file has a wrong entry for a key")
            }
            for identity in identities {
                let own = [UInt8](identity.key.publicKey.rawRepresentation)
                guard let key = wrapKey(identity.key, with: share, salt: share + own) else { continue }
                if let fileKey = unwrap(stanza.body, key) { return fileKey }
            }
        }
        throw ImportError(.wrongPassphrase, "the file is encrypted to other keys than those in the key file")
    }

    /// The entries of the header, what its code authenticates, the code, and the place where the payload begins.
    private static func header(
        of file: [UInt8]
    ) throws(ImportError) -> (stanzas: [Stanza], authenticated: [UInt8], code: [UInt8], payload: Int) {
        var place = intro.count
        func line() throws(ImportError) -> String {
            let end = min(file.count, maximumHeader)
            guard place < end, let stop = file[place..<end].firstIndex(of: 0x0a) else {
                throw file.count > maximumHeader
                    ? ImportError(.tooLarge, "the header of the file has more than \(maximumHeader >> 10) KiB")
                    : ImportError(.truncated, "the header of the file is cut off")
            }
            defer { place = stop + 1 }
            return String(decoding: file[place..<stop], as: UTF8.self)
        }
        let malformed = ImportError(.malformed, "the header of the file has an unknown form")
        guard file.starts(with: intro) else { throw malformed }
        var stanzas: [Stanza] = []
        while true {
            let start = place
            let first = try line()
            if first.hasPrefix("--- ") {
                guard let code = Base64.decode(String(first.dropFirst(4)), padding: false), code.count == 32,
                    !stanzas.isEmpty
                else { throw malformed }
                return (stanzas, Array(file[..<(start + 3)]), code, place)
            }
            let words = first.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            guard words.count >= 2, words[0] == "->", words.allSatisfy({ !$0.isEmpty }) else { throw malformed }
            var text = ""
            while true {
                let part = try line()
                guard part.utf8.count <= 64 else { throw malformed }
                text += part
                if part.utf8.count < 64 { break }
            }
            guard let body = Base64.decode(text, padding: false) else { throw malformed }
            stanzas.append(Stanza(type: words[1], arguments: Array(words.dropFirst(2)), body: body))
        }
    }

    // MARK: Keys

    private static func wrapKey(
        _ passphrase: SecretText,
        salt: [UInt8],
        work: Int
    ) throws(ImportError) -> SymmetricKey {
        do {
            return try KDF.Scrypt.deriveKey(
                from: Array(passphrase.revealed.utf8),
                salt: Array("age-encryption.org/v1/scrypt".utf8) + salt,
                outputByteCount: 32,
                rounds: 1 << work,
                blockSize: 8,
                parallelism: 1
            )
        } catch {
            throw ImportError(.tooLarge, "there is no memory to derive the key of the file")
        }
    }

    private static func wrapKey(
        _ key: Curve25519.KeyAgreement.PrivateKey,
        with share: [UInt8],
        salt: [UInt8]
    ) -> SymmetricKey? {
        guard let share = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: share),
            let secret = try? key.sharedSecretFromKeyAgreement(with: share)
        else { return nil }
        // A share of low order gives a secret that everybody knows.
        guard unsafe secret.withUnsafeBytes({ bytes in unsafe !bytes.allSatisfy { $0 == 0 } }) else { return nil }
        return secret.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: salt,
            sharedInfo: Data("age-encryption.org/v1/X25519".utf8),
            outputByteCount: 32
        )
    }

    private static func derived(_ fileKey: [UInt8], salt: [UInt8], _ info: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: fileKey),
            salt: salt,
            info: Data(info.utf8),
            outputByteCount: 32
        )
    }

    private static func headerKey(_ fileKey: [UInt8]) -> SymmetricKey { derived(fileKey, salt: [], "header") }

    private static func payloadKey(_ fileKey: [UInt8], _ nonce: [UInt8]) -> SymmetricKey {
        derived(fileKey, salt: nonce, "payload")
    }

    /// Each key wraps one file key, so its nonce is always zero.
    private static let zero = [UInt8](repeating: 0, count: 12)

    private static func wrap(_ fileKey: [UInt8], _ key: SymmetricKey) -> [UInt8] {
        guard let nonce = try? ChaChaPoly.Nonce(data: zero),
            let box = try? ChaChaPoly.seal(fileKey, using: key, nonce: nonce)
        else { return [] }
        return [UInt8](box.ciphertext + box.tag)
    }

    private static func unwrap(_ body: [UInt8], _ key: SymmetricKey) -> [UInt8]? {
        guard body.count == 32, let box = try? ChaChaPoly.SealedBox(combined: zero + body),
            let fileKey = try? ChaChaPoly.open(box, using: key)
        else { return nil }
        return [UInt8](fileKey)
    }

    /// 11 bytes of a counter, and whether this is the last part.
    private static func chunkNonce(_ counter: UInt64, isLast: Bool) throws -> ChaChaPoly.Nonce {
        let number = (0..<8).reversed().map { UInt8(truncatingIfNeeded: counter >> (UInt64($0) * 8)) }
        return try ChaChaPoly.Nonce(data: [0, 0, 0] + number + [isLast ? 1 : 0])
    }
}

extension ImportFormat {
    /// A file of any other format inside a file of age.
    static let age = ImportFormat(id: "age", title: "file encrypted with age") { source in
        source.bytes.starts(with: AgeFile.intro)
    } read: { (source) throws(ImportError) in
        guard source.bytes.starts(with: AgeFile.intro) else {
            throw ImportError(.malformed, "the file is not an age file, version 1")
        }
        var inner = source
        inner.bytes = try AgeFile.open(source)
        inner.name = source.name.hasSuffix(".age") ? String(source.name.dropLast(4)) : source.name
        (inner.passphrase, inner.keyFile) = (nil, nil)
        guard !inner.bytes.starts(with: AgeFile.intro) else {
            throw ImportError(.unsupported, "the content is itself a file of age; decrypt it first")
        }
        return try ImportFormat.of(inner).contents(of: inner)
    }
}
