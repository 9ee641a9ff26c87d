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
        guard message.method != HoldForBrowser.name else { return hold(message) }
        await link.pass(message)
    }

    /// Holds a text in the clipboard, beside the messages that follow.
    private func hold(_ message: BrowserMessage) {
        guard let text = try? Envelope.decode(Held.self, from: message.line).params.text else {
            return output.refuse(AgentError(.invalidValue, "The message has no text"), message.id)
        }
        Thread { [output] in
            do throws(AgentError) {
                let held = try ClipboardHold.hold(text)
                // A number can always be encoded.
                output.write((try? Envelope.encode(answer: message.id, held)) ?? [], message.id)
            } catch { output.refuse(error, message.id) }
        }.start()
    }

    private struct Held: Decodable { let params: HoldForBrowser }
}
