internal import Foundation

/// The window of a program that asks, which pinentry gets so that its prompt can stay in front of it.
///
/// A window never chooses the display: it counts only on the display where the prompt appears anyway, and only if the X server says
/// that the asking process made it. The property `_NET_WM_PID` does not count, because each program can write it.
package struct ParentWindow: Sendable, Equatable {
    let number: UInt32
    let display: String

    /// How long the X server may take.
    private static let patience = Duration.seconds(1)
    /// The argument with which `ward` prints the process of a window.
    package static let argument = "--window-process"

    /// The number in a window's handle of the form `x11:HEXADECIMAL`.
    ///
    /// Pinentry has no option for windows on Wayland, so `nil` for them.
    static func number(_ handle: String) -> UInt32? {
        let prefix = "x11:"
        guard handle.hasPrefix(prefix) else { return nil }
        let digits = handle.dropFirst(prefix.count)
        guard (1...8).contains(digits.utf8.count), let number = UInt32(digits, radix: 16), number != 0 else {
            return nil
        }
        return number
    }

    /// Asks the X server which process made the window.
    ///
    /// It is `nil` if another process made it, or if the server does not know that or does not answer in time.
    init?(_ number: UInt32, of peer: Peer, on desktop: PromptPlace.Desktop) async {
        guard let display = desktop.display, let program = PeerProcess.own?.snapshot?.path.withoutDeletedMark else {
            return nil
        }
        let question = Process()
        question.executableURL = URL(fileURLWithPath: program)
        question.arguments = [Self.argument, String(number, radix: 16)]
        // The X server is asked by another process: libraries for it have no place beside the open vault.
        question.environment = ["DISPLAY": display, "XAUTHORITY": desktop.xauthority ?? "", "HOME": NSHomeDirectory()]
            .filter { !$0.value.isEmpty }
        let answer = Pipe()
        question.standardInput = FileHandle.nullDevice
        question.standardOutput = answer
        question.standardError = FileHandle.nullDevice
        do { try question.run() } catch { return nil }
        let limit = Task {
            try await Task.sleep(for: Self.patience)
            if question.isRunning { kill(question.processIdentifier, SIGKILL) }
        }
        let output = answer.fileHandleForReading
        let said = await onThread {
            let said = (try? output.readToEnd()) ?? Data()
            question.waitUntilExit()
            return said
        }
        limit.cancel()
        guard Int32(String(decoding: said, as: UTF8.self)) == peer.pid else { return nil }
        self.number = number
        self.display = display
    }
}
