internal import Dispatch
internal import Foundation
internal import Synchronization
public import WardAgentClient

/// Asks through pinentry, in whatever flavour is installed: curses, GTK, Qt, GNOME, tty.
///
/// Each question gets a process of its own, so that one that hangs or dies takes nothing else along.
public struct Pinentry: Prompting {
    private let environment: [String: String]

    /// Takes the agent's environment, in which the program is looked for at each question.
    public init(environment: [String: String]? = nil) {
        self.environment = environment ?? ProcessInfo.processInfo.environment
    }

    /// The program's path.
    public var program: String? { PinentryProgram.find(in: environment) }

    /// Asks, and waits for the answer.
    ///
    /// - Throws: `AgentError` with `promptMissing` or `promptFailed`; `CancellationError` when nobody waits any more.
    public func ask(_ prompt: Prompt, on terminal: Hello.Terminal) async throws -> PromptAnswer {
        guard let program else {
            throw AgentError(
                .promptMissing,
                "no pinentry is installed to ask you: install pinentry-curses or pinentry-gnome3, or use --passphrase-fd"
            )
        }
        let conversation = try PinentryConversation(program, environment, terminal)
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

    /// A conversation waits in reads, so it must not be on a thread that others need.
    private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result { try body() }) }
            thread.start()
        }
    }
}

/// One process and what is said to it.
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
    private let terminal: Hello.Terminal

    init(_ program: String, _ environment: [String: String], _ terminal: Hello.Terminal) throws(AgentError) {
        var arguments: [String] = []
        if let display = terminal.display { arguments += ["--display", display] }
        var environment = environment
        environment["DISPLAY"] = terminal.display
        environment["WAYLAND_DISPLAY"] = terminal.waylandDisplay ?? environment["WAYLAND_DISPLAY"]
        environment["XAUTHORITY"] = terminal.xauthority ?? environment["XAUTHORITY"]
        environment["DBUS_SESSION_BUS_ADDRESS"] = terminal.sessionBus ?? environment["DBUS_SESSION_BUS_ADDRESS"]
        if let tty = terminal.tty { environment["GPG_TTY"] = tty }
        if let type = terminal.type { environment["TERM"] = type }
        let pipes = Pipes()
        pipes.process.executableURL = URL(fileURLWithPath: program)
        pipes.process.arguments = arguments
        pipes.process.environment = environment
        pipes.process.standardInput = pipes.toProgram
        pipes.process.standardOutput = pipes.fromProgram
        pipes.process.standardError = FileHandle.nullDevice
        do {
            try pipes.process.run()
        } catch {
            throw AgentError(.promptMissing, "\(program) cannot be run: reinstall it, or use --passphrase-fd")
        }
        input = pipes.toProgram.fileHandleForWriting
        output = pipes.fromProgram.fileHandleForReading
        self.terminal = terminal
        self.pipes = Mutex(pipes)
    }

    deinit { end() }

    /// Ends the program, wherever it is.
    func end() {
        pipes.withLock { pipes in
            guard !pipes.isOver else { return }
            pipes.isOver = true
            let process = pipes.process
            guard process.isRunning else { return }
            process.terminate()
            // One that lost its terminal may not listen any more; one that does needs a moment to put the terminal back.
            DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
                if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            }
        }
    }

    func run(_ prompt: Prompt) throws(AgentError) -> PromptAnswer {
        defer { end() }
        var reader = LineReader(output)
        // The greeting.
        _ = try reader.reply()
        for (name, value) in options {
            // What a flavour does not know it may refuse.
            _ = try say("OPTION \(name)=\(AssuanText.escape(value, room: 900))", &reader)
        }
        try expect("SETTITLE \(escaped(prompt.title))", &reader)
        try expect("SETDESC \(escaped(prompt.text))", &reader)
        try expect("SETOK \(escaped(prompt.agree))", &reader)
        try expect("SETCANCEL \(escaped(prompt.cancel))", &reader)
        _ = try say("SETTIMEOUT \(prompt.timeout)", &reader)
        if let error = prompt.error { try expect("SETERROR \(escaped(error))", &reader) }
        switch prompt.kind {
        case .secret(let label):
            try expect("SETPROMPT \(escaped(label))", &reader)
            return try answer(say("GETPIN", &reader)) { .secret($0) }
        case .confirmation:
            return try answer(say("CONFIRM", &reader)) { _ in .agreed }
        case .choice(let other):
            try expect("SETNOTOK \(escaped(other))", &reader)
            return try answer(say("CONFIRM", &reader), declined: .other) { _ in .agreed }
        }
    }

    private var options: [(String, String)] {
        var options: [(String, String)] = []
        if let tty = terminal.tty { options.append(("ttyname", tty)) }
        if let type = terminal.type { options.append(("ttytype", type)) }
        if let locale = terminal.locale { options.append(("lc-ctype", locale)) }
        // allow-external-password-cache is not sent: what is typed is kept in no key ring.
        return options
    }

    private func escaped(_ text: String) -> String { AssuanText.escape(text, room: 960) }

    private func answer(
        _ reply: AssuanReply,
        declined: PromptAnswer = .declined,
        _ agreed: ([UInt8]) -> PromptAnswer
    ) throws(AgentError) -> PromptAnswer {
        switch reply {
        case .ok(let data): return agreed(data)
        case .error(AssuanReply.notConfirmed): return declined
        case .error(AssuanReply.cancelled): return .declined
        case .error(AssuanReply.timedOut): return .timedOut
        case .error(let number):
            throw AgentError(
                .promptFailed,
                "pinentry could not ask you (error \(number)): is there a terminal or a display?"
            )
        }
    }

    private func expect(_ line: String, _ reader: inout LineReader) throws(AgentError) {
        guard case .ok = try say(line, &reader) else {
            throw AgentError(.promptFailed, "pinentry does not know \(line.prefix { $0 != " " })")
        }
    }

    private func say(_ line: String, _ reader: inout LineReader) throws(AgentError) -> AssuanReply {
        do {
            try input.write(contentsOf: Data((line + "\n").utf8))
        } catch {
            throw AgentError(.promptFailed, "pinentry ended before you could answer: try again")
        }
        return try reader.reply()
    }
}

/// Reads lines from a pipe.
private struct LineReader {
    private let handle: FileHandle
    private var pending: [UInt8] = []
    private var parser = AssuanParser()

    init(_ handle: FileHandle) { self.handle = handle }

    mutating func reply() throws(AgentError) -> AssuanReply {
        while true {
            while let end = pending.firstIndex(of: 0x0a) {
                let line = Array(pending[..<end])
                pending.removeFirst(end + 1)
                if let reply = try parser.take(line) { return reply }
            }
            guard pending.count <= 4 * AssuanText.maximumLength else {
                throw AgentError(.promptFailed, "pinentry answered with something that cannot be read")
            }
            // FileHandle waits until it has all that was asked for, or traps.
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = unsafe read(handle.fileDescriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw AgentError(.promptFailed, "pinentry ended before you could answer: try again")
            }
            pending += buffer.prefix(count)
        }
    }
}
