internal import Foundation

/// Reads a line from any input.
enum PlainLine {
    private static let queue = DispatchQueue(label: "ward.terminal.plain")

    /// Reads to the end of the line, byte by byte, so that the next prompt gets the bytes after it.
    static func read(_ label: String, isSecret: Bool) async throws(TerminalFailure) -> String {
        DescriptorOutput.write(label, to: isatty(STDOUT_FILENO) == 1 ? STDOUT_FILENO : STDERR_FILENO)
        let flag = CancellationFlag()
        let result: Result<String, TerminalFailure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: line(isSecret: isSecret, flag)) }
            }
        } onCancel: {
            flag.raise()
        }
        return try result.get()
    }

    private static func line(isSecret: Bool, _ flag: CancellationFlag) -> Result<String, TerminalFailure> {
        var before = termios()
        let isHidden = unsafe isSecret && tcgetattr(STDIN_FILENO, &before) == 0
        if isHidden {
            var quiet = before
            quiet.c_lflag &= ~tcflag_t(ECHO)
            unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet)
        }
        defer {
            if isHidden {
                unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
                DescriptorOutput.write("\n", to: STDERR_FILENO)
            }
        }
        let (typed, end) = LineInput.read(STDIN_FILENO, atMost: LineBuffer.maximumLength) { !flag.isRaised }
        switch end {
        case .given: return .failure(.cancelled)
        case .input, .failure: return typed.isEmpty ? .failure(.endOfInput) : .success(text(typed))
        case .lineFeed: return .success(text(typed))
        case .tooLong:
            // The rest of the line must not become the answer to another prompt.
            var rest = end
            while rest == .tooLong { rest = LineInput.read(STDIN_FILENO, atMost: 4096) { !flag.isRaised }.end }
            return rest == .given ? .failure(.cancelled) : .success(text(typed))
        }
    }

    /// The text of a line.
    ///
    /// A carriage return at the end is removed, tabs become spaces, and other control characters are dropped.
    private static func text(_ bytes: [UInt8]) -> String {
        LineBuffer(String(decoding: bytes.last == 0x0d ? bytes.dropLast() : bytes[...], as: UTF8.self)).text
    }
}
