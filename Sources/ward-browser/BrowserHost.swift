import Foundation
import WardAgentClient

/// Reads the extension's messages from standard input until the browser closes it.
struct BrowserHost {
    static let version = "0.1.0"

    private let link: AgentLink
    private let output: NativeOutput

    init(extensionID: String) {
        let output = NativeOutput()
        self.output = output
        link = AgentLink(extensionID: extensionID, output: output)
    }

    /// Passes messages on, one after the other.
    ///
    /// Their answers come in any order.
    func run() async {
        var reader = NativeMessageReader()
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(STDIN_FILENO, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            for event in reader.read(piece[..<count]) {
                switch event {
                case .message(let bytes): await pass(bytes)
                case .tooLong:
                    let limit = NativeMessageReader.maximumLength
                    output.refuse(AgentError(.invalidRequest, "A message must have at most \(limit) bytes"), nil)
                }
            }
        }
    }

    private func pass(_ bytes: [UInt8]) async {
        let message: BrowserMessage
        do throws(BrowserMessage.Refusal) { message = try BrowserMessage(bytes) } catch {
            return output.refuse(error.error, error.id)
        }
        await link.pass(message)
    }
}
