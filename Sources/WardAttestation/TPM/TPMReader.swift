internal import Crypto

/// Reads the structures of TPMs: big-endian numbers, and buffers with a length of two bytes.
///
/// It is a cursor that cannot trap; every read throws if bytes are missing.
///
/// TPM 2.0 Library, Part 2: Structures.
struct TPMReader {
    private(set) var offset = 0

    mutating func readUInt16(_ input: Span<UInt8>) throws(TPMError) -> UInt16 {
        UInt16(truncatingIfNeeded: try readNumber(2, input))
    }

    mutating func readUInt32(_ input: Span<UInt8>) throws(TPMError) -> UInt32 {
        UInt32(truncatingIfNeeded: try readNumber(4, input))
    }

    mutating func readUInt64(_ input: Span<UInt8>) throws(TPMError) -> UInt64 { try readNumber(8, input) }

    mutating func readByte(_ input: Span<UInt8>) throws(TPMError) -> UInt8 {
        UInt8(truncatingIfNeeded: try readNumber(1, input))
    }

    /// A TPM2B: a length and that number of bytes.
    mutating func readBuffer(_ input: Span<UInt8>) throws(TPMError) -> [UInt8] {
        let length = Int(try readUInt16(input))
        guard length <= input.count - offset else {
            throw TPMError("a buffer of \(length) bytes does not fit at byte \(offset)")
        }
        defer { offset += length }
        return input.copy(offset..<(offset + length))
    }

    /// Refuses bytes after the end of the structure.
    func finish(_ input: Span<UInt8>) throws(TPMError) {
        guard offset == input.count else { throw TPMError("\(input.count - offset) surplus bytes") }
    }

    private mutating func readNumber(_ width: Int, _ input: Span<UInt8>) throws(TPMError) -> UInt64 {
        guard width <= input.count - offset else { throw TPMError("truncated at byte \(offset)") }
        var number: UInt64 = 0
        for _ in 0..<width {
            number = number << 8 | UInt64(input[offset])
            offset += 1
        }
        return number
    }
}

/// The reason why bytes are not a TPM structure.
public struct TPMError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The expected and the found value.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// An algorithm of the TCG Algorithm Registry, table 3.
public struct TPMAlgorithm: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The registered number.
    public let rawValue: UInt16
    /// Creates a value from any number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// RSA keys.
    public static let rsa = Self(rawValue: 0x0001)
    /// SHA-1.
    public static let sha1 = Self(rawValue: 0x0004)
    /// SHA-256.
    public static let sha256 = Self(rawValue: 0x000b)
    /// SHA-384.
    public static let sha384 = Self(rawValue: 0x000c)
    /// SHA-512.
    public static let sha512 = Self(rawValue: 0x000d)
    /// Nothing.
    public static let null = Self(rawValue: 0x0010)
    /// Keys on elliptic curves.
    public static let ecc = Self(rawValue: 0x0023)

    private static let names: [UInt16: String] = [
        0x0001: "RSA", 0x0004: "SHA1", 0x0006: "AES", 0x0008: "KEYEDHASH", 0x000b: "SHA256", 0x000c: "SHA384",
        0x000d: "SHA512", 0x0010: "NULL", 0x0014: "RSASSA", 0x0015: "RSAES", 0x0016: "RSAPSS", 0x0017: "OAEP",
        0x0018: "ECDSA", 0x0019: "ECDH", 0x001a: "ECDAA", 0x0023: "ECC", 0x0025: "SYMCIPHER", 0x0027: "SHA3_256",
        0x0028: "SHA3_384", 0x0029: "SHA3_512", 0x0043: "CFB",
    ]

    /// The registered name, or the number if it is unknown.
    public var description: String { Self.names[rawValue] ?? "0x" + String(rawValue, radix: 16) }

    /// The hash of a message, or `nil` if this is not a supported hash.
    func hash(_ message: [UInt8]) -> [UInt8]? {
        switch self {
        case .sha1: Array(Insecure.SHA1.hash(data: message))
        case .sha256: Array(SHA256.hash(data: message))
        case .sha384: Array(SHA384.hash(data: message))
        case .sha512: Array(SHA512.hash(data: message))
        default: nil
        }
    }
}
