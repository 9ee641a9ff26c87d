import Hummingbird
import WardAccounts
import WardText
import WardWebAuthn

/// The API that shows people what happened to their account, from the audit log.
struct ActivityAPI<Store: AccountStore>: Sendable {
    let deployment: Deployment<Store>

    func add(to router: WardRouter) {
        router.get("/api/v1/account/activity") { try await list($0, $1) }
    }

    private func list(_ request: Request, _ context: WardRequestContext) async throws -> Response {
        let page = try ListPage(request, of: "an event", upTo: 100) { AuditEntry.isPublicID($0) }
        let (presented, now) = (try deployment.presentedSession(in: request), deployment.effects.now())
        let (session, entries) = try await deployment.store.read { tx in
            let (session, account) = try await tx.signedIn(presented, under: deployment.sessionRules, at: now)
            return (session, try await tx.activity(of: account.id, atMost: page.reach))
        }
        await deployment.touch(session, context)
        let (shown, next) = page.cut(entries) { $0.publicID }
        let body: JSONValue = ["activity": .array(shown.map { JSONValue($0) }), "next": next]
        return .json(body.serialized)
    }
}

extension AccountTransaction {
    /// What people can see of the audit log: the newest 500 events of their account, or fewer.
    func activity(of account: AccountID, atMost limit: Int? = nil) async throws -> [AuditEntry] {
        try await auditEntries(of: account, limit: min(limit ?? 500, 500))
    }

    /// The addresses from which the sessions of an account began, as the audit log has them.
    func signInAddresses(of account: AccountID) async throws -> [SessionID: String] {
        let pairs = try await activity(of: account).compactMap { entry -> (SessionID, String)? in
            let details = entry.event.details
            guard entry.event.kind == .signedIn, let session = details.session, let address = details.address else {
                return nil
            }
            return (session, address)
        }
        return Dictionary(pairs) { newest, _ in newest }
    }
}

extension AuditEntry {
    /// The length of ``publicID``, in bytes.
    private static var publicIDLength: Int { 16 }

    /// What names the row to the account's owner.
    ///
    /// Its number would tell how much happened to other accounts meanwhile.
    fileprivate var publicID: String { Base64URL.encode(Array(hash.prefix(Self.publicIDLength))) }

    fileprivate static func isPublicID(_ text: String) -> Bool { Base64URL.decode(text)?.count == publicIDLength }
}

extension JSONValue {
    /// A row of the audit log as the account's owner sees it.
    init(_ entry: AuditEntry) {
        let event = entry.event
        self = [
            "id": .string(entry.publicID), "time": .string(JSONTime.text(event.time)),
            "event": .string(event.kind.rawValue), "actor": .string(event.actor.rawValue),
            "method": event.method.map { .string($0.rawValue) } ?? .null,
            "passkey": event.credential.map { .string($0.base64URL) } ?? .null,
            "session": event.details.session.map { .string($0.text) } ?? .null,
            "address": event.details.address.map { .string($0) } ?? .null,
            "factor": event.details.factor.map { .string($0) } ?? .null,
            "wrongPasswords": .integer(event.details.wrongPasswords),
        ]
    }
}
