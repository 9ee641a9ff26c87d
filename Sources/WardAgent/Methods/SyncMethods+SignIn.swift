internal import WardAgentClient
internal import WardSync

/// Signing in at a sync server.
extension SyncMethods {
    func beginSignIn(_ method: BeginServerSignIn) async throws -> BeginServerSignIn.Result {
        try await session.working {
            let signIn = ServerSignIn(try Self.address(method.server))
            let codes = try await Self.saying(isMove: method.isMove) { try await signIn.begin() }
            return BeginServerSignIn.Result(
                codes: codes.map { codes in
                    .init(
                        code: codes.code,
                        userCode: codes.userCode,
                        page: codes.page.text,
                        link: codes.link,
                        seconds: Int(clamping: codes.seconds),
                        interval: Int(clamping: codes.interval)
                    )
                }
            )
        }
    }

    func signInStatus(_ method: ServerSignInStatus) async throws -> ServerSignInStatus.Result {
        try await session.working {
            try Self.checkToken(method.code)
            let signIn = ServerSignIn(try Self.address(method.server))
            let wait = try await Self.saying(isMove: method.isMove) { try await signIn.wait(for: method.code) }
            return ServerSignInStatus.Result(wait: wait.map { Int(clamping: $0) })
        }
    }

    /// Asks a server; what goes wrong is said as the end of a command, which it names: no sync tries again.
    private static func saying<Answer>(isMove: Bool?, _ body: () async throws -> Answer) async throws -> Answer {
        do { return try await body() } catch let error as ServerError {
            guard isMove == true else { throw error.endingCommand }
            throw AgentError(error, for: .moving)
        }
    }
}
