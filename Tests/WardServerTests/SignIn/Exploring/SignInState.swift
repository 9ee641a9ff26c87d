import WardAccounts
import WardTesting
import WardText
import WardWebAuthn

/// Where one browser stands after some calls.
struct SignInState: Sendable {
    /// What the service knows.
    var store: MemoryAccountStore
    /// The cookies of the browser.
    var cookie: String?
    var device: String?
    /// The token of the last sign-in in steps that an answer named, and what may come next.
    var flow: String?
    var next: [String] = []
    /// The sign-in with a passkey that was begun last.
    var ceremony: Ceremony?
    /// The new passkey that a sign-in in steps asked for.
    var enrolment: Enrolment?
    /// What right arguments of the account's owner proved, by the token of the flow.
    ///
    /// Only the explorer writes it, from the arguments that it sent.
    var proven: [String: Set<Shown>] = [:]
    /// The codes that opened something, and those that came in messages.
    var used: [Shown: String] = [:]
    var delivered: [Shown: [String]] = [:]
    /// The calls that led here.
    var path: [String] = []

    struct Ceremony: Sendable {
        let started: Started<PublicKeyCredentialRequestOptions>
        let isNamed: Bool
        /// The answer that the service accepted.
        var accepted: AuthenticationResponse?
        var isTried = false
    }

    struct Enrolment: Sendable {
        let started: Started<PublicKeyCredentialCreationOptions>
        let flow: String
        var accepted: RegistrationResponse?
    }

    /// What tells one state from another: nothing random, and no clock.
    struct Value: Hashable, Sendable {
        let hasSession: Bool
        let hasDevice: Bool
        let hasFlow: Bool
        let next: [String]
        let proven: Set<Shown>
        /// The stored flow of the browser, which says what was proven, and how often the answer was wrong or a code was sent.
        let flow: String
        let ceremony: Int
        let enrolment: Int
        let used: Set<Shown>
        /// For each kind of message whether a code waits, and whether an older one was replaced.
        let delivered: [Shown: [Bool]]
        let passkeys: Int
        let factors: Int
        let appCounter: Int64
        let sessions: Int
    }

    /// The stored flow of a token, or `nil` if it is over.
    static func flow(_ token: String?, in store: MemoryAccountStore) async throws -> JSONValue? {
        guard let hash = token.flatMap({ LinkToken(text: $0) })?.hash else { return nil }
        // A look at it takes it out, so it is a look at a copy.
        let payload = try await store.copy().write { tx in try tx.takeCeremony(id: hash)?.payload }
        return try payload.map { try JSONValue($0) }
    }

    func value(of id: AccountID) async throws -> Value {
        let stored = try await Self.flow(flow, in: store)
        let (passkeys, factors, sessions) = try await store.read { tx in
            (try tx.passkeys(of: id).count, try tx.factors(of: id), try tx.sessions(of: id).count)
        }
        let ceremonyValue =
            switch ceremony {
            case nil: 0
            case let held?: (held.accepted != nil ? 3 : held.isTried ? 2 : 1) + (held.isNamed ? 3 : 0)
            }
        let waiting = delivered.mapValues { codes in
            [codes.last.map { !used.values.contains($0) } ?? false, codes.count > 1]
        }
        return Value(
            hasSession: cookie != nil,
            hasDevice: device != nil,
            hasFlow: flow != nil,
            next: next,
            proven: flow.flatMap { proven[$0] } ?? [],
            flow: stored?.text ?? "",
            ceremony: ceremonyValue,
            enrolment: enrolment.map { $0.accepted == nil ? 1 : 2 } ?? 0,
            used: Set(used.keys),
            delivered: waiting,
            passkeys: passkeys,
            factors: factors.count,
            appCounter: factors.map(\.counter).max() ?? 0,
            sessions: sessions
        )
    }
}
