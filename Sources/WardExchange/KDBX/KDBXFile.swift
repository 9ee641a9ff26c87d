internal import Crypto
internal import WardText

/// The file around a ``KDBXDocument``: checks it, opens it, and reads it.
enum KDBXFile {
    /// The maximum size of a part when it is decompressed: 64 MiB.
    static let maximumContent = 64 << 20
    /// A large file may have a larger content: up to so many times its own size.
    private static let maximumRatio = 8
    /// The maximum size of a block in a file.
    private static let maximumBlock: UInt32 = 64 << 20

    /// Reads a file.
    static func read(_ source: ImportSource) throws(ImportError) -> KDBXDocument {
        let header = try KDBXHeader(source.bytes)
        guard source.passphrase != nil || source.keyFile != nil else {
            throw ImportError(.passphraseNeeded, "the file is encrypted")
        }
        // Before the slow part: a damaged header would look like a wrong passphrase.
        if header.version == 4 { try check(header, source.bytes) }
        let key = try KDBXKey(
            composite: KDBXKey.composite(passphrase: source.passphrase, keyFile: source.keyFile),
            masterSeed: header.masterSeed,
            derivation: header.derivation
        )
        return header.version == 4 ? try read4(source, header, key) : try read3(source, header, key)
    }

    /// The error for a key that does not fit.
    private static func wrongKey(_ source: ImportSource) -> ImportError {
        guard source.passphrase != nil else {
            return ImportError(.passphraseNeeded, "the key file alone does not open the file")
        }
        return ImportError(
            .wrongPassphrase,
            source.keyFile == nil
                ? "the passphrase is wrong, or the file needs a key file as well"
                : "the passphrase or the key file is wrong"
        )
    }

    private static func check(_ header: KDBXHeader, _ file: [UInt8]) throws(ImportError) {
        var reader = LittleEndianReader(file[header.bytes.endIndex...], "the header's hash")
        guard Array(try reader.take(32)) == Array(SHA256.hash(data: header.bytes)) else {
            throw ImportError(.malformed, "the header is damaged: it does not match its hash")
        }
    }

    // MARK: - Version 4

    private static func read4(
        _ source: ImportSource,
        _ header: KDBXHeader,
        _ key: KDBXKey
    ) throws(ImportError) -> KDBXDocument {
        var reader = LittleEndianReader(source.bytes[header.bytes.endIndex...], "the file")
        _ = try reader.take(32)
        guard isEqualInConstantTime(Array(try reader.take(32)), key.code(ofHeader: header.bytes)) else {
            throw wrongKey(source)
        }
        var encrypted: [UInt8] = []
        encrypted.reserveCapacity(reader.left)
        for index: UInt64 in 0... {
            let code = try reader.take(32)
            let size = try reader.number(UInt32.self)
            guard size <= maximumBlock else {
                throw ImportError(.tooLarge, "block \(index) has more than \(maximumBlock >> 20) MiB")
            }
            let block = try reader.take(size)
            guard isEqualInConstantTime(Array(code), key.code(ofBlock: block, at: index)) else {
                throw ImportError(.malformed, "block \(index) of the file is damaged")
            }
            guard size > 0 else { break }
            encrypted += block
        }
        guard let plain = header.cipher.decrypt(encrypted, key: key.encryption, nonce: header.encryptionIV) else {
            throw ImportError(.malformed, "the file cannot be decrypted: its padding is wrong")
        }
        let content = try decompress(plain, header, source)

        var inner = LittleEndianReader(content, "the inner header")
        var (streamID, streamKey, files) = (UInt32(0), [UInt8](), [[UInt8]]())
        while true {
            let type = try inner.number(UInt8.self)
            let value = try inner.take(inner.number(UInt32.self))
            switch type {
            case 0:
                return try KDBXDocument(
                    xml: inner.rest,
                    stream: KDBXInnerStream(streamID, key: streamKey),
                    files: files
                )
            case 1: streamID = LittleEndianReader.number(value)
            case 2: streamKey = Array(value)
            // The first byte only says whether a program should hide the content in its memory.
            case 3: files.append(Array(value.dropFirst()))
            default: break
            }
        }
    }

    // MARK: - Version 3.1

    private static func read3(
        _ source: ImportSource,
        _ header: KDBXHeader,
        _ key: KDBXKey
    ) throws(ImportError) -> KDBXDocument {
        let encrypted = Array(source.bytes[header.bytes.endIndex...])
        guard encrypted.count.isMultiple(of: 16) || header.cipher == .chaCha20 else {
            throw ImportError(.truncated, "the file is cut off")
        }
        // This version has no code for the key. The first bytes show whether it is right.
        guard let plain = header.cipher.decrypt(encrypted, key: key.encryption, nonce: header.encryptionIV),
            plain.starts(with: header.streamStart)
        else { throw wrongKey(source) }

        var reader = LittleEndianReader(plain[32...], "the file")
        var content: [UInt8] = []
        for index: UInt32 in 0... {
            let number = try reader.number(UInt32.self)
            let hash = try reader.take(32)
            let size = try reader.number(UInt32.self)
            let block = try reader.take(size)
            guard number == index else { throw ImportError(.malformed, "block \(index) of the file is missing") }
            guard size > 0 else { break }
            guard Array(hash) == Array(SHA256.hash(data: block)) else {
                throw ImportError(.malformed, "block \(index) of the file is damaged")
            }
            content += block
        }
        let xml = try decompress(content, header, source)
        let stream = try KDBXInnerStream(header.innerStream, key: header.innerStreamKey)
        let document = try KDBXDocument(xml: xml[...], stream: stream, files: [])
        let hash = Base64.encode(Array(SHA256.hash(data: header.bytes)))
        guard document.headerHash.isEmpty || document.headerHash == hash else {
            throw ImportError(.malformed, "the header is damaged: it does not match its hash")
        }
        return document
    }

    private static func decompress(
        _ plain: [UInt8],
        _ header: KDBXHeader,
        _ source: ImportSource
    ) throws(ImportError) -> [UInt8] {
        guard header.isCompressed else { return plain }
        let limit = max(maximumContent, source.bytes.count * maximumRatio)
        return try Deflate.decompress(plain[...], .gzip, limit: limit, name: "the file")
    }
}
