internal import Foundation
internal import Synchronization
public import WardAgentClient

/// Asks with pinentry, in any installed flavour: curses, GTK, Qt, GNOME, tty.
///
/// Each prompt has its own process, so one that hangs or dies affects no other. The process gets the agent's
/// environment, with the terminal, display and bus of the prompt's place.
public struct Pinentry: Prompting {
    private let environment: [String: String]
    private let patience: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Creates a prompter with the agent's environment.
    ///
    /// The pinentry program is looked up for each prompt.
    public init(environment: [String: String]? = nil) {
        self.init(environment: environment, patience: .seconds(5))
    }

    /// Creates a prompter with three more parameters: the time limit for everything except the person's answer, the clock, and
    /// the wait before a program that does not end is killed.
    package init(
        environment: [String: String]?,
        patience: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.environment = environment ?? ProcessInfo.processInfo.environment
        self.patience = patience
        self.now = now
        self.sleep = sleep
    }

    /// The program's path.
    ///
    /// - Throws: `AgentError` with `promptMissing`, which names a configured program that cannot run.
    public func program(for place: PromptPlace) throws(AgentError) -> String {
        try PinentryProgram.find(in: environment, said: place.pinentry)
    }

    /// Shows a prompt and waits for the answer.
    ///
    /// - Throws: `AgentError` with `promptMissing` or `promptFailed`; `CancellationError` if the task was cancelled.
    public func ask(_ prompt: Prompt, on place: PromptPlace) async throws -> PromptAnswer {
        let conversation = try PinentryConversation(
            try program(for: place),
            environment,
            place,
            patience,
            now,
            sleep
        )
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            do {
                let answer = try await onThread { try conversation.run(prompt) }
                try Task.checkCancellation()
                return answer
            } catch {
                try Task.checkCancellation()
                throw error
            }
        } onCancel: {
            conversation.end()
        }
    }
}

/// One pinentry process and the conversation with it.
private final class PinentryConversation: Sendable {
    private struct Pipes {
        let process = Process()
        let toProgram = Pipe()
        let fromProgram = Pipe()
        var isOver = false
    }

    private let pipes: Mutex<Pipes>
    private let input: FileHandle
    private let output: FileHandle
    private let program: String
    private let place: PromptPlace
    private let patience: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void

    init(
        _ program: String,
        _ environment: [String: String],
        _ place: PromptPlace,
        _ patience: Duration,
        _ now: @escaping @Sendable () -> ContinuousClock.Instant,
        _ sleep: @escaping @Sendable (Duration) async throws -> Void
    ) throws(AgentError) {
        let pipes = Pipes()
        pipes.process.executableURL = URL(fileURLWithPath: program)
        pipes.process.arguments = place.desktop.display.map { ["--display", $0] } ?? []
        pipes.process.environment = place.environment(from: environment)
        pipes.process.standardInput = pipes.toProgram
        pipes.process.standardOutput = pipes.fromProgram
        pipes.process.standardError = FileHandle.nullDevice
        do {
            try pipes.process.run()
        } catch {
            throw AgentError(
                .promptMissing,
                "\(program.pathForPrompt) cannot be run: reinstall it, or use --passphrase-fd"
            )
        }
        input = pipes.toProgram.fileHandleForWriting
        output = pipes.fromProgram.fileHandleForReading
        self.program = program
        self.place = place
        self.patience = patience
        self.now = now
        self.sleep = sleep
        self.pipes = Mutex(pipes)
    }

    deinit { end() }

    /// Ends the program in every state.
    func end() {
        pipes.withLock { pipes in
            guard !pipes.isOver else { return }
            pipes.isOver = true
            let process = pipes.process
            guard process.isRunning else { return }
            guard place.terminal?.isThere ?? true else {
                // A terminal has nothing to restore here, and some variants of pinentry run in a loop without a terminal.
                kill(process.processIdentifier, SIGKILL)
                return
            }
            process.terminate()
            // A process that lost its terminal may not react to signals; one that reacts needs a moment to restore the
            // terminal.
            Task { [sleep] in
                try? await sleep(.seconds(1))
                if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            }
        }
    }

    func run(_ prompt: Prompt) throws -> PromptAnswer {
        defer { end() }
        var reader = AssuanReader(output, program, now)
        // The greeting.
        _ = try reader.reply(within: patience)
        let isText = try isText(&reader)
        for (name, value) in options {
            // A variant of pinentry may refuse unknown options.
            _ = try say("OPTION \(name)=\(AssuanText.escape(value, room: 900))", &reader)
        }
        try expect("SETTITLE \(escaped(prompt.title))", &reader)
        // A confirmation has no line for an error, and a terminal cuts off a long error.
        let isInDescription = isText || !prompt.kind.isSecret
        try expect("SETDESC \(prompt.assuanText(withError: isInDescription))", &reader)
        _ = try say("SETTIMEOUT \(prompt.timeout)", &reader)
        if !isInDescription, let error = prompt.error { try expect("SETERROR \(escaped(error))", &reader) }
        if case .secret(let label) = prompt.kind { try expect("SETPROMPT \(escaped(label))", &reader) }
        do { return try answer(to: prompt, prompt.buttons, &reader) } catch is TooSmall {}
        // Long labels of the buttons need more room than the question.
        do { return try answer(to: prompt, prompt.shortButtons, &reader) } catch is TooSmall {
            throw AgentError(
                .promptFailed,
                "Your terminal is too small for the prompt. Make it larger, or use another terminal."
            )
        }
    }

