import Crypto
import Hummingbird
import Synchronization
import WardText
import WardWebAuthn

/// The accounts and their sessions, in memory.
///
/// A real service has both in its database.
final class People: Sendable {
    /// One account.
    ///
    /// Its ID is the user handle: random bytes, never the name.
    struct Person {
        let id: UserHandle
        let name: String
    }

    private struct State {
        var people: [UserHandle: Person] = [:]
        /// By the hash of the cookie, so that a copy of this table signs nobody in.
        var sessions: [[UInt8]: UserHandle] = [:]

        func isFree(_ name: String) -> Bool { !people.values.contains { $0.name == name } }
    }

    private let state = Mutex(State())

    /// A person with a new name.
    ///
    /// The account exists only when its first passkey is verified.
    func newPerson(named name: String) throws -> Person {
        guard (1...64).contains(name.utf8.count) else {
            throw HTTPError(.badRequest, message: "a name has 1 to 64 bytes")
        }
        guard state.withLock({ $0.isFree(name) }) else { throw HTTPError(.conflict, message: "the name is taken") }
        return Person(id: .random(), name: name)
    }

    /// Adds the account of a verified registration, unless it exists; `false` if somebody else has its name.
    func add(_ user: PublicKeyCredentialUserEntity?) -> Bool {
        guard let user else { return false }
        return state.withLock { state in
            if state.people[user.id] != nil { return true }
            guard state.isFree(user.name) else { return false }
            state.people[user.id] = Person(id: user.id, name: user.name)
            return true
        }
    }

    /// Begins a session: the cookie is a random value that scripts cannot read and other sites do not send.
    func signIn(_ id: UserHandle) throws -> Response {
        let token = SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Base64URL.encode(Array($0)) }
        let person = state.withLock { state in
            state.sessions[Self.hash(token)] = id
            return state.people[id]
        }
        guard let person else { throw HTTPError(.unauthorized) }
        var response = Response.json(["name": .string(person.name)])
        // With https, add "Secure" and call it "__Host-session".
        response.setCookie(Cookie(name: "session", value: token, path: "/", httpOnly: true, sameSite: .lax))
        return response
    }

    /// The person whose session's cookie the request has.
    func signedIn(_ request: Request) -> Person? {
        guard let cookie = request.cookies["session"] else { return nil }
        return state.withLock { state in state.sessions[Self.hash(cookie.value)].flatMap { state.people[$0] } }
    }

    /// Ends the session.
    func signOut(_ request: Request) -> Response {
        if let cookie = request.cookies["session"] { state.withLock { $0.sessions[Self.hash(cookie.value)] = nil } }
        var response = Response(status: .noContent)
        response.setCookie(Cookie(name: "session", value: "", maxAge: 0, path: "/", httpOnly: true, sameSite: .lax))
        return response
    }

    private static func hash(_ token: String) -> [UInt8] { Array(SHA256.hash(data: Array(token.utf8))) }
}
