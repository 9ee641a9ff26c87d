/// The part of a KDBX file that is not encrypted.
///
/// The form is that of KeePass: <https://keepass.info/help/kb/kdbx.html>.
struct KDBXHeader {
    /// The fields that Ward uses, by their number.
    enum Field: UInt8 {
        case end = 0
        case cipher = 2
        case compression = 3
        case masterSeed = 4
        case transformSeed = 5
        case transformRounds = 6
        case encryptionIV = 7
        case innerStreamKey = 8
        case streamStart = 9
        case innerStream = 10
        case derivation = 11
    }

    /// The first eight bytes of a file.
    static let signature: [UInt8] = [0x03, 0xd9, 0xa2, 0x9a, 0x67, 0xfb, 0x4b, 0xb5]
    /// The first eight bytes of a file of KeePass 1.
    static let oldSignature: [UInt8] = [0x03, 0xd9, 0xa2, 0x9a, 0x65, 0xfb, 0x4b, 0xb5]

    /// The major version: 3 or 4.
    let version: UInt16
    let cipher: KDBXCipher
    let isCompressed: Bool
    let masterSeed: [UInt8]
    let encryptionIV: [UInt8]
    let derivation: KDBXDerivation
    /// In version 3: the stream that hides single values.
    ///
    /// In version 4 it is in the encrypted part.
    let innerStream: UInt32
    let innerStreamKey: [UInt8]
    /// In version 3: the first bytes of the encrypted part.
    let streamStart: [UInt8]
    /// All bytes of the header, which its hash covers.
    let bytes: ArraySlice<UInt8>

    /// Reads a header, and refuses what Ward does not read.
    init(_ file: [UInt8]) throws(ImportError) {
        guard file.count >= 12 else { throw ImportError(.truncated, "the file is cut off in its header") }
        guard !file.starts(with: Self.oldSignature) else {
            throw ImportError(.unsupported, "this is a file of KeePass 1; open it in KeePassXC and save it as KDBX 4")
        }
        guard file.starts(with: Self.signature) else { throw ImportError(.malformed, "this is not a KDBX file") }
        var reader = LittleEndianReader(file[8...], "the header")
        let minor = try reader.number(UInt16.self)
        version = try reader.number(UInt16.self)
        guard version == 4 || (version == 3 && minor <= 1) else {
            throw ImportError(
                .unsupported,
                "KDBX \(version).\(minor) is not supported; open the file in KeePassXC and save it as KDBX 4"
            )
        }
        let fields = try Self.fields(&reader, version: version)
        bytes = file[..<reader.offset]

        func field(_ field: Field, count: Int? = nil) throws(ImportError) -> ArraySlice<UInt8> {
            guard let value = fields[field.rawValue], count == nil || value.count == count else {
                throw ImportError(.malformed, "the header lacks field \(field.rawValue), or it has a wrong size")
            }
            return value
        }

        cipher = try KDBXCipher(identifier: Array(field(.cipher, count: 16)))
        let compression: UInt32 = LittleEndianReader.number(try field(.compression, count: 4))
        guard compression <= 1 else { throw ImportError(.unsupported, "the file is compressed in an unknown way") }
        isCompressed = compression == 1
        masterSeed = Array(try field(.masterSeed, count: 32))
        encryptionIV = Array(try field(.encryptionIV, count: cipher.nonceLength))
        if version == 4 {
            derivation = try KDBXDerivation(VariantDictionary(field(.derivation)))
            (innerStream, innerStreamKey, streamStart) = (0, [], [])
        } else {
            let rounds: UInt64 = LittleEndianReader.number(try field(.transformRounds, count: 8))
            derivation = try .aes(rounds: rounds, seed: Array(field(.transformSeed, count: 32))).checked()
            innerStream = LittleEndianReader.number(try field(.innerStream, count: 4))
            innerStreamKey = Array(try field(.innerStreamKey))
            streamStart = Array(try field(.streamStart, count: 32))
        }
    }

    private static func fields(
        _ reader: inout LittleEndianReader,
        version: UInt16
    ) throws(ImportError) -> [UInt8: ArraySlice<UInt8>] {
        var fields: [UInt8: ArraySlice<UInt8>] = [:]
        while true {
            let id = try reader.number(UInt8.self)
            let size = version == 4 ? Int(try reader.number(UInt32.self)) : Int(try reader.number(UInt16.self))
            let value = try reader.take(size)
            if id == Field.end.rawValue { return fields }
            guard fields.updateValue(value, forKey: id) == nil else {
                throw ImportError(.malformed, "the header has field \(id) twice")
            }
        }
    }
}
