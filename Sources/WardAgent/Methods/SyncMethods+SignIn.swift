internal import WardAgentClient
internal import WardSync

/// Signing in at a sync server.
extension SyncMethods {
    func beginSignIn(_ method: BeginServerSignIn) async throws -> BeginServerSignIn.Result {
        try await session.working {
            let codes = try await ServerSignIn(try Self.address(method.server)).begin()
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
            let wait = try await ServerSignIn(try Self.address(method.server)).wait(for: method.code)
            return ServerSignInStatus.Result(wait: wait.map { Int(clamping: $0) })
        }
    }
}
