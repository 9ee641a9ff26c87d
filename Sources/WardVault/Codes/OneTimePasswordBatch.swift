internal import WardText

/// The codes in one QR code of a transfer between phones: `otpauth-migration://offline?data=…`.
///
/// A large transfer has several QR codes with the same ``id``; ``index`` counts them from 0.
public struct OneTimePasswordBatch: Hashable, Sendable {
    /// The codes that can be stored.
    public let codes: [OneTimePassword]
    /// The codes that cannot be stored, with names and reasons.
    public let refused: [Refusal]
    /// The index of this QR code, from 0.
    public let index: Int
    /// The number of QR codes in the transfer, at least one.
    public let count: Int
    /// The ID of the transfer, the same in all its QR codes.
    public let id: Int32

    /// A code of the transfer that cannot be stored.
    public struct Refusal: Hashable, Sendable {
        /// Issuer and account in the transfer.
        public let name: String
        /// The reason.
        public let reason: OneTimePasswordError
    }

    /// The maximum number of codes in one QR code; phones use ten.
    public static let maximumCodes = 1000

    /// Reads a transfer's link.
    ///
    /// - Parameter text: The link; its data may be in either base64 alphabet, with or without padding.
    /// - Throws: ``OneTimePasswordError`` with `link` or `batch`. A single code that cannot be stored is not an error;
    ///   it is in ``refused``.
    public init(_ text: String) throws(OneTimePasswordError) {
        let text = text.trimmed
        guard text.utf8.count <= LinkText.maximumLength,
            let rest = LinkText.removing(scheme: "otpauth-migration", from: text)
        else { throw OneTimePasswordError(.link, "the link does not begin with otpauth-migration://") }
        let query = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard query.count == 2, let data = LinkText.parameters(query[1])["data"], let bytes = Self.bytes(data) else {
            throw OneTimePasswordError(.batch, "the link has no data, or it is not base64")
        }
        try self.init(message: bytes)
    }

    private init(message: [UInt8]) throws(OneTimePasswordError) {
        var codes: [OneTimePassword] = []
        var refused: [Refusal] = []
        var (index, count, id): (UInt64, UInt64, UInt64) = (0, 1, 0)
        var reader = ProtobufReader(message[...])
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)):
                guard codes.count + refused.count < Self.maximumCodes else {
                    throw OneTimePasswordError(.batch, "the transfer has too many codes")
                }
                let entry = try Entry(bytes)
                do {
                    codes.append(try entry.oneTimePassword())
                } catch {
                    refused.append(Refusal(name: entry.displayName, reason: error))
                }
            case (3, .varint(let value)): count = value
            case (4, .varint(let value)): index = value
            case (5, .varint(let value)): id = value
            default: break
            }
        }
        self.codes = codes
        self.refused = refused
        self.index = Int(Int32(truncatingIfNeeded: index))
        self.count = max(1, Int(Int32(truncatingIfNeeded: count)))
        self.id = Int32(truncatingIfNeeded: id)
    }

    /// One code in the phone's form.
    private struct Entry {
        var secret: [UInt8] = []
        var name = ""
        var issuer = ""
        var algorithm: UInt64 = 0
        var digits: UInt64 = 0
        var type: UInt64 = 0
        var counter: UInt64 = 0

        init(_ bytes: ArraySlice<UInt8>) throws(OneTimePasswordError) {
            var reader = ProtobufReader(bytes)
            while let field = try reader.next() {
                switch (field.number, field.value) {
                case (1, .bytes(let value)): secret = Array(value)
                case (2, .bytes(let value)): name = String(decoding: value, as: UTF8.self)
                case (3, .bytes(let value)): issuer = String(decoding: value, as: UTF8.self)
                case (4, .varint(let value)): algorithm = value
                case (5, .varint(let value)): digits = value
                case (6, .varint(let value)): type = value
                case (7, .varint(let value)): counter = value
                default: break
                }
            }
        }

        var displayName: String { issuer.isEmpty ? name : "\(issuer): \(name)" }

        func oneTimePassword() throws(OneTimePasswordError) -> OneTimePassword {
            let kind: OneTimePassword.Kind
            switch type {
            case 0, 2: kind = .totp(period: 30)
            case 1: kind = .hotp(counter: counter)
            default: throw OneTimePasswordError(.kind, "the code's type must be totp or hotp")
            }
            let hash: OneTimePassword.Algorithm
            switch algorithm {
            case 0, 1: hash = .sha1
            case 2: hash = .sha256
            case 3: hash = .sha512
            default: throw OneTimePasswordError(.algorithm, "the algorithm must be SHA1, SHA256 or SHA512")
            }
            guard digits <= 2 else {
                throw OneTimePasswordError(.digits, "a code in a transfer must have 6 or 8 digits")
            }
            // Phones write the issuer also into the name: "Example:alice@example.com".
            let prefix = issuer + ":"
            let isRepeated = !issuer.isEmpty && name.hasPrefix(prefix)
            return try OneTimePassword(
                kind,
                secret: secret,
                algorithm: hash,
                digits: digits == 2 ? 8 : 6,
                issuer: issuer,
                account: isRepeated ? String(name.dropFirst(prefix.count)).trimmed : name
            )
        }
    }

    /// Base64 in either alphabet.
    ///
    /// A space counts as a plus, because form decoding turns a plus into a space.
    private static func bytes(_ data: String) -> [UInt8]? {
        Base64.decode(lenient: String(data.map { $0 == " " ? "+" : $0 }))
    }
}
