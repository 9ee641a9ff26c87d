import ArgumentParser
import Foundation
import WardAgentClient

/// Shows a verification code.
struct CodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Show the verification code of an item, and how long it is valid.",
        discussion: "A counter-based code (HOTP) is used up when it is shown."
    )

    @OptionGroup var options: AgentOptions
    @OptionGroup var item: ItemArgument
    @Option(help: ArgumentHelp("Number of the code if there are several, counted from 0.", valueName: "n"))
    var index = 0
    @Flag(help: "Copy the code to the clipboard for 45 seconds (WARD_CLIPBOARD_SECONDS).")
    var copy = false
    @Flag(help: "Keep showing the current code until Ctrl-C, or until the vault locks.")
    var watch = false

    func run() async throws {
        let authorization = try options.authorization()
        let watches = watch && isatty(STDOUT_FILENO) == 1 && !options.json
        try await options.withAgent { agent in
            let (method, first) = try await item.pick(options, authorization, agent, from: .codes) {
                let method = ShowCode(authorization: authorization, item: $0, index: index)
                return (method, try await agent.call(method))
            }
            var answer = first
            if copy { return try Clipboard.copy(answer.code, what: "code") }
            if options.json { return try Output.json(answer) }
            let paint = Paint(isOn: Paint.isWanted)
            guard watches, answer.period != nil else { return Output.lines([CodeText.line(answer, paint)]) }
            // Showing a time-based code does not change the vault.
            var refresh = method
            refresh.isRefresh = true
            while !Task.isCancelled {
                Output.rewrite(CodeText.line(answer, paint))
                try await Task.sleep(for: .seconds(1))
                answer = try await agent.call(refresh)
            }
        }
    }
}
