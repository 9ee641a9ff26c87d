import ArgumentParser
import Foundation

/// What a person types.
///
/// Exit status: 0 well, 1 refused, 2 usage.
@main
struct WardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ward",
        abstract: "Passkeys on this machine.",
        subcommands: [InspectCommand.self]
    )

    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let usage as Usage {
            fail(usage.description)
        } catch {
            let code = exitCode(for: error)
            // Help and versions that were asked for, and codes that say all there is to say.
            if code == .success || error is ExitCode { exit(withError: error) }
            fail(fullMessage(for: error))
        }
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(
            Data((message.hasPrefix("Error:") ? message : "Error: \(message)").utf8 + [0x0a])
        )
        Foundation.exit(2)
    }
}
