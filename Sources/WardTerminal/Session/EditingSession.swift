internal import Dispatch
internal import Foundation

/// The editing of one line: keys, signals and suggestions arrive as ordered events, and the screen is updated.
struct EditingSession {
    private enum Event: Sendable {
        case bytes([UInt8])
        case pause(Int)
        case resized
        case continued
        case signal(CInt)
        case suggestions([LineSuggestion])
        case closed
    }

    let mode: RawMode
    let terminal: CInt
    var editor: LineEditor
    var view: LineView
    private var decoder = KeyDecoder()
    private var pieces = 0
    private var isStopping = false

    init(mode: RawMode, terminal: CInt, editor: LineEditor, view: LineView) {
        self.mode = mode
        self.terminal = terminal
        self.editor = editor
        self.view = view
    }

    /// A signal to send to the program after the terminal was restored.
    private struct Signalled: Error { let signal: CInt }

    /// Edits until there is an answer.
    func run(
        suggestions: AsyncStream<[LineSuggestion]>?,
        typed: @escaping @Sendable (String) -> Void
    ) async throws(TerminalFailure) -> TerminalPrompt.Answer {
        let (events, inbox) = AsyncStream.makeStream(of: Event.self)
        let queue = DispatchQueue(label: "ward.terminal")
        var session = self
        let signals = SignalGuard(SignalGuard.ending + [SIGWINCH, SIGCONT], on: queue) { signal in
            switch signal {
            case SIGWINCH: inbox.yield(.resized)
            case SIGCONT: inbox.yield(.continued)
            default: inbox.yield(.signal(signal))
            }
        }
        let feed = Task {
            guard let suggestions else { return }
            for await offered in suggestions { inbox.yield(.suggestions(offered)) }
        }
        let result: Result<TerminalPrompt.Answer, any Error>
        do {
            try mode.enter()
            let input = reader(queue, inbox)
            do {
                let answer = try await withTaskCancellationHandler {
                    try await session.answer(events, inbox, queue, typed)
                } onCancel: {
                    inbox.yield(.closed)
                }
                result = .success(answer)
            } catch {
                session.erase()
                result = .failure(error)
            }
            await Self.stop(input)
        } catch {
            result = .failure(error)
        }
        feed.cancel()
        mode.leave()
        signals.end()
        switch result {
        case .success(let answer): return answer
        case .failure(let signalled as Signalled):
            // The program's own signal handlers are restored. If there is no handler, the program ends here.
            kill(getpid(), signalled.signal)
            throw .cancelled
        case .failure(let failure): throw failure as? TerminalFailure ?? .cancelled
        }
    }

    // MARK: Input

    private func reader(
        _ queue: DispatchQueue,
        _ inbox: AsyncStream<Event>.Continuation
    ) -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(fileDescriptor: terminal, queue: queue)
        source.setEventHandler { [terminal] in
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(terminal, &bytes, bytes.count)
            if count < 0, errno == EINTR || errno == EAGAIN { return }
            inbox.yield(count > 0 ? .bytes(Array(bytes.prefix(count))) : .closed)
            if count <= 0 { source.cancel() }
        }
        source.activate()
        return source
    }

    /// Waits until no thread reads from the source, so that the descriptor can be closed.
    private static func stop(_ source: any DispatchSourceRead) async {
        await withCheckedContinuation { continuation in
            source.setCancelHandler { continuation.resume() }
            source.cancel()
        }
    }

    // MARK: Events

    private mutating func answer(
        _ events: AsyncStream<Event>,
        _ inbox: AsyncStream<Event>.Continuation,
        _ queue: DispatchQueue,
        _ typed: @Sendable (String) -> Void
    ) async throws -> TerminalPrompt.Answer {
        draw()
        for await event in events {
            var keys: [TerminalKey] = []
            switch event {
            case .bytes(let bytes):
                keys = decoder.keys(from: bytes)
                pieces += 1
                // A terminal sends a whole sequence at once. If no more bytes have arrived, the key was Escape.
                if decoder.isWaiting {
                    queue.asyncAfter(deadline: .now() + .milliseconds(60)) { [pieces] in inbox.yield(.pause(pieces)) }
                }
            case .pause(let seen): if seen == pieces { keys = decoder.timeOut() }
            case .resized: draw()
            case .continued:
                try mode.enter()
                draw()
            case .signal(let signal): throw Signalled(signal: signal)
            case .suggestions(let offered):
                editor.suggest(offered)
                draw()
            case .closed: throw TerminalFailure.cancelled
            }
            if let answer = try handle(keys, typed) { return answer }
            if isStopping {
                isStopping = false
                // If the program was not suspended, for example because there is no job control, editing continues.
                queue.asyncAfter(deadline: .now() + .milliseconds(300)) { inbox.yield(.continued) }
            }
        }
        throw TerminalFailure.cancelled
    }

    private mutating func handle(
        _ keys: [TerminalKey],
        _ typed: @Sendable (String) -> Void
    ) throws -> TerminalPrompt.Answer? {
        guard !keys.isEmpty else { return nil }
        let before = editor.line.text
        for key in keys {
            switch editor.handle(key) {
            case .submit:
                finish(showing: nil)
                return .text(editor.line.text)
            case .take(let suggestion):
                finish(showing: suggestion)
                return .suggestion(suggestion)
            case .cancel: throw TerminalFailure.cancelled
            case .suspend:
                suspend()
                return nil
            case .clear: mode.write("\u{1b}[H\u{1b}[2J")
            case .redraw, .none: break
            }
        }
        if editor.line.text != before { typed(editor.line.text) }
        draw()
        return nil
    }

    /// Restores the terminal and suspends the program.
    private mutating func suspend() {
        erase()
        mode.leave()
        isStopping = true
        // All processes of the shell's job are suspended too.
        kill(0, SIGTSTP)
    }

    // MARK: The screen

    private mutating func draw() {
        view.columns = mode.columns
        let frame = view.frame(of: editor)
        var text = "\r\u{1b}[J" + frame.line
        if let bar = frame.bar { text += "\n\r" + bar + "\u{1b}[A" }
        text += "\r" + (frame.cursor > 0 ? "\u{1b}[\(frame.cursor)C" : "")
        mode.write(text)
    }

    private func erase() { mode.write("\r\u{1b}[J") }

    /// Shows the line with its answer, without the bar.
    private func finish(showing suggestion: LineSuggestion?) {
        var last = LineEditor(
            text: suggestion.map(\.label) ?? editor.line.text,
            isSecret: suggestion == nil && editor.isSecret
        )
        _ = last.handle(.home)
        mode.write("\r\u{1b}[J" + view.frame(of: last).line + "\r\n")
    }
}