    /// The prompt does not fit on the terminal.
    private struct TooSmall: Error {}

    private func answer(
        to prompt: Prompt,
        _ buttons: Prompt.Buttons,
        _ reader: inout AssuanReader
    ) throws -> PromptAnswer {
        try expect("SETOK \(escaped(buttons.agree))", &reader)
        try expect("SETCANCEL \(escaped(buttons.cancel))", &reader)
        switch prompt.kind {
        case .secret: return try answer(ask("GETPIN", &reader)) { .secret($0) }
        case .confirmation: return try confirmation(&reader, declined: .declined)
        case .choice:
            try expect("SETNOTOK \(escaped(buttons.other))", &reader)
            return try confirmation(&reader, declined: .other)
        }
    }

    /// Whether the program draws on a terminal.
    ///
    /// - Throws: `AgentError` if there is no terminal: the program would use its own input and output instead.
    private func isText(_ reader: inout AssuanReader) throws(AgentError) -> Bool {
        guard case .ok(let flavor) = try say("GETINFO flavor", &reader),
            ["curses", "tty"].contains(String(decoding: flavor, as: UTF8.self))
        else { return false }
        guard place.terminal == nil else { return true }
        throw AgentError(
            .promptFailed,
            "\(program.pathForPrompt) needs a terminal to show a prompt, and you have none open: run ward unlock in a "
                + "terminal, "
                + "or install pinentry-gnome3 or pinentry-qt"
        )
    }

    private var options: [(String, String)] {
        var options: [(String, String)] = []
        if let terminal = place.terminal { options.append(("ttyname", terminal.path)) }
        if let type = place.terminalType { options.append(("ttytype", type)) }
        if let locale = place.locale { options.append(("lc-ctype", locale)) }
        if let messages = place.messages { options.append(("lc-messages", messages)) }
        if let window = place.window { options.append(("parent-wid", "\(window)")) }
        // The option allow-external-password-cache is not sent, so pinentry does not store the typed text in a key ring.
        return options
    }

    private func escaped(_ text: String) -> String { AssuanText.escape(text, room: 900) }

    /// Whether the person agreed.
    ///
    /// The answer does not count if the program has ended or its terminal is gone.
    private func confirmation(
        _ reader: inout AssuanReader,
        declined: PromptAnswer
    ) throws -> PromptAnswer {
        let reply: AssuanReply
        do throws(AgentError) { reply = try ask("CONFIRM", &reader) } catch {
            guard error.message == AssuanReader.ended.message else { throw error }
            return .declined
        }
        let answer = try answer(reply, declined: declined) { _ in .agreed }
        let isOnTerminal = !place.desktop.hasDisplay
        if answer == .agreed, isOnTerminal, place.terminal?.isThere == false { return .declined }
        return answer
    }

    private func answer(
        _ reply: AssuanReply,
        declined: PromptAnswer = .declined,
        _ agreed: ([UInt8]) -> PromptAnswer
    ) throws -> PromptAnswer {
        switch reply {
        case .ok(let data): return agreed(data)
        case .error(AssuanReply.notConfirmed): return declined
        case .error(AssuanReply.cancelled): return .declined
        case .error(AssuanReply.timedOut): return .timedOut
        case .error(AssuanReply.tooSmall): throw TooSmall()
        case .error(let number):
            throw AgentError(
                .promptFailed,
                "\(program.pathForPrompt) could not show a prompt (error \(number)): is there a terminal or a display?"
            )
        }
    }

    private func expect(_ line: String, _ reader: inout AssuanReader) throws(AgentError) {
        guard case .ok = try say(line, &reader) else {
            throw AgentError(.promptFailed, "pinentry does not support the command \(line.prefix { $0 != " " })")
        }
    }

    /// Sends a command that the program answers itself, without the person.
    private func say(_ line: String, _ reader: inout AssuanReader) throws(AgentError) -> AssuanReply {
        try write(line)
        return try reader.reply(within: patience)
    }

    /// Sends a command that the person answers.
    ///
    /// The call ends when the prompt's terminal is gone. Some variants of pinentry do not notice that.
    private func ask(_ line: String, _ reader: inout AssuanReader) throws(AgentError) -> AssuanReply {
        try write(line)
        let terminal = place.desktop.hasDisplay ? nil : place.terminal
        return try reader.reply(while: { terminal?.isThere ?? true })
    }

    private func write(_ line: String) throws(AgentError) {
        do { try input.write(contentsOf: Data((line + "\n").utf8)) } catch { throw AssuanReader.ended }
    }
}
