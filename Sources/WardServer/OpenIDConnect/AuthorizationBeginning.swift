import Crypto
import WardAccounts
import WardText

/// Which session the browser had when a request arrived that needs a new sign-in: only another one answers it.
///
/// The address of the page carries it, with a code under a secret of the service over the session, the time and the request.
/// So nobody can make one, and the service stores nothing.
struct AuthorizationBeginning: Sendable {
    /// The parameter's name.
    static let name = "ward_began"
    /// The length of the secret, in bytes.
    static let secretLength = 32
    /// How long a person may take, in seconds.
    private static let patience: Int64 = 3_600
    /// In place of a session: nobody was signed in.
    private static let nobody = "-"

    private let secret: SymmetricKey

    init(secret: [UInt8]) {
        self.secret = SymmetricKey(data: secret)
    }

    /// The query of the page where the person signs in.
    func query(_ fields: FormFields, _ session: SessionID?, at now: Int64) -> String {
        let request = fields.text(without: Self.name)
        let mark = "\(now).\(session?.text ?? Self.nobody)"
        return "\(request)&\(Self.name)=\(mark).\(Base64URL.encode(code(mark, request)))"
    }

    /// Whether the request says which session the browser had, in a way that counts; and whether it has another one now.
    func isAnswered(_ fields: FormFields, by session: SessionID?, at now: Int64) -> Bool? {
        guard let parts = fields[Self.name]?.split(separator: "."), parts.count == 3, let time = Int64(parts[0]),
            time <= now, now - Self.patience < time, let found = Base64URL.decode(String(parts[2])),
            isEqualInConstantTime(found, code("\(parts[0]).\(parts[1])", fields.text(without: Self.name)))
        else { return nil }
        return session.map { $0.text != parts[1] } ?? false
    }

    private func code(_ mark: String, _ request: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array("\(mark).\(request)".utf8), using: secret))
    }
}
