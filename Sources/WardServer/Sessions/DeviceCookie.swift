import Crypto
import Hummingbird
import WardAccounts
import WardText

/// The cookie of a browser that signed in before.
///
/// It lets nobody in. It says to which accounts its browser signed in, so that wrong passwords of strangers do not hold up
/// the owner (OWASP's device cookie): tries from this browser have a count of their own.
///
/// For each account it has random bytes that name the browser, the time, and a code under a secret of the service over
/// both and the account's ID. So nobody can make one for an account that they cannot sign in to, and the service stores
/// nothing.
struct DeviceCookie: Sendable {
    /// The length of the secret, in bytes.
    static let secretLength = 32
    /// The largest number of accounts; the ones that signed in last stay.
    private static let mostAccounts = 4
    /// How long it counts, in seconds: as long as browsers keep a cookie.
    private static let lifetime: Int64 = 400 * 86_400
    /// The length of a browser's name, in bytes.
    static let nameLength = 16
    private static let timeLength = 8

    /// What the cookie has for one account.
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

    /// The name of the browser, if it signed in to the account before.
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
        // The browser keeps its name for the account, and so its count.
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
