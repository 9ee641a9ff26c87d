import ArgumentParser
import Foundation
import WardAgentClient
import WardVault

/// Joins the devices of a vault.
struct JoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Get a vault from another device, through a folder or a sync server.",
        discussion: """
            With a folder, the command shows eight words and waits until you run ward devices add on a device that has the vault. \
            With the address of a sync server, it asks for the code that ward devices add shows there, and then shows the words. \
            It can read the QR code beside the code instead: from the screen with --scan, or from a picture with --picture. \
            Then it asks for the vault's passphrase. With a folder you can stop the command and run it again: the words stay the \
            same for 7 days. With a server, make a new code.
            """
    )

    @OptionGroup var options: AgentOptions
    @Argument(
        help: ArgumentHelp(
            """
            A folder that exists, the address of a sync server, such as https://sync.example.org, or the text of the QR code.
            """,
            valueName: "place"
        ),
        completion: .directory
    )
    var place: String?
    @Flag(help: "Read the QR code of ward devices add from the screen: the desktop takes a picture of it.")
    var scan = false
    @Option(
        help: ArgumentHelp("Read the QR code of ward devices add from this picture.", valueName: "file"),
        completion: .file()
    )
    var picture: String?
    @Option(help: ArgumentHelp("Name of this device. Default: the host name.", valueName: "name"))
    var name: String?
    @Option(help: ArgumentHelp("Wait so many seconds at most; with a server at most 660.", valueName: "seconds"))
    var timeout = 3600
    @Option(
        name: .customLong("code-file"),
        help: ArgumentHelp("Read the code for a server from this file; - is standard input.", valueName: "file"),
        completion: .file()
    )
    var codeFile: String?
    @Flag(help: "Take the request of this device back, and delete its keys.")
    var abandon = false

    private struct Joined: Encodable {
        let request: String
        let words: [String]
        let vault: String
        let secretKey: String
        let items: Int
        let passkeys: Int
        let device: DeviceRecord?
        let state: SyncState
    }

    func validate() throws {
        if let place { try Paths.check(place: place) }
        guard (0...604_800).contains(timeout) else {
            throw ValidationError("--timeout must be a number of seconds, at most 604800.")
        }
        guard [place != nil, scan, picture != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Name one of: a folder, an address, --scan and --picture.")
        }
        guard codeFile == nil || (isServer && !isLink) else {
            throw ValidationError("--code-file is for a server: its address begins with https://")
        }
        guard !abandon || (!scan && picture == nil) else {
            throw ValidationError("--abandon needs a folder or an address.")
        }
    }

    func run() async throws {
        let path = isServer ? nil : place.map(Paths.absolute)
        let vault = try options.vault()
        if abandon { return try await abandon(vault, path) }
        guard !vault.location.hasVault else {
            throw Failure(
                AgentError(
                    .init(rawValue: "vault_exists"),
                    "There is a vault at \(vault.location.database). If this device has just joined with it: ward sync on PLACE. To "
                        + "join with another vault beside it: ward join PLACE --vault NAME"
                )
            )
        }
        guard let path else { return try await joinOverServer(vault) }
        let owner = try OwnerPassphrase(options)
        try await vault.withAgent(creates: true) { agent in
            let begun = try await agent.call(BeginJoin(folder: path, deviceName: name))
            show(begun)
            let wait = Waiting(seconds: timeout, isQuiet: options.json)
            let isAnswered: Bool? = try await wait.until("Waiting for the other device") {
                try await agent.call(JoinStatus(folder: path)).isAnswered ? true : nil
            }
            guard isAnswered != nil else { throw Self.notYet("No device has answered yet.") }
            let joined = try await owner.use { passphrase in
                let method = FinishJoin(folder: path, passphrase: passphrase)
                let finished = try await wait.until("Waiting until the folder has everything") {
                    try await Self.finish(method, agent)
                }
                guard let finished else {
                    throw Self.notYet(
                        "The folder does not show everything that the other device has: something is not there yet, or the folder is an "
                            + "old copy.",
                        code: VaultError.Code.vaultIncomplete.name
                    )
                }
                return finished
            }
            try report(joined, begun, vault)
        }
    }

    /// Joins; `nil` if the folder or the server lacks something that the other device has written.
    static func finish<Method: AgentMethod>(_ method: Method, _ agent: AgentClient) async throws -> Method.Result? {
        do {
            return try await agent.call(method)
        } catch let error as AgentError where error.code.rawValue == VaultError.Code.vaultIncomplete.name {
            return nil
        }
    }

    private static func notYet(_ problem: String, code: String = "timeout") -> Failure {
        Failure(
            .unavailable,
            "\(problem) The request of this device stays for 7 days. To go on: ward join FOLDER",
            code: code
        )
    }

    private func show(_ begun: BeginJoin.Result) {
        let paint = Paint(isOn: Paint.isWantedOnError)
        if begun.isEarlier { Terminal.note("The request from before goes on.") }
        Terminal.note("This device is \(DeviceText.quoted(begun.deviceName)), and has these words:")
        Terminal.note("\n    " + paint.bold(begun.words.joined(separator: " ")) + "\n")
        Terminal.note("On a device that has the vault: ward devices add")
        Terminal.note("Say yes there only if it shows the same words.")
    }

    func report(
        _ joined: FinishJoin.Result,
        _ begun: BeginJoin.Result,
        _ vault: VaultChoice
    ) throws {
        guard !options.json else {
            return try Output.json(
                Joined(
                    request: begun.request,
                    words: begun.words,
                    vault: joined.vault,
                    secretKey: joined.secretKey,
                    items: joined.items,
                    passkeys: joined.passkeys,
                    device: joined.device,
                    state: joined.state
                )
            )
        }
        let items = SyncText.number(joined.items, "item", "items")
        let passkeys = SyncText.number(joined.passkeys, "passkey", "passkeys")
        Output.lines([
            "\(vault.subject) is open, with \(items) and \(passkeys): \(Paths.short(joined.vault))",
            "Sync is \(joined.state.isOn == true ? "on" : "off"): \(SyncText.place(joined.state) ?? "")",
            "The vault's Secret Key is on this device too: \(Paths.short(joined.secretKey))",
        ])
        for notice in SyncText.notices(joined.state) { Terminal.note("Warning: \(notice)") }
    }

    private func abandon(_ vault: VaultChoice, _ path: String?) async throws {
        let result = try await vault.withAgent(creates: true) { agent in
            try await agent.call(AbandonJoin(folder: path))
        }
        if options.json { return try Output.json(result) }
        Output.lines([result.wasThere ? "The request was taken back." : "This device has not asked to join."])
        if result.wasAnswered {
            Terminal.note("Warning: The other device had added this one already. Remove it there: ward devices remove")
        } else if result.mayBeAnswered == true {
            Terminal.note(
                "Warning: The folder, or an answer in it, cannot be read now. If the other device has added this one, remove it "
                    + "there: ward devices remove"
            )
        }
    }
}
