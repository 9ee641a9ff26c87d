internal import Crypto
internal import WardText

/// The SHA-1 hash of a password, as lists of breached passwords have it.
///
/// A weak password can be guessed from its hash, so a hash is as secret as its password.
package struct BreachedPasswordHash: Hashable, Sendable {
    /// The number of digits that a range query sends.
    package static let sentDigits = 5
    /// The number of digits in each line of the answer.
    static let listedDigits = 35

    /// The 40 digits, in upper case.
    let text: String

    /// Hashes a password.
    package init(_ password: [UInt8]) { text = Hex.encode(Insecure.SHA1.hash(data: password), uppercase: true) }

    /// The digits that a range query sends: 20 bits.
    package var prefix: String { String(text.prefix(Self.sentDigits)) }
}
