import HTTPTypes
import Testing
import WardServer
import WardTesting
import WardText

/// The description says what the routes do, and the other way round.
@Suite struct `The description of the API` {
    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    /// It is our own file, and larger than what strangers may send.
    private static let limits = JSONLimits(depth: 32, items: 65_536)

    /// What the document describes: `POST /api/v1/sign-out`.
    private static func described() throws -> [(path: String, method: String, operation: JSONValue)] {
        let document = try JSONValue(OpenAPIDescription().json, limits: Self.limits)
        return (document["paths"]?.objectValue ?? []).flatMap { path in
            (path.value.objectValue ?? []).filter { methods.contains($0.name) }.map { (path.name, $0.name, $0.value) }
        }
    }

    private static func routes() async throws -> Set<String> {
        let deployment = try await Deployment(
            ServerConfiguration(),
            store: MemoryAccountStore(),
            effects: TestEffects().effects
        )
        let table = RouteTable(try deployment.router(ServerConfiguration()))
        let health = ["/healthz", "/readyz"]
        let served = table.entries.filter { $0.template.hasPrefix("/api/") || health.contains($0.template) }
        return Set(
            served.flatMap { entry in
                entry.methods.filter { $0 != "HEAD" }.map { "\($0) \(entry.template)" }
            }
        )
    }

    @Test func `every route is described, and every operation is a route`() async throws {
        let described = Set(try Self.described().map { "\($0.method.uppercased()) \($0.path)" })
        #expect(try await Self.routes() == described)
        #expect(described.count == 62)
    }

    @Test func `every operation answers its examples with a status it lists`() async throws {
        try await withService { world in
            for (path, method, operation) in try Self.described() {
                let statuses = (operation["responses"]?.objectValue ?? []).map(\.name)
                let content = operation["requestBody"]?["content"]?["application/json"]
                let examples = content?["examples"]?.objectValue?.compactMap { $0.value["value"] } ?? []
                let name = try #require(HTTPRequest.Method(method.uppercased()))
                let target = path.replacing("{id}", with: "RKcIx30JTJU3UYWmtCDlnw")
                for visitor in [world.visitor(), try await member(of: world)] {
                    for body in examples.isEmpty ? [nil] : examples.map(Optional.some) {
                        let answer = try await visitor.send(name, target, body?.serialized)
                        #expect(statuses.contains("\(answer.status.code)"), "\(method) \(path): \(answer.status)")
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
        for (path, method, operation) in try Self.described() {
            let statuses = Set((operation["responses"]?.objectValue ?? []).map(\.name))
            if operation["requestBody"] != nil {
                #expect(statuses.isSuperset(of: ["400", "403", "413", "415"]), "\(method) \(path)")
            }
            if method != "get" { #expect(statuses.contains("403"), "\(method) \(path)") }
            if operation["security"] == [["session": []], ["bearer": []]] {
                #expect(statuses.contains("401"), "\(method) \(path)")
            }
            if path.contains("{id}") { #expect(statuses.contains("404"), "\(method) \(path)") }
            #expect(operation["operationId"] != nil && operation["summary"] != nil)
        }
    }

    @Test func `every reference in it leads somewhere`() throws {
        let document = try JSONValue(OpenAPIDescription().json, limits: Self.limits)
        for reference in document.references {
            let target = reference.dropFirst(2).split(separator: "/").reduce(document as JSONValue?) { $0?[String($1)] }
            #expect(target != nil, "\(reference)")
        }
        #expect(!document.references.isEmpty)
    }

    @Test func `it is served as it is`() async throws {
        try await withService { world in
            let answer = try await world.visitor().get("openapi.json")
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(try JSONValue(answer.body, limits: Self.limits)["openapi"] == "3.1.0")
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
