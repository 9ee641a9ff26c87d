import WardAccounts
import WardText

/// The meaning of a single-use code: one browser may start a session at one app.
///
/// The store has it like a ceremony, under the hash of the code. Taking it deletes it. It is useless without its session, which
/// must still exist when the code is used.
struct AppCode: Sendable {
    /// The lifetime of a code, in seconds.
    static let lifetime: Int64 = 30

    /// The person's session at the service.
    let session: SessionID
    /// The hash of the secret in the cookie of the browser that started the sign-in.
    let browser: [UInt8]
    /// The page to return to.
    let address: String
    private let expiresAt: Int64

    init(for session: SessionID, browser: [UInt8], address: String, at now: Int64) {
        self.session = session
        self.browser = browser
        self.address = address
        expiresAt = now + Self.lifetime
    }

    /// Reads a stored code.
    init?(_ record: CeremonyRecord) {
        guard let value = try? JSONValue(record.payload),
            let session = value["session"]?.stringValue.flatMap({ SessionID(text: $0) }),
            let browser = value["browser"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let address = value["address"]?.stringValue
        else { return nil }
        (self.session, self.browser, self.address) = (session, browser, address)
        expiresAt = record.expiresAt
    }

    /// The record to store.
    func record(of code: SessionToken) -> CeremonyRecord {
        let payload: JSONValue = [
            "session": .string(session.text), "browser": .string(Base64URL.encode(browser)),
            "address": .string(address),
        ]
        return CeremonyRecord(id: code.hash, payload: payload.serialized, expiresAt: expiresAt)
    }

    /// Whether the code can be used now.
    ///
    /// A code with a time in the future cannot be used.
    func isCurrent(at now: Int64) -> Bool { (expiresAt - Self.lifetime..<expiresAt).contains(now) }
}
