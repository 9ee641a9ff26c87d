internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import WardAgentClient
internal import WardText

/// Listens for the agent and answers with controllers: the server's half of the provider protocol.
struct ExtensionServer: Sendable {
    let identifier: String
    /// The secret that only the agent knows.
    let proof: String
    let controller: @MainActor @Sendable () -> ASCredentialProviderViewController

    /// Listens until the task is cancelled.
    ///
    /// - Throws: ``ASExtensionError`` when the socket cannot be made; what NIO throws.
    func serve(at path: String) async throws {
        let mask = umask(0o077)
        defer { umask(mask) }
        unsafe unlink(path)
        let listener: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>
        do {
            listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .bind(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineFrames()))
                        return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw ASExtensionError(.failed)
        }
        try await listener.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    group.addTask { try? await serve(connection) }
                }
            }
        }
    }

    /// Answers the requests of one connection.
    ///
    /// When the agent closes the connection, requests in progress are cancelled.
    private func serve(_ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async throws {
        try await connection.executeThenClose { lines, answers in
            try await withThrowingDiscardingTaskGroup { group in
                var isAgent = false
                for try await line in lines {
                    let line = Array(line.readableBytesView)
                    let head = try Envelope.decode(Envelope.Head.self, from: line)
                    if head.method == ProviderMessages.Greeting.name { isAgent = knows(line) }
                    let isPermitted = isAgent
                    group.addTask {
                        let answer = await answer(head, line, isPermitted: isPermitted)
                        try await answers.write(ByteBuffer(bytes: answer + [0x0a]))
                    }
                }
                group.cancelAll()
            }
        }
    }

    /// Whether a `hello` request has the right proof.
    private func knows(_ line: [UInt8]) -> Bool {
        guard
            let greeting = try? Envelope.decode(Envelope.Parameters<ProviderMessages.Greeting>.self, from: line).params
        else { return false }
        return isEqualInConstantTime(Array(greeting.proof.utf8), Array(proof.utf8))
    }

    private func answer(_ head: Envelope.Head, _ line: [UInt8], isPermitted: Bool) async -> [UInt8] {
        do {
            guard isPermitted else {
                throw AgentError(.notPermitted, "this credential manager answers only Ward's agent")
            }
            return try await result(head, line)
        } catch {
            let refusal = Envelope.Refusal(id: head.id, Self.reported(error))
            return (try? Envelope.encode(refusal)) ?? []
        }
    }

    private static func reported(_ error: any Error) -> AgentError {
        if let error = error as? AgentError { return error }
        guard let error = error as? ASExtensionError else { return AgentError(.failed, "the request failed") }
        switch error.code {
        case .userCanceled: return AgentError(.denied, "the person declined")
        case .matchedExcludedCredential:
            return AgentError(.matchedExcluded, "this credential manager already has a passkey that the site excludes")
        case .credentialIdentityNotFound:
            return AgentError(.itemMissing, "this credential manager no longer has the credential")
        case .failed, .userInteractionRequired: return AgentError(.failed, "the request failed")
        }
    }

    private func result(_ head: Envelope.Head, _ line: [UInt8]) async throws -> [UInt8] {
        func handle<Method: AgentMethod>(
            _ type: Method.Type,
            _ body: (Method) async throws -> Method.Result
        ) async throws -> [UInt8] {
            let method: Method
            do {
                method = try Envelope.decode(Envelope.Parameters<Method>.self, from: line).params
            } catch {
                throw AgentError(.invalidRequest, "a member of the request is missing or has the wrong type")
            }
            return try Envelope.encode(Envelope.Answer(id: head.id, result: try await body(method)))
        }
        let requests = ExtensionRequests(
            identities: CredentialIdentityFile(identifier: identifier),
            controller: controller
        )
        return switch head.method {
        case ProviderMessages.Greeting.name:
            try await handle(ProviderMessages.Greeting.self) { greeting in
                guard let version = greeting.versions.filter(ProviderMessages.versions.contains).max() else {
                    throw AgentError(
                        .versionMismatch,
                        "this credential manager and the agent have no common protocol version: update both"
                    )
                }
                return .init(version: version, identifier: identifier)
            }
        case ProviderMessages.Entries.name:
            try await handle(ProviderMessages.Entries.self) { try requests.entries($0) }
        case ProviderMessages.Password.name:
            try await handle(ProviderMessages.Password.self) { try await requests.password($0) }
        case ProviderMessages.Code.name:
            try await handle(ProviderMessages.Code.self) { try await requests.code($0) }
        case ProviderMessages.Assertion.name:
            try await handle(ProviderMessages.Assertion.self) { try await requests.assertion($0) }
        case ProviderMessages.Registration.name:
            try await handle(ProviderMessages.Registration.self) { try await requests.registration($0) }
        case ProviderMessages.TextToInsert.name:
            try await handle(ProviderMessages.TextToInsert.self) { _ in try await requests.textToInsert() }
        case ProviderMessages.Save.name:
            try await handle(ProviderMessages.Save.self) { try await requests.save($0) }
        case ProviderMessages.MayUpgrade.name:
            try await handle(ProviderMessages.MayUpgrade.self) { try requests.mayUpgrade($0) }
        case ProviderMessages.Signal.name:
            try await handle(ProviderMessages.Signal.self) { try await requests.signal($0) }
        default: throw AgentError(.unknownMethod, "this credential manager does not know the method")
        }
    }
}
