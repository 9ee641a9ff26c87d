internal import WardAgentClient

/// The methods of the agent: their names, the programs that may call them, and the code that answers them.
struct MethodTable: Sendable {
    /// A request as the connection received it.
    struct Request: Sendable {
        let id: Envelope.ID?
        let line: [UInt8]
    }

    /// The code that answers a method, and its audience.
    enum Entry: Sendable {
        case app(@Sendable (Request, AppProgram) async throws -> [UInt8])
        case manager(@Sendable (Request, ManagerProgram) async throws -> [UInt8])
        case browser(@Sendable (Request, BrowserProgram) async throws -> [UInt8])
    }

    private var entries: [String: Entry] = [:]

    init() {}

    /// The entry of a method, or `nil` if this agent does not know the name.
    subscript(name: String) -> Entry? { entries[name] }

    /// The names of all methods.
    var names: Set<String> { Set(entries.keys) }

    /// Adds a method for apps.
    mutating func add<Method: AppMethod>(
        _ answer: @escaping @Sendable (Method, AppProgram) async throws -> Method.Result
    ) {
        entries[Method.name] = .app { request, app in
            try Envelope.encode(answer: request.id, try await answer(try request.parameters(Method.self), app))
        }
    }

    /// Adds a method for browsers.
    mutating func add<Method: BrowserMethod>(
        _ answer: @escaping @Sendable (Method, BrowserProgram) async throws -> Method.Result
    ) {
        entries[Method.name] = .browser { request, browser in
            try Envelope.encode(answer: request.id, try await answer(try request.parameters(Method.self), browser))
        }
    }

    /// Adds a method for the manager's own programs.
    mutating func add<Method: ManagerMethod>(
        _ answer: @escaping @Sendable (Method, ManagerProgram) async throws -> Method.Result
    ) {
        entries[Method.name] = .manager { request, program in
            try Envelope.encode(answer: request.id, try await answer(try request.parameters(Method.self), program))
        }
    }
}

extension MethodTable.Request {
    /// Reads the parameters of the method.
    ///
    /// - Throws: `AgentError` with `invalidRequest`.
    func parameters<Method: Decodable>(_ type: Method.Type) throws(AgentError) -> Method {
        do {
            return try Envelope.decode(Envelope.Parameters<Method>.self, from: line).params
        } catch let error as AgentError {
            throw error
        } catch let error as DecodingError {
            throw Self.sentence(error)
        } catch {
            throw AgentError(.invalidRequest, "The request has the wrong form")
        }
    }

    /// The error names the member that is missing or wrong, but never its value.
    private static func sentence(_ error: DecodingError) -> AgentError {
        func path(_ keys: [any CodingKey]) -> String {
            keys.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue.prefix(64))" }.joined().dropFirst()
                .description
        }
        let problem =
            switch error {
            case .keyNotFound(let key, let context): "lacks the member \(path(context.codingPath + [key]))"
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                "has a wrong value for the member \(path(context.codingPath))"
            @unknown default: "has the wrong form"
            }
        return AgentError(.invalidRequest, "The request \(problem)")
    }
}
