import ArgumentParser
import WardAgentClient

/// Lists the requests of new devices.
struct DevicesRequestsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests",
        abstract: "List the devices that ask in the folder to join, the newest first.",
        discussion: """
            Everybody who can write into the folder can write a request. Compare all eight words with the words on the new \
            device before you add it: ward devices add --request ID

            Over a sync server there are no requests: a device joins with a code.
            """
    )

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let authorization = try options.authorization()
        try await options.withAgent { agent in
            let found = try await agent.call(ListDeviceRequests(authorization: authorization))
            if options.json { return try Output.json(found) }
            if found.requests.isEmpty {
                Terminal.note("No device asks to join. On the new device: ward join FOLDER")
            } else {
                Output.table(table(found.requests))
            }
            for warning in found.warnings { Terminal.note("Left out: \(Table.clean(warning))") }
        }
    }

    /// The words are whole on every terminal, because a person compares all of them.
    private func table(_ requests: [ListDeviceRequests.Request]) -> Table {
        var table = Table([
            .init(heading: "ID", shrinks: false), .init(heading: "Name"), .init(heading: "System"),
            .init(heading: "Asked", shrinks: false), .init(heading: "Words", shrinks: false),
        ])
        for request in requests {
            table.add([
                String(request.id.prefix(8)), DeviceText.quoted(request.name), request.system,
                DeviceText.age(request) + (request.isAnswered ? ", answered" : ""),
                request.words.joined(separator: " "),
            ])
        }
        return table
    }
}
