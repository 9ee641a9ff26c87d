import HTTPTypes
import HummingbirdTesting
import Synchronization
import Testing
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// Bug class 14: whether a name exists must not show.
@Suite struct `Names that nobody has` {
    /// The members of a JSON value without what they hold.
    ///
    /// Some real credentials have no transports, so some decoys have none.
    private static func shape(_ value: JSONValue?) -> JSONValue {
        switch value {
        case .object(let members):
            .object(members.filter { $0.name != "transports" }.map { .init($0.name, shape($0.value)) })
        case .array(let elements): .array(elements.prefix(1).map { shape($0) })
        case .string: "text"
        case .integer: 0
        default: value ?? .null
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `bug class 14: they are answered in the same shape`(store: TestedStore) async throws {
        try await store.run { world in
            let ada = world.visitor()
            ada.authenticator.behaviour.transports = [.hybrid, .internal]
            try await ada.register("ada")
            let known = try await ada.post("sign-in/options", ["username": "ada"])
            for name in ["nobody", "", " ", "\u{0}", "a b", String(repeating: "x", count: 5_000), "😀"] {
                let unknown = try await ada.post("sign-in/options", ["username": .string(name)])
                #expect(unknown.status == known.status)
                #expect(unknown.headers.map(\.name) == known.headers.map(\.name))
                let credentials = unknown["publicKey", "allowCredentials"]?.arrayValue ?? []
                #expect((1...3).contains(credentials.count))
                let lengths = credentials.compactMap { $0["id"]?.base64URLValue?.count }
                #expect(lengths.allSatisfy { (16...64).contains($0) })
                #expect(Self.shape(unknown.json) == Self.shape(known.json), "\(name)")
            }
        }
    }

    @Test func `bug class 14: they get the same decoys each time, however they are written, and after a restart`()
        async throws
    {
        let store = MemoryAccountStore()
        let seen = Mutex<[[JSONValue]]>([])
        for _ in 0..<2 {
            try await withService(store: store) { world in
                for name in ["nobody", "NOBODY", "Nobody"] {
                    let answer = try await world.visitor().post("sign-in/options", ["username": .string(name)])
                    seen.withLock { $0.append(answer["publicKey", "allowCredentials"]?.arrayValue ?? []) }
                }
            }
        }
        let all = seen.withLock { $0 }
        #expect(Set(all).count == 1)
        #expect(all.allSatisfy { !$0.isEmpty })
    }

    @Test func `bug class 14: decoys follow from a secret that no two services share`() async throws {
        let seen = Mutex<Set<[UInt8]>>([])
        for _ in 0..<2 {
            let store = MemoryAccountStore()
            let server = try WardServer(configuration: .init(), store: store, logger: .silent)
            try await server.application().test(.router) { client in
                let visitor = Visitor(client, at: "http://localhost:8080")
                let answer = try await visitor.post("sign-in/options", ["username": "nobody"])
                seen.withLock { _ = $0.insert(answer["publicKey", "allowCredentials"]?.serialized ?? []) }
            }
        }
        #expect(seen.withLock { $0.count } == 2)
    }

    /// What can be sent back for any name: a wrong answer that is right in all a stranger can know.
    struct Attempt: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let spoil: @Sendable (inout VirtualAuthenticator) -> Void

        static let all = [
            Self(testDescription: "a signature by another key") { _ in },
            Self(testDescription: "no user verification") { $0.behaviour.isUserVerified = false },
            Self(testDescription: "nobody there") { $0.behaviour.isUserPresent = false },
            Self(testDescription: "another origin") { $0.origin = "https://evil.example" },
            Self(testDescription: "cut authenticator data") { $0.faults.authenticatorData = { Array($0.dropLast()) } },
            Self(testDescription: "no client data") { $0.faults.clientDataJSON = { _ in [] } },
            Self(testDescription: "no signature") { $0.faults.signature = { _ in [] } },
            Self(testDescription: "another user handle") { authenticator in
                authenticator.faults.authentication = { response in
                    var response = response
                    response.userHandle = UserHandle([1])
                    return response
                }
            },
            Self(testDescription: "another credential") { authenticator in
                authenticator.faults.authentication = { response in
                    var response = response
                    response.id = CredentialID([1, 2, 3]) ?? response.id
                    return response
                }
            },
        ]
    }

    @Test(arguments: Attempt.all)
    func `bug class 14: a wrong answer fails alike for them and for a name that exists`(attempt: Attempt) async throws {
        try await withService { world in
            try await world.visitor().register("ada")
            var answers: [Answer] = []
            for name in ["ada", "nobody"] {
                answers.append(try await world.visitor().signInAsStranger(to: name, spoil: attempt.spoil))
            }
            #expect(answers[0].status.code >= 400)
            #expect(answers[0].status == answers[1].status)
            #expect(answers[0].text == answers[1].text)
        }
    }

    @Test func `bug class 14: the store is asked as often for them as for a name that exists`() async throws {
        let store = CountingStore(MemoryAccountStore())
        try await withService(store: store) { world in
            try await world.visitor().register("ada")
            var counts: [[String: Int]] = []
            for name in ["ada", "nobody", "not a name"] {
                store.reset()
                _ = try await world.visitor().post("sign-in/options", ["username": .string(name)])
                counts.append(store.counts)
            }
            #expect(counts[0].values.reduce(0, +) == counts[1].values.reduce(0, +))
            #expect(counts[0].values.reduce(0, +) == counts[2].values.reduce(0, +))
            #expect(counts[0]["write"] == 1 && counts[0]["read"] == nil)
        }
    }

    @Test func `registration says nothing about a name before a passkey is made for it`() async throws {
        try await withService { world in
            let ada = world.visitor()
            try await ada.register("ada")
            let stranger = world.visitor()
            let taken = try await stranger.post("registration/options", ["username": "ada"])
            let free = try await stranger.post("registration/options", ["username": "bob"])
            #expect(taken.status == .ok && free.status == .ok)
            #expect(Self.shape(taken.json) == Self.shape(free.json))
            #expect(taken["publicKey", "excludeCredentials"] == [])
        }
    }
}
