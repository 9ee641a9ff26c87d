import Foundation
import WardAgentClient
import WardVault

/// Joining over a sync server.
extension JoinCommand {
    /// How long the other device may take to type the passphrase, and this one to get the code, in seconds.
    private static let patience = 660

    /// Whether the device joins over a server, and not over a folder.
    var isServer: Bool { place.map { $0.contains("://") || JoinLink.isLink($0) } ?? true }

    /// Whether the person gave the text of a QR code.
    var isLink: Bool { place.map(JoinLink.isLink) ?? false }

    func joinOverServer(_ vault: VaultChoice) async throws {
        let owner = try OwnerPassphrase(options)
        try await vault.withAgentThatSyncs(creates: true, isQuiet: options.json) { agent, sync in
            let begun = try await begin(agent)
            do {
                try await meet(begun, agent)
            } catch {
                _ = try? await agent.call(LeaveMeeting())
                throw error
            }
            let joined = try await owner.use { passphrase in
                let wait = Waiting(seconds: min(timeout, Self.patience), isQuiet: options.json)
                var pause = Pause()
                let finished: FinishJoin.Result? = try await wait.until("Waiting until the server has everything") {
                    guard pause.isOver else { return nil }
                    do {
                        pause.trouble = nil
                        return try await sync.during {
                            try await Self.finish(FinishMeeting(passphrase: passphrase), agent)
                        }
                    } catch let error as AgentError where error.mayPass {
                        // This device is in the circle already, so it would be a pity to begin anew.
                        pause.begin(error)
                        return nil
                    }
                }
                guard let finished else {
                    if let trouble = pause.trouble { throw trouble }
                    throw Failure(
                        .unavailable,
                        "The server does not show everything that the other device has: something is not there yet, or the server "
                            + "shows an old copy. On the other device: ward sync now. Then make a new code there: ward devices add. If "
                            + "this stays so, use another server or a folder",
                        code: VaultError.Code.vaultIncomplete.name
                    )
                }
                return finished
            }
            try report(joined, begun, vault)
        }
    }

    /// A pause after a trouble that may pass.
    private struct Pause {
        /// In seconds.
        private static let (shortest, longest) = (2, 30)

        private var length = 0
        private var end = ContinuousClock.now
        /// The last trouble; `nil` if there was none, or if it has passed.
        var trouble: AgentError?

        var isOver: Bool { ContinuousClock.now >= end }

        /// Begins a pause, twice as long as the one before.
        mutating func begin(_ trouble: AgentError) {
            if length == 0 { Terminal.note("The sync server is busy or cannot be reached now. Ward asks it again.") }
            length = min(Self.longest, max(Self.shortest, 2 * length))
            end = .now + .seconds(length)
            self.trouble = trouble
        }
    }

    /// Comes to the meeting; a person who mistypes the code is asked again.
    private func begin(_ agent: AgentClient) async throws -> BeginJoin.Result {
        let isTyped = place != nil && !isLink && codeFile == nil
        if isTyped, Terminal.isInteractive { Terminal.note("On a device that has the vault, run: ward devices add") }
        while true {
            let link = try givenLink()
            do {
                return try await agent.call(JoinMeeting(server: link.server, code: link.code, deviceName: name))
            } catch let error as AgentError where isTyped && error.code.rawValue == "meeting_not_found" {
                Terminal.note("  \(error.message)")
            }
        }
    }

    /// Waits for the other device, and shows the words.
    private func meet(_ begun: BeginJoin.Result, _ agent: AgentClient) async throws {
        let wait = Waiting(seconds: min(timeout, Self.patience), isQuiet: options.json)
        let asked = try await wait.until("Waiting for the other device") {
            let status = try await agent.call(JoinMeetingStatus())
            return status.hasAsked ? status : nil
        }
        guard asked != nil else { throw Self.late }
        let paint = Paint(isOn: Paint.isWantedOnError)
        Terminal.note("The codes match. This device is \(DeviceText.quoted(begun.deviceName)), and has these words:")
        Terminal.note("\n    " + paint.bold(begun.words.joined(separator: " ")) + "\n")
        Terminal.note("Say yes on the other device if it shows the same words.")
        let answered = try await wait.until("Waiting until you say yes there") {
            let status = try await agent.call(JoinMeetingStatus())
            return status.isAnswered ? status : nil
        }
        guard answered != nil else { throw Self.late }
    }

    private static let late = Failure(
        .unavailable,
        "The other device did not answer in time. Make a new code there: ward devices add",
        code: "timeout"
    )

    /// The server and the code: from a QR code, or from the person.
    private func givenLink() throws -> JoinLink {
        if let place, !isLink { return JoinLink(server: place, code: try givenCode()) }
        let link: JoinLink
        if let place {
            CommandLineSecret.wipe(beginningWith: "ward:")
            guard let read = JoinLink(place) else {
                throw Failure(
                    .usage,
                    "This is not the text of a QR code of ward devices add. Type the code: ward join ADDRESS"
                )
            }
            link = read
        } else {
            link = try JoinLink.only(in: picture.map(QRReader.texts) ?? ScreenQR.texts())
        }
        Terminal.note("Server  \(Table.clean(link.server))")
        return link
    }

    /// The code from a file, or from the person.
    private func givenCode() throws -> String {
        if let codeFile {
            return try TextFile.read(codeFile).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard Terminal.isInteractive, !options.noPrompt else {
            throw Failure(.usage, "Cannot ask for the code here: add --code-file")
        }
        while true {
            let typed = try Question.text("Code shown there: ")
            if PairingCode(given: typed) != nil { return typed }
            Terminal.note("  A code has eleven digits or more, such as 417-2290-8415")
        }
    }
}
