import Foundation

/// What a day of ordinary use sends over the network.
enum DayFigure {
    private static let name = "sync-day"
    private static let (signIns, changes) = (20, 3)
    /// Eight kilobytes up and down, for each of two devices.
    private static let limit = 4 * 8 * 1_024

    static func run(isWanted: (String) -> Bool, _ report: (Figure) -> Void) async throws {
        guard isWanted(name) else { return }
        let world = try SyncWorld()
        defer { world.remove() }
        let (desk, phone) = try await (
            ManagerWorld(named: "-day", items: 100), ManagerWorld(named: "-night", items: nil)
        )
        defer {
            desk.remove()
            phone.remove()
        }
        let (first, second) = try await (AgentProcess.start(desk), AgentProcess.start(phone))
        try first.unlock()
        try first.sync(with: world.address, invitation: world.invitation())
        try world.join(first, second)
        let (one, other) = try (AgentConnection(to: desk.socket), AgentConnection(to: phone.socket))
        // Both wait for news.
        try first.add("before", on: one)
        try SyncFigures.shown("before", on: other)
        sleep(1)
        let (before, contents) = (try sent(), try world.contents())
        for number in 0..<signIns {
            try signIn(on: one)
            guard number % (signIns / changes) == 0, number / (signIns / changes) < changes else { continue }
            let title = "day\(number)"
            try first.add(title, on: one)
            try SyncFigures.shown(title, on: other)
        }
        sleep(1)
        let bytes = try sent() - before
        let alone = try world.contents() - contents
        report(
            Figure(
                name: name,
                title:
                    "bytes on the network for \(signIns) sign-ins and \(changes) changes of a device, until another one has them",
                value: Double(bytes),
                text: "\(bytes) bytes up and down, of both devices and the server, with the headers of TCP and IP",
                unit: "bytes",
                limit: Double(limit),
                limitText: "\(limit) bytes: 8 KiB up and down for each device"
            ).beside(Double(2 * alone), "the entries alone, and what they seal, once up and once down")
        )
        try first.stop()
        try second.stop()
    }

    /// Signs in with the passkey of the first item.
    private static func signIn(on connection: AgentConnection) throws {
        let options = """
            {"challenge":"\(String(repeating: "A", count: 43))","rpId":"site0.example","userVerification":"discouraged"}
            """
        let parameters: [String: Any] = [
            "authorization": ["passphrase": ManagerWorld.passphrase, "mayPrompt": false],
            "origin": "https://site0.example", "options": options,
        ]
        _ = try connection.call("passkeys.get", parameters)
    }

    /// What went over the loopback so far, in bytes: everything is sent there once.
    private static func sent() throws -> Int {
        let text = try String(contentsOfFile: "/sys/class/net/lo/statistics/tx_bytes", encoding: .utf8)
        guard let number = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Command.Failed(description: "the system does not say what was sent")
        }
        return number
    }
}
