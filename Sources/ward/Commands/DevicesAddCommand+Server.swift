import Foundation
import WardAgentClient

/// Adding a device over a sync server.
extension DevicesAddCommand {
    private struct Code: Encodable {
        let code: String
        let server: String
        let seconds: Int
        /// What the QR code says.
        let link: String
    }

    func addOverServer(_ owner: OwnerPassphrase, _ agent: AgentClient) async throws {
        guard request == nil else {
            throw Failure(.usage, "--request is for a folder: over a server the new device comes with a code")
        }
        guard yes || (Terminal.isInteractive && !options.noPrompt && !options.json) else {
            throw Failure(.usage, "Cannot ask for confirmation here: add --yes")
        }
        let begun = try await agent.call(BeginMeeting(authorization: owner.authorization))
        do {
            try show(begun)
            let request = try await device(agent, within: begun.seconds)
            if !yes {
                try confirm(request, refused: "If it was not your device, somebody else had the code, or is in between")
            }
            let added = try await owner.use { passphrase in
                try await agent.call(AcceptMeeting(request: request.id, passphrase: passphrase))
            }
            if options.json { return try Output.json(added) }
            Output.lines([
                "\(DeviceText.name(added.device)) was added.", "Now type the passphrase there.",
            ])
            for notice in SyncText.notices(added.state) { Terminal.note("Warning: \(notice)") }
        } catch {
            _ = try? await agent.call(EndMeeting())
            throw error
        }
    }

    private func show(_ begun: BeginMeeting.Result) throws {
        let link = JoinLink(server: begun.server, code: begun.code).text
        guard !options.json else {
            return try Output.json(
                Code(code: begun.code, server: begun.server, seconds: begun.seconds, link: link)
            )
        }
        let paint = Paint(isOn: Paint.isWantedOnError)
        Terminal.note("On the new device, run: ward join \(begun.server)")
        Terminal.note("and type this code, within \(max(1, begun.seconds / 60)) minutes:")
        Terminal.note("\n    " + paint.bold(begun.code) + "\n")
        if TerminalQR.show(link) {
            Terminal.note(
                "\nOr let it read this picture: ward join --scan (from its screen), or ward join --picture FILE\n"
            )
        }
        Terminal.note("Tell it to nobody: whoever types it first is shown to you as the new device.")
    }

    /// Waits for the new device.
    private func device(_ agent: AgentClient, within seconds: Int) async throws -> ListDeviceRequests.Request {
        var refused = 0
        let wait = Waiting(seconds: seconds, isQuiet: options.json)
        let found = try await wait.until("Waiting for the new device") {
            let status = try await agent.call(MeetingStatus())
            if status.refused > refused {
                refused = status.refused
                Terminal.note("Another device came with the same number, and was refused.")
            }
            return status.request
        }
        guard let found else {
            throw Failure(.unavailable, "No new device has come. Try again: ward devices add", code: "timeout")
        }
        return found
    }
}
