import Crypto
import Hummingbird
import WardAccounts
import WardText

/// The cookie of a browser that signed in before.
///
/// The cookie does not sign in. It lists the accounts to which the browser signed in before. Attempts from this browser have a
/// count of their own, so a stranger's wrong passwords do not block the owner (OWASP's device cookie).
///
/// For each account it has random bytes that identify the browser, the time, and an authentication code over both and the
/// account's ID, made with a secret of the service. So an attacker cannot create one for another person's account, and the
/// service stores nothing.
struct DeviceCookie: Sendable {
    /// The length of the secret, in bytes.
    static let secretLength = 32
    /// The maximum number of accounts.
    ///
    /// Those with the latest sign-ins stay.
    private static let mostAccounts = 4
    /// The lifetime in seconds.
    ///
    /// It is as long as browsers keep a cookie.
    private static let lifetime: Int64 = 400 * 86_400
    /// The length of a browser's ID, in bytes.
    static let nameLength = 16
    private static let timeLength = 8

    /// The part of the cookie for one account.
    private struct Entry {
        let device: [UInt8]
        let time: [UInt8]
        let code: [UInt8]

        init(device: [UInt8], time: [UInt8], code: [UInt8]) {
            (self.device, self.time, self.code) = (device, time, code)
        }

        init?(_ text: Substring) {
            guard text.utf8.count < 128, let bytes = Base64URL.decode(String(text)),
                bytes.count == nameLength + timeLength + SHA256.byteCount
            else { return nil }
            device = Array(bytes.prefix(nameLength))
            time = Array(bytes[nameLength..<(nameLength + timeLength)])
            code = Array(bytes.suffix(SHA256.byteCount))
        }

        var text: String { Base64URL.encode(device + time + code) }
    }

    /// The cookie's name.
    let name: String
    private let secret: SymmetricKey
    private let attributes: String

    /// - Parameters:
    ///   - session: The session cookie: both have the same attributes.
    ///   - secret: The secret of the service.
    init(beside session: SessionCookie, secret: [UInt8]) {
        name = "\(session.name)-device"
        attributes = session.attributes
        self.secret = SymmetricKey(data: secret)
    }

    /// The browser's ID for an account, if the browser signed in to it before.
    func device(of request: Request, for account: AccountID, at now: Int64) -> [UInt8]? {
        entries(of: request).first { isValid($0, for: account, at: now) }?.device
    }

    /// The `Set-Cookie` value after a sign-in.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - request: What the browser sent, perhaps with the cookie from before.
    ///   - now: Seconds since 1970.
    ///   - fresh: ``nameLength`` random bytes, the browser's name if it has none yet.
    /// - Returns: The value.
    func setting(for account: AccountID, _ request: Request, at now: Int64, fresh: [UInt8]) -> String {
        let known = entries(of: request)
        let own = known.first { isValid($0, for: account, at: now) }
        // The browser gets the same ID for the account as before, so its count stays.
        let device = own?.device ?? fresh
        let time = (0..<Self.timeLength).map { UInt8(truncatingIfNeeded: now >> (56 - 8 * $0)) }
        let entry = Entry(device: device, time: time, code: code(device, time, account))
        let others = known.filter { $0.device != device }.prefix(Self.mostAccounts - 1)
        let value = ([entry] + others).map(\.text).joined(separator: ".")
        return "\(name)=\(value); Max-Age=\(Self.lifetime)\(attributes)"
    }

    private func entries(of request: Request) -> [Entry] {
        guard let value = request.cookie(named: name) else { return [] }
        let texts = value.split(separator: ".", maxSplits: Self.mostAccounts)
        return texts.prefix(Self.mostAccounts).compactMap(Entry.init)
    }

    private func isValid(_ entry: Entry, for account: AccountID, at now: Int64) -> Bool {
        let time = entry.time.reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard time <= now, now - Self.lifetime < time else { return false }
        return isEqualInConstantTime(entry.code, code(entry.device, entry.time, account))
    }

    private func code(_ device: [UInt8], _ time: [UInt8], _ account: AccountID) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: device + time + account.bytes, using: secret))
    }
}
