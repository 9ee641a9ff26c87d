import Crypto
import WardText

/// The secrets that webhooks are signed with, as [Standard Webhooks](https://www.standardwebhooks.com/) has them.
///
/// Each webhook has a signature with every secret. So a receiver can change from one to the next without missing a webhook.
package struct WebhookSecrets: Sendable, CustomStringConvertible {
    /// What a secret begins with.
    private static let prefix = "whsec_"
    /// The lengths of a secret, in bytes.
    private static let lengths = 24...64
    /// The length of a new secret, in bytes.
    package static let freshLength = 32
    /// The largest number of secrets.
    private static let most = 8

    private let keys: [SymmetricKey]

    /// A description without the secrets.
    package var description: String { "WebhookSecrets(hidden)" }

    /// Reads the lines of a file: `whsec_` and 24 to 64 bytes in base64 each.
    ///
    /// It is `nil` unless there are 1 to 8 such lines, and nothing else.
    ///
    /// - Parameter bytes: The content of the file.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= 4_096 else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split { $0.isNewline }
        let secrets = lines.compactMap { line -> [UInt8]? in
            guard line.hasPrefix(Self.prefix) else { return nil }
            let digits = String(line.dropFirst(Self.prefix.count))
            return Base64.decode(digits) ?? Base64.decode(digits, padding: false)
        }
        guard (1...Self.most).contains(lines.count), secrets.count == lines.count,
            secrets.allSatisfy({ Self.lengths.contains($0.count) })
        else { return nil }
        keys = secrets.map { SymmetricKey(data: $0) }
    }

    /// A new secret as a line of the file.
    ///
    /// - Parameter bytes: ``freshLength`` random bytes.
    /// - Returns: The line, without its end.
    package static func line(_ bytes: [UInt8]) -> String { prefix + Base64.encode(bytes) }

    /// The value of `webhook-signature`: one signature for each secret.
    ///
    /// - Parameters:
    ///   - id: The value of `webhook-id`.
    ///   - time: The value of `webhook-timestamp`, in seconds since 1970.
    ///   - body: The body of the request.
    /// - Returns: The signatures, separated by spaces.
    package func signatures(id: String, at time: Int64, over body: String) -> String {
        let message = Array("\(id).\(time).\(body)".utf8)
        return keys.map { "v1,\(Base64.encode(Array(HMAC<SHA256>.authenticationCode(for: message, using: $0))))" }
            .joined(separator: " ")
    }
}
