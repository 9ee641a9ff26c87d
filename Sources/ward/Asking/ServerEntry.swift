import Foundation
import WardAgentClient

/// How a person brings a vault to a sync server that does not have it: with an account there, or with an invitation.
struct ServerEntry {
    /// Whether the vault moves to the server from another place.
    let isMove: Bool
    /// The address of the server.
    let server: String
    /// Whether the person wants to sign in, and is not asked for an invitation.
    let signsIn: Bool
    let options: AgentOptions

    /// What a program needs that shows the sign-in to a person.
    private struct Shown: Encodable {
        struct SignIn: Encodable {
            let code: String
            let page: String
            let link: String
            let seconds: Int
        }

        let signIn: SignIn
    }

    /// Whether the person can be asked.
    var mayAsk: Bool { Terminal.isInteractive && !options.noPrompt && !options.json }

    /// Asks the person for an invitation, or lets them sign in.
    ///
    /// - Returns: What brings the vault.
    /// - Throws: ``Failure`` that says what to do; `AgentError`.
    func invitation(_ agent: AgentClient) async throws -> String {
        guard mayAsk || signsIn else {
            throw Failure(
                .usage,
                "The vault is not on this server yet: add --invitation-file, or --sign-in if you have an account there"
            )
        }
        let codes = try await agent.call(BeginServerSignIn(server: server, isMove: isMove)).codes
        if !signsIn { Terminal.note("The vault is not on this server yet.") }
        guard let codes else {
            guard !signsIn else {
                throw Failure(.usage, "Nobody can sign in at this server to bring a vault: add --invitation-file")
            }
            Terminal.note("The operator makes an invitation: ward-server sync invite")
            return try Self.token(try Self.typed("Invitation of the operator (not shown): "))
        }
        if !signsIn {
            Terminal.note("Press Enter to sign in there with your account. Or type an invitation of the operator.")
            let typed = try Self.typed("Invitation of the operator, or Enter (not shown): ")
            guard typed.allSatisfy(\.isWhitespace) else { return try Self.token(typed) }
        }
        return try await signIn(codes, agent)
    }

    /// Reads what a person or a file gives as an invitation.
    ///
    /// - Throws: ``Failure`` if there is nothing in it.
    static func token(_ text: String) throws -> String {
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else { throw Failure(.usage, "The invitation is empty") }
        return token
    }

    private static func typed(_ question: String) throws -> String {
        String(decoding: try Question.secret(question), as: UTF8.self)
    }

    // MARK: Signing in

    private func signIn(_ codes: BeginServerSignIn.Result.Codes, _ agent: AgentClient) async throws -> String {
        try show(codes)
        var next = ContinuousClock.now + .seconds(codes.interval)
        let wait = Waiting(seconds: codes.seconds, isQuiet: options.json)
        let isAllowed: Bool? = try await wait.until("Waiting until you allow it there") {
            guard ContinuousClock.now >= next else { return nil }
            do {
                let status = try await agent.call(ServerSignInStatus(server: server, code: codes.code, isMove: isMove))
                guard let seconds = status.wait else { return true }
                next = ContinuousClock.now + .seconds(seconds)
            } catch let error as AgentError where error.mayPass || error.code == .unavailable {
                // The person may be typing there, and the code stays good.
                next = ContinuousClock.now + .seconds(2 * codes.interval)
            }
            return nil
        }
        guard isAllowed != nil else {
            throw Failure(
                .unavailable,
                "The sign-in was not finished in time. Begin again: ward sync \(isMove ? "move" : "on") \(server)",
                code: "timeout"
            )
        }
        return codes.code
    }

    private func show(_ codes: BeginServerSignIn.Result.Codes) throws {
        guard !options.json else {
            return try Output.json(
                Shown(
                    signIn: .init(
                        code: codes.userCode,
                        page: codes.page,
                        link: codes.link,
                        seconds: codes.seconds
                    )
                )
            )
        }
        let paint = Paint(isOn: Paint.isWantedOnError)
        Terminal.note("Sign in on this page, here or on another device:")
        Terminal.note("\n    " + codes.page + "\n")
        Terminal.note("Type this code there. If the page shows a code already, allow it only if it is this one:")
        Terminal.note("\n    " + paint.bold(codes.userCode) + "\n")
        if TerminalQR.show(codes.link) { Terminal.note("\nA phone opens the page with this picture.\n") }
        guard mayAsk, Browser.hasDesktop, (try? Browser.open(codes.link)) != nil else { return }
        Terminal.note("The page is open in your browser.")
    }
}
