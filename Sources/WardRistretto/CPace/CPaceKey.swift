internal import Crypto
internal import WardText

/// The key of a run of CPace, and the tags with which the parties confirm it to each other.
///
/// draft-irtf-cfrg-cpace-21, sections 7.2 and 10.4.
package struct CPaceKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// `ISK`, 64 bytes, from which keys are derived; it is not used as a key itself.
    package let intermediate: SecretBytes
    /// The tag that this party sends, 64 bytes.
    package let tag: [UInt8]
    private let expected: [UInt8]

    /// The length of a tag, in bytes.
    package static let tagLength = 64

    init(
        _ hash: SHA512.Digest,
        session: [UInt8],
        mine: [UInt8],
        yours: [UInt8]
    ) throws(RistrettoError) {
        intermediate = try SecretBytes(hash)
        var secret = intermediate.copy
        defer { secret.overwrite() }
        var hash = SHA512()
        hash.update(data: Array("CPaceMac".utf8))
        hash.update(data: session)
        hash.update(data: secret)
        let key = unsafe hash.finalize().withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        tag = Array(HMAC<SHA512>.authenticationCode(for: mine, using: key))
        expected = Array(HMAC<SHA512>.authenticationCode(for: yours, using: key))
    }

    /// Whether the tag of the other party shows that it has the same key, and so knew the code.
    ///
    /// The time does not depend on where the tags differ.
    package func isConfirmed(by tag: [UInt8]) -> Bool { isEqualInConstantTime(tag, expected) }

    /// The text that is shown instead of the key.
    package var description: String { "CPaceKey" }
    /// A mirror without the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretBytes {
    /// Copies a hash that is secret.
    convenience init(_ hash: SHA512.Digest) throws(RistrettoError) {
        try unsafe self.init(count: SHA512.byteCount) { (buffer) throws(RistrettoError) in
            unsafe hash.withUnsafeBytes { unsafe buffer.copyBytes(from: $0) }
        }
    }

    /// A copy in ordinary memory, which the caller must overwrite.
    var copy: [UInt8] { unsafe withBytes { unsafe Array($0) } }
}
