import Crypto
package import WardAccounts
import WardText

/// Who signed in at an identity provider: the pair of issuer and subject, which nobody else gets.
///
/// The e-mail address and the name that a provider tells find no account, and decide nothing. They are only shown.
package struct FederatedIdentity: Hashable, Sendable {
    /// The longest text that is shown, in Unicode scalars.
    package static let maximumLabel = 128

    /// The provider's issuer.
    package let issuer: String
    /// The subject: what the provider calls the person.
    package let subject: String
    /// The e-mail address or the name at the provider, as far as it can be shown.
    package let label: String?

    /// - Parameters:
    ///   - issuer: The provider's issuer.
    ///   - subject: The subject.
    ///   - label: The e-mail address or the name, as the provider told it. It is cut, and control characters are removed.
    package init(issuer: String, subject: String, label: String?) {
        self.issuer = issuer
        self.subject = subject
        let shown = String(
            String.UnicodeScalarView(
                (label ?? "").unicodeScalars.lazy.filter(Self.isShown).prefix(Self.maximumLabel)
            )
        )
        self.label = shown.isEmpty ? nil : shown
    }

    /// Whether a scalar can be shown: no control characters, and none that change the order of others.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }

    /// What finds the record: the hash of issuer, a zero byte, and subject.
    ///
    /// An issuer has no zero byte, so two pairs never have the same bytes.
    package var key: [UInt8] {
        Array(SHA256.hash(data: Array(issuer.utf8) + [0] + Array(subject.utf8)))
    }
}

/// What the record of a linked account says.
package struct FederatedLink: Hashable, Sendable {
    /// The record.
    package let record: FactorRecord
    /// The provider's issuer.
    package let issuer: String
    /// The e-mail address or the name at the provider.
    package let label: String?

    /// Reads a record, or returns `nil` if it is not a linked account.
    package init?(_ record: FactorRecord) {
        guard record.kind == .federated, let value = try? JSONValue(record.payload),
            let issuer = value["issuer"]?.stringValue
        else { return nil }
        self.record = record
        self.issuer = issuer
        label = value["label"]?.stringValue
    }

    /// The record of a new link.
    ///
    /// - Parameters:
    ///   - identity: Who signed in at the provider.
    ///   - account: The account that the identity opens from now on.
    ///   - now: Seconds since 1970.
    /// - Returns: The record.
    package static func record(of identity: FederatedIdentity, for account: AccountID, at now: Int64) -> FactorRecord {
        let payload: JSONValue = [
            "issuer": .string(identity.issuer), "label": identity.label.map { .string($0) } ?? .null,
        ]
        return FactorRecord(
            accountID: account,
            kind: .federated,
            key: identity.key,
            payload: payload.serialized,
            createdAt: now,
            confirmedAt: now
        )
    }
}
