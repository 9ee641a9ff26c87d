internal import Crypto
internal import Foundation
internal import WardText
internal import WardVault

/// The keys of a KDBX file.
struct KDBXKey {
    /// The key of the cipher.
    let encryption: SymmetricKey
    /// In version 4: the bytes from which the keys of the header and of each block are made.
    private let authentication: [UInt8]

    /// Derives the keys; this takes as long as the header says.
    init(composite: [UInt8], masterSeed: [UInt8], derivation: KDBXDerivation) throws(ImportError) {
        var transformed = try derivation.transform(composite)
        defer { transformed.wipe() }
        encryption = SymmetricKey(data: SHA256.hash(data: masterSeed + transformed))
        authentication = Array(SHA512.hash(data: masterSeed + transformed + [1]))
    }

    /// The key that belongs to the index of a block.
    private func key(of index: UInt64) -> SymmetricKey {
        SymmetricKey(data: SHA512.hash(data: index.littleEndianBytes + authentication))
    }

    /// The code that proves the header.
    func code(ofHeader header: some DataProtocol) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: header, using: key(of: .max)))
    }

    /// The code that proves a block.
    func code(ofBlock block: ArraySlice<UInt8>, at index: UInt64) -> [UInt8] {
        var hmac = HMAC<SHA256>(key: key(of: index))
        hmac.update(data: index.littleEndianBytes + UInt32(truncatingIfNeeded: block.count).littleEndianBytes)
        hmac.update(data: block)
        return Array(hmac.finalize())
    }

    /// What the person gave, as one hash.
    ///
    /// An empty passphrase beside a key file counts as none, as in KeePassXC.
    static func composite(passphrase: SecretText?, keyFile: SecretBytes?) throws(ImportError) -> [UInt8] {
        var parts: [UInt8] = []
        defer { parts.wipe() }
        if let passphrase, keyFile == nil || !passphrase.isEmpty {
            parts += Array(SHA256.hash(data: Array(passphrase.revealed.utf8)))
        }
        if let keyFile { parts += try KDBXKeyFile.key(in: keyFile.revealed) }
        return Array(SHA256.hash(data: parts))
    }
}

/// A key file: XML of version 1 or 2, 32 bytes, 64 hexadecimal digits, or any other file, of which the hash counts.
enum KDBXKeyFile {
    /// The maximum size of XML.
    private static let maximumXML = 1 << 16

    static func key(in file: [UInt8]) throws(ImportError) -> [UInt8] {
        if file.count <= maximumXML, let key = try keyInXML(file) { return key }
        if file.count == 32 { return file }
        if file.count == 64, let key = Hex.decode(String(decoding: file, as: UTF8.self)) { return key }
        return Array(SHA256.hash(data: file))
    }

    /// The key in XML of KeePass, or `nil` for another file.
    private static func keyInXML(_ file: [UInt8]) throws(ImportError) -> [UInt8]? {
        let content = Content()
        do { try XMLReader.read(file[...], maximumDepth: 8, to: content) } catch { return nil }
        guard content.isKeyFile else { return nil }
        guard content.version.hasPrefix("2") else {
            guard let key = Base64.decode(lenient: content.data) else {
                throw ImportError(.malformed, "the key file has no key in base64")
            }
            return key
        }
        guard let key = Hex.decode(content.data) else {
            throw ImportError(.malformed, "the key file has no key in hexadecimal digits")
        }
        if let hash = content.hash, Hex.decode(hash) != Array(SHA256.hash(data: key).prefix(4)) {
            throw ImportError(.malformed, "the key file is damaged: its key does not match its hash")
        }
        return key
    }

    private final class Content: XMLHandler {
        var version = ""
        var data = ""
        var hash: String?
        var isKeyFile = false

        func begin(_ path: [String], _ attributes: [String: String]) {
            if path == ["KeyFile"] { isKeyFile = true }
            if path == ["KeyFile", "Key", "Data"] { hash = attributes["Hash"] }
        }

        func end(_ path: [String], _ text: [UInt8]) {
            let shown = String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }
            if path == ["KeyFile", "Meta", "Version"] { version = shown }
            if path == ["KeyFile", "Key", "Data"] { data = shown }
        }
    }
}
