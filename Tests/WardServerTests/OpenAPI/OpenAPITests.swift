import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText

/// The description says what the routes do, and the other way round.
@Suite struct `The description of the API` {
    /// The operations of the document: `POST /api/v1/sign-out`.
    private static func described() throws -> [DescribedOperation] { try DescribedOperation.all(of: "openapi") }

    /// The calls of a service, such as `POST /api/v1/sign-out`; without pages, and without what other standards describe.
    private static func routes(_ configuration: ServerConfiguration) async throws -> Set<String> {
        let deployment = try await Deployment(
            configuration,
            store: MemoryAccountStore(),
            effects: TestEffects().effects
        )
        let table = RouteTable(try deployment.router(configuration))
        let health = ["/healthz", "/readyz"]
        let served = table.entries.filter { $0.template.hasPrefix("/api/") || health.contains($0.template) }
        return Set(
            served.flatMap { entry in
                entry.methods.filter { $0 != "HEAD" }.map { "\($0) \(entry.template)" }
            }
        )
    }

    @Test func `every route is described, and every operation is a route`() async throws {
        let described = Set(try Self.described().map(\.call))
        #expect(try await Self.routes(ServerConfiguration()) == described)
        #expect(described.count == 64)
    }

    @Test func `every call of the admin page is described in a document of its own`() async throws {
        let described = Set(try DescribedOperation.all(of: "openapi-admin-page").map(\.call))
        let ofEverybody = try await Self.routes(ServerConfiguration())
        #expect(try await Self.routes(AdminFixture.configuration).subtracting(ofEverybody) == described)
        #expect(described.count == 16 && described.isDisjoint(with: ofEverybody))
    }

    @Test func `every operation of the admin page answers with a status that it lists`() async throws {
        try await withAdministrators { admin in
            for operation in try DescribedOperation.all(of: "openapi-admin-page") {
                for visitor in [admin.person, admin.world.visitor()] {
                    for account in [admin.ada, AdminFixture.nobody] {
                        let path = operation.path.replacing("{id}", with: account)
                        for body in operation.examples {
                            let answer = try await visitor.send(operation.method, path, body?.serialized)
                            let status = "\(answer.status.code)"
                            #expect(operation.statuses.contains(status), "\(operation.call): \(status)")
                        }
                    }
                }
            }
        }
    }

    @Test func `every operation of the admin page says how it refuses`() throws {
        for operation in try DescribedOperation.all(of: "openapi-admin-page") {
            #expect(operation.statuses.isSuperset(of: ["401", "403", "404", "503"]), "\(operation.call)")
            if operation.value["requestBody"] != nil {
                #expect(operation.statuses.isSuperset(of: ["400", "413", "415"]), "\(operation.call)")
            }
            #expect(operation.value["operationId"] != nil && operation.value["summary"] != nil)
        }
    }

    @Test func `what two documents describe under one name is the same`() throws {
        let all = try DescribedOperation.document("openapi")["components"]?["schemas"]
        let programs = try DescribedOperation.document("openapi-admin")["components"]?["schemas"]
        let page = try DescribedOperation.document("openapi-admin-page")["components"]?["schemas"]
        for name in ["Time", "Base64URL", "Passkey", "Activity", "Factors", "Email"] {
            #expect(all?[name] != nil && all?[name] == programs?[name], "\(name)")
        }
        for name in ["AccountSummary", "AuditRow"] {
            #expect(page?[name] != nil && page?[name] == programs?[name], "\(name)")
        }
        // The list of sessions of programs does not have every member.
        for member in ["method", "userVerified", "secondFactor"] {
            let one = all?["Session"]?["properties"]?[member]
            let other = programs?["Session"]?["properties"]?[member]
            #expect(one != nil && one == other, "\(member)")
        }
    }

    @Test func `every operation answers its examples with a status it lists`() async throws {
        try await withService { world in
            for operation in try Self.described() {
                let path = operation.path.replacing("{id}", with: "RKcIx30JTJU3UYWmtCDlnw")
                for visitor in [world.visitor(), try await member(of: world)] {
                    for body in operation.examples {
                        let answer = try await visitor.send(operation.method, path, body?.serialized)
                        let status = "\(answer.status.code)"
                        #expect(operation.statuses.contains(status), "\(operation.call): \(status)")
                    }
                }
            }
        }
    }

    private func member(of world: ServiceFixture) async throws -> Visitor {
        let visitor = world.visitor()
        let free = try await visitor.register("member\(world.effects.now)")
        if free.status == .conflict {
            world.effects.advance(by: 1)
            return try await member(of: world)
        }
        world.effects.advance(by: 1)
        return visitor
    }

    @Test func `every operation says how it refuses`() throws {
        for operation in try Self.described() {
            let (call, statuses, value) = (operation.call, operation.statuses, operation.value)
            if value["requestBody"] != nil {
                #expect(statuses.isSuperset(of: ["400", "403", "413", "415"]), "\(call)")
            }
            if operation.method != .get { #expect(statuses.contains("403"), "\(call)") }
            if value["security"] == [["session": []], ["bearer": []]] { #expect(statuses.contains("401"), "\(call)") }
            if operation.path.contains("{id}") { #expect(statuses.contains("404"), "\(call)") }
            #expect(value["operationId"] != nil && value["summary"] != nil)
        }
    }

    @Test(arguments: ["openapi", "openapi-admin", "openapi-admin-page"])
    func `every reference in it leads somewhere`(name: String) throws {
        let (document, all) = (try DescribedOperation.document(name), try DescribedOperation.document("openapi"))
        for reference in document.references {
            // The document of the admin page is one folder below the other.
            let isElsewhere = name == "openapi-admin-page" && reference.hasPrefix("../openapi.json#/")
            #expect(isElsewhere || reference.hasPrefix("#/"), "\(reference)")
            let names = reference.split(separator: "/").drop { !$0.hasSuffix("#") }.dropFirst().map(String.init)
            let target = names.reduce((isElsewhere ? all : document) as JSONValue?) { $0?[$1] }
            #expect(!names.isEmpty && target != nil, "\(reference)")
        }
        #expect(!document.references.isEmpty)
    }

    @Test func `it is served as it is`() async throws {
        try await withService { world in
            let answer = try await world.visitor().get("openapi.json")
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(try JSONValue(answer.body, limits: DescribedOperation.limits)["openapi"] == "3.1.0")
        }
    }
}

extension JSONValue {
    /// All `$ref` in it.
    fileprivate var references: [String] {
        switch self {
        case .object(let members):
            members.flatMap { $0.name == "$ref" ? [$0.value.stringValue ?? ""] : $0.value.references }
        case .array(let elements): elements.flatMap(\.references)
        default: []
        }
    }
}
