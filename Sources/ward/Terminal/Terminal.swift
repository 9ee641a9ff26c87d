import Foundation
import Glibc
import WardAgent
import WardAgentClient
import WardTerminal

/// The terminal of the person.
enum Terminal {
    /// The terminal and desktop where prompts can reach the person.
    static var hello: Hello.Terminal {
        var terminal = Hello.Terminal.ofThisProcess()
        terminal.pinentry = PinentryProgram.said(in: ProcessInfo.processInfo.environment)
        return terminal
    }

    /// The number of columns of standard output; 0 if it is not a terminal.
    static var width: Int { width(of: STDOUT_FILENO) }

    /// The number of columns of a file descriptor; 0 if it is not a terminal.
    static func width(of descriptor: CInt) -> Int {
        guard isatty(descriptor) == 1 else { return 0 }
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether this command can ask the person.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Writes to standard error, so that pipes stay clean.
    ///
    /// Commands in the text get the option for this command's vault.
    static func note(_ text: String, end: String = "\n") {
        DescriptorOutput.write(Screen.lines(CommandHints.here(text)) + end, to: STDERR_FILENO)
    }
}
