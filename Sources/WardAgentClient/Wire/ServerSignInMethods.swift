/// Begins a sign-in at a sync server, with an account of its service, so that the vault can be brought without an invitation.
///
/// The person goes on in a browser. The agent keeps nothing of it.
package struct BeginServerSignIn: AgentMethod {
    package static let name = "sync.signIn"
    /// The address of the server.
    package var server: String
    /// Whether the vault moves to the server; sentences of errors name the command.
    package var isMove: Bool?

    package init(server: String, isMove: Bool? = nil) {
        self.server = server
        self.isMove = isMove
    }

    package struct Result: Codable, Sendable {
        package struct Codes: Codable, Sendable {
            /// The secret of this device; the invitation for `sync.on` once the person has agreed.
            package var code: String
            /// The code that the person compares, such as `WDJB-MJHT`.
            package var userCode: String
            /// The page where the person signs in.
            package var page: String
            /// The page with the code, which a browser opens.
            package var link: String
            /// How many seconds the codes are good for.
            package var seconds: Int
            /// How many seconds to wait before the first question.
            package var interval: Int

            package init(
                code: String,
                userCode: String,
                page: String,
                link: String,
                seconds: Int,
                interval: Int
            ) {
                self.code = code
                self.userCode = userCode
                self.page = page
                self.link = link
                self.seconds = seconds
                self.interval = interval
            }
        }

        /// The codes; `nil` if vaults of this server need an invitation.
        package var codes: Codes?
        package init(codes: Codes?) { self.codes = codes }
    }
}

/// Asks a sync server whether the person has agreed.
///
/// It fails with `sign_in_refused` or `sign_in_over` if the sign-in has ended.
package struct ServerSignInStatus: AgentMethod {
    package static let name = "sync.signInStatus"
    /// The address of the server.
    package var server: String
    /// The secret of this device.
    package var code: String
    /// Whether the vault moves to the server; sentences of errors name the command.
    package var isMove: Bool?

    package init(server: String, code: String, isMove: Bool? = nil) {
        self.server = server
        self.code = code
        self.isMove = isMove
    }

    package struct Result: Codable, Sendable {
        /// How many seconds to wait before the next question; `nil` if the person has agreed.
        package var wait: Int?
        package init(wait: Int?) { self.wait = wait }
    }
}
