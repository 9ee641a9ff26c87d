internal import Crypto
public import WardVault
public import WardWebAuthn

/// Writes KDBX 4, which KeePass 2, KeePassXC, Strongbox and others open.
public struct KDBXWriter: Sendable {
    private let cipher: KDBXCipher
    private let derivation: KDBXDerivation
    private let isCompressed: Bool
    private let effects: Effects

    /// The size of a block.
    private static let blockSize = 1 << 20

    /// Creates a writer of files with ChaCha20 and Argon2id.
    public init(effects: Effects = .live) {
        // 64 MiB and about half a second.
        let argon2 = Argon2(
            isID: true,
            salt: effects.randomBytes(32),
            memory: 64 << 10,
            passes: 10,
            lanes: 2
        )
        self.init(.chaCha20, .argon2(argon2), effects: effects)
    }

    /// Creates a writer with other parameters than those for people.
    package init(
        _ cipher: KDBXCipher,
        _ derivation: KDBXDerivation,
        isCompressed: Bool = true,
        effects: Effects = .live
    ) {
        self.cipher = cipher
        self.derivation = derivation
        self.isCompressed = isCompressed
        self.effects = effects
    }

    /// Writes a file.
    ///
    /// - Parameters:
    ///   - source: The items and the contents of their attachments.
    ///   - passphrase: The passphrase that opens the file, if there is no key file.
    ///   - keyFile: The content of a key file.
    /// - Returns: The file.
    /// - Throws: ``ImportError`` with `tooLarge` if there is no memory.
    public func file(
        _ source: ExportSource,
        passphrase: SecretText?,
        keyFile: SecretBytes? = nil
    ) throws(ImportError) -> [UInt8] {
        let document = KDBXXML(source).document
        let streamKey = effects.randomBytes(64)
        var content = Self.field(1, KDBXInnerStream.chaCha20.littleEndianBytes)
        content += Self.field(2, streamKey)
        for file in document.files { content += Self.field(3, [0] + file) }
        content += Self.field(0, [])
        content += document.xml(try KDBXInnerStream(KDBXInnerStream.chaCha20, key: streamKey))
        defer { content.wipe() }
        return try file(content: content, passphrase: passphrase, keyFile: keyFile)
    }

    /// Writes a file around a content: the inner header and XML.
    package func file(
        content: [UInt8],
        passphrase: SecretText?,
        keyFile: SecretBytes? = nil
    ) throws(ImportError) -> [UInt8] {
        let seed = effects.randomBytes(32)
        let nonce = effects.randomBytes(cipher.nonceLength)
        let header = header(seed: seed, nonce: nonce)
        let key = try KDBXKey(
            composite: KDBXKey.composite(passphrase: passphrase, keyFile: keyFile),
            masterSeed: seed,
            derivation: derivation
        )
        guard let packed = isCompressed ? Deflate.compress(content, .gzip) : content,
            let encrypted = cipher.encrypt(packed, key: key.encryption, nonce: nonce)
        else { throw ImportError(.tooLarge, "there is no memory to write the file") }

        var file = header + Array(SHA256.hash(data: header)) + key.code(ofHeader: header)
        var (offset, index) = (0, UInt64(0))
        while true {
            let block = encrypted[offset..<min(encrypted.count, offset + Self.blockSize)]
            file += key.code(ofBlock: block, at: index) + UInt32(block.count).littleEndianBytes
            file += block
            guard !block.isEmpty else { return file }
            (offset, index) = (block.endIndex, index + 1)
        }
    }

    private func header(seed: [UInt8], nonce: [UInt8]) -> [UInt8] {
        let fields: [(KDBXHeader.Field, [UInt8])] = [
            (.cipher, cipher.identifier),
            (.compression, UInt32(isCompressed ? 1 : 0).littleEndianBytes),
            (.masterSeed, seed),
            (.encryptionIV, nonce),
            (.derivation, derivation.values.encoded),
            (.end, Array("\r\n\r\n".utf8)),
        ]
        let version = UInt16(0).littleEndianBytes + UInt16(4).littleEndianBytes
        return KDBXHeader.signature + version + fields.flatMap { Self.field($0.0.rawValue, $0.1) }
    }

    private static func field(_ id: UInt8, _ value: [UInt8]) -> [UInt8] {
        [id] + UInt32(truncatingIfNeeded: value.count).littleEndianBytes + value
    }
}
