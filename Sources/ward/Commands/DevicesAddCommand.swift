import ArgumentParser
import Foundation
import WardAgentClient

/// Adds a device.
struct DevicesAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a device that runs ward join.",
        discussion: """
            If the vault syncs with a server, the command shows a code for five minutes: type it on the new device, or let it \
            read the QR code. With a folder, \
            it waits until the request of the new device is there. Then it shows eight words. Compare them with the words on \
            the new device: everybody who can write into the folder can write a request.
            """
    )

    private static let patience = 600

    @OptionGroup var options: AgentOptions
    @Option(
        help: ArgumentHelp(
            """
            Answer the request with this ID, or with these first characters of its ID, and do not wait. To see the IDs: \
            ward devices requests
            """,
            valueName: "id"
        )
    )
    var request: String?
    @Flag(help: "With --request, or with a server: do not ask whether the words are the same.")
    var yes = false

    func run() async throws {
        let owner = try OwnerPassphrase(options)
        try await options.withAgent { agent in
            if try await usesServer(owner.authorization, agent) { return try await addOverServer(owner, agent) }
            guard !yes || request != nil else {
                throw Failure(
                    .usage,
                    "--yes needs --request: without the words, only its ID tells a request. See it: ward devices requests"
                )
            }
            let found = try await find(owner.authorization, agent)
            if !yes {
                try confirm(found, refused: "If no device of yours asks, somebody else can write into the folder")
            }
            let added = try await owner.use { passphrase in
                try await agent.call(AddDevice(request: found.id, passphrase: passphrase))
            }
            if options.json { return try Output.json(added) }
            Output.lines([
                "\(DeviceText.name(added.device)) was added.",
                "Now type the passphrase there. If the folder needs time to get there, the new device waits.",
            ])
            for notice in SyncText.notices(added.state) { Terminal.note("Warning: \(notice)") }
        }
    }

    /// Whether the vault syncs with a server; a locked vault is opened.
    private func usesServer(_ authorization: Authorization, _ agent: AgentClient) async throws -> Bool {
        var state = try await agent.call(SyncStatus())
        if state.isLocked {
            _ = try await agent.call(Unlock(authorization: authorization))
            state = try await agent.call(SyncStatus())
        }
        return state.server != nil
    }

    private typealias Request = ListDeviceRequests.Request

    private func find(_ authorization: Authorization, _ agent: AgentClient) async throws -> Request {
        let method = ListDeviceRequests(authorization: authorization)
        if let request {
            let found = try await agent.call(method).requests.filter { $0.id.hasPrefix(request.lowercased()) }
            guard let first = found.first, !request.isEmpty else {
                throw Failure(.missing, "No request in the folder has this ID. On the new device: ward join FOLDER")
            }
            guard found.count == 1 else {
                throw Failure(.ambiguous, "Several requests begin with this ID. Type more of it")
            }
            return first
        }
        guard Terminal.isInteractive, !options.noPrompt, !options.json else {
            throw Failure(
                .usage,
                "Cannot ask for confirmation here. Compare the words in: ward devices requests. Then add --request ID --yes"
            )
        }
        var told: Set<String> = []
        let wait = Waiting(seconds: Self.patience, isQuiet: options.json)
        let waiting = try await wait.until("Waiting for a new device. Run there: ward join FOLDER") {
            let result = try await agent.call(method)
            for warning in result.warnings where told.insert(warning).inserted {
                Terminal.note("Left out: \(Table.clean(warning))")
            }
            let open = result.requests.filter { !$0.isAnswered }
            return open.isEmpty ? nil : open
        }
        guard let waiting else {
            throw Failure(
                .unavailable,
                "No new device has asked. Run on it: ward join FOLDER. Then try again: ward devices add"
            )
        }
        return try pick(waiting)
    }

    private func pick(_ requests: [Request]) throws -> Request {
        if requests.count == 1 { return requests[0] }
        var table = Table([
            .init(heading: "", shrinks: false), .init(heading: "Name"), .init(heading: "System"),
            .init(heading: "Asked", shrinks: false), .init(heading: "Words"),
        ])
        for (number, request) in requests.enumerated() {
            table.add([
                "\(number + 1)", DeviceText.quoted(request.name), request.system, DeviceText.age(request),
                request.words.prefix(2).joined(separator: " ") + " …",
            ])
        }
        Terminal.note("Several devices want to join:")
        Terminal.note(
            table.lines(width: Terminal.width(of: STDERR_FILENO), paint: Paint(isOn: Paint.isWantedOnError))
                .joined(separator: "\n")
        )
        while true {
            let answer = try Question.text("Which one? [1-\(requests.count)] ").trimmingCharacters(in: .whitespaces)
            if answer.isEmpty { throw Failure(.denied, "No device was added") }
            if let number = Int(answer), requests.indices.contains(number - 1) { return requests[number - 1] }
            Terminal.note("  Type a number from 1 to \(requests.count), or press Enter to cancel.")
        }
    }

    /// Shows a request, and asks whether the words are the same.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - refused: What it can mean if they are not.
    /// - Throws: ``Failure`` with `denied` if they are not.
    func confirm(_ request: ListDeviceRequests.Request, refused: String) throws {
        guard Terminal.isInteractive, !options.noPrompt, !options.json else {
            throw Failure(.usage, "Cannot ask for confirmation here: add --yes")
        }
        let paint = Paint(isOn: Paint.isWantedOnError)
        Terminal.note("A device wants to share this vault:")
        Terminal.note("Name    \(DeviceText.quoted(request.name))")
        Terminal.note("System  \(DeviceText.quoted(request.system))")
        Terminal.note("Asked   \(DeviceText.age(request))")
        if request.isAnswered { Terminal.note("It was answered before. A new answer replaces the old one.") }
        Terminal.note("\n    " + paint.bold(request.words.joined(separator: " ")) + "\n")
        guard try Question.confirm("Does the new device show the same words?") else {
            throw Failure(.denied, "Nothing was added. \(refused)")
        }
    }
}
