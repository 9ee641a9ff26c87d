import Crypto
import Hummingbird
package import WardAccounts
import WardText

/// What a browser keeps while its person is at an identity provider, and after the return of a person whom no account knows.
///
/// The browser keeps it in a cookie that only the service can read and make. So strangers who begin sign-ins write nothing to the
/// store, and an answer counts only in the browser where the sign-in began.
package enum FederatedVisit: Hashable, Sendable {
    /// The person is at the provider.
    case begun(Beginning)
    /// The person came back, and no account is linked.
    case unknown(FederatedIdentity)

    /// What the answer must fit.
    package struct Beginning: Hashable, Sendable {
        /// The provider's ID in the settings.
        package var provider: String
        /// What finds the sign-in again: `state`.
        package var state: String
        package var nonce: String
        /// The code verifier (RFC 7636, section 4.1).
        package var verifier: String
        /// The session whose account will be linked; `nil` for a sign-in.
        package var linking: SessionID?

        package init(provider: String, state: String, nonce: String, verifier: String, linking: SessionID?) {
            self.provider = provider
            self.state = state
            self.nonce = nonce
            self.verifier = verifier
            self.linking = linking
        }

        /// Draws the secrets of a new sign-in: 32 random bytes each.
        init(at provider: String, linking: SessionID?, randomBytes: (_ count: Int) -> [UInt8]) {
            self.provider = provider
            state = Base64URL.encode(randomBytes(32))
            nonce = Base64URL.encode(randomBytes(32))
            verifier = Base64URL.encode(randomBytes(32))
            self.linking = linking
        }

        /// The code challenge with S256 (RFC 7636, section 4.2).
        package var challenge: String { Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8)))) }
    }

    /// How long a person may be at the provider, and may take for a new account, in seconds.
    package static let lifetime: Int64 = 600
    /// How long a used `state` stays in the store after it has expired, in seconds: the clock may be set back by less.
    static let grace: Int64 = 3_600

    fileprivate var json: [JSONValue.Member] {
        switch self {
        case .begun(let begun):
            [
                .init("provider", .string(begun.provider)), .init("state", .string(begun.state)),
                .init("nonce", .string(begun.nonce)), .init("verifier", .string(begun.verifier)),
                .init("linking", begun.linking.map { .string($0.text) } ?? .null),
            ]
        case .unknown(let identity):
            [
                .init("issuer", .string(identity.issuer)), .init("subject", .string(identity.subject)),
                .init("label", identity.label.map { .string($0) } ?? .null),
            ]
        }
    }

    fileprivate init?(json: JSONValue) {
        if let issuer = json["issuer"]?.stringValue, let subject = json["subject"]?.stringValue {
            self = .unknown(FederatedIdentity(issuer: issuer, subject: subject, label: json["label"]?.stringValue))
            return
        }
        guard let provider = json["provider"]?.stringValue, let state = json["state"]?.stringValue,
            let nonce = json["nonce"]?.stringValue, let verifier = json["verifier"]?.stringValue
        else { return nil }
        var linking: SessionID?
        if let text = json["linking"]?.stringValue {
            guard let id = SessionID(text: text) else { return nil }
            linking = id
        }
        self = .begun(
            Beginning(provider: provider, state: state, nonce: nonce, verifier: verifier, linking: linking)
        )
    }
}

/// The cookie of a ``FederatedVisit``.
///
/// It is `SameSite=Strict`: only the service's own page reads it, by a request of its own. So it also works when the provider's
/// answer is posted from another site.
package struct FederatedCookie: Sendable {
    /// The length of the secret, in bytes.
    package static let secretLength = 32
    /// The longest value that is read.
    private static let mostText = 3_072

    /// What a cookie had.
    package struct Content: Hashable, Sendable {
        package let visit: FederatedVisit
        /// When the visit began, in seconds since 1970.
        package let begunAt: Int64

        /// The bytes that stand for the use of the visit; they begin with the time, as those of ceremonies do.
        var use: [UInt8] {
            let end = begunAt.addingReportingOverflow(FederatedVisit.lifetime).partialValue
            let text = JSONValue.object(visit.json).serialized
            return (0..<8).map { UInt8(truncatingIfNeeded: end >> (56 - 8 * $0)) }
                + SHA256.hash(data: Array("federated".utf8) + text)
        }
    }

    let name: String
    private let key: SymmetricKey
    private let attributes: String

    /// - Parameters:
    ///   - isSecure: Whether every page of the service is served over https.
    ///   - secret: ``secretLength`` bytes that only the service knows.
    package init(isSecure: Bool, secret: [UInt8]) {
        name = isSecure ? "__Host-ward-federated" : "ward-federated"
        attributes = "; Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
        key = SymmetricKey(data: secret)
    }

    /// The `Set-Cookie` value that begins a visit.
    ///
    /// - Throws: The cryptographic library's errors.
    package func setting(_ visit: FederatedVisit, at now: Int64) throws -> String {
        let value = JSONValue.object(visit.json + [.init("at", .integer(now))])
        // A nonce of 96 random bits for each value.
        let sealed = try AES.GCM.seal(value.serialized, using: key)
        guard let bytes = sealed.combined else { throw CryptoKitError.incorrectParameterSize }
        return "\(name)=\(Base64URL.encode(Array(bytes))); Max-Age=\(FederatedVisit.lifetime)\(attributes)"
    }

    /// The `Set-Cookie` value that deletes the cookie.
    package var clearing: String { "\(name)=; Max-Age=0\(attributes)" }

    /// The visit of a request, or `nil` if it is missing, has ended, or was not made by this service.
    func content(in request: Request, at now: Int64) -> Content? {
        request.cookie(named: name).flatMap { content(of: $0, at: now) }
    }

    /// Reads the value of a cookie.
    package func content(of text: String, at now: Int64) -> Content? {
        guard text.utf8.count <= Self.mostText, let bytes = Base64URL.decode(text),
            let box = try? AES.GCM.SealedBox(combined: bytes), let plain = try? AES.GCM.open(box, using: key),
            let value = try? JSONValue(Array(plain)), let begunAt = value["at"]?.integerValue,
            // A visit from the future was begun under another clock.
            begunAt <= now, now - begunAt < FederatedVisit.lifetime, let visit = FederatedVisit(json: value)
        else { return nil }
        return Content(visit: visit, begunAt: begunAt)
    }
}
