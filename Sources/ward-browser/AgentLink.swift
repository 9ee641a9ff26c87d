import Foundation
import Synchronization
import WardAgentClient

/// The connection to the agent.
///
/// It is made at the first message. After the agent ended, it is made again at the next message.
final class AgentLink: Sendable {
    private struct State {
        /// The socket; -1 without a connection.
        var socket: CInt = -1
        /// The requests without an answer.
        var outstanding: Set<Envelope.ID> = []
    }

    private let extensionID: String
    private let output: NativeOutput
    private let agent = AgentPlace()
    private let state = Mutex(State())

    init(extensionID: String, output: NativeOutput) {
        self.extensionID = extensionID
        self.output = output
    }

    /// Sends a message to the agent.
    ///
    /// If there is no agent, the message is answered here.
    func pass(_ message: BrowserMessage) async {
        do {
            try await connect()
            try send(message)
        } catch let error as AgentError {
            if message.method == BrowserState.name, !agent.hasVault { return answerWithoutVault(message.id) }
            output.refuse(error, message.id)
        } catch {
            output.refuse(Self.gone, message.id)
        }
    }

    /// The state of a machine where nobody has made a vault.
    private func answerWithoutVault(_ id: Envelope.ID) {
        let state = BrowserState.Result(
            isPaired: false,
            hasVault: false,
            isLocked: false,
            passkeysAreOn: false,
            version: BrowserHost.version
        )
        // The state has only plain values, so encoding cannot fail.
        output.write((try? Envelope.encode(answer: id, state)) ?? [], id)
    }

    private static var gone: AgentError { AgentError(.unavailable, "The agent ended during the request. Try again.") }

    private func send(_ message: BrowserMessage) throws(AgentError) {
        let result: Result<CInt, AgentError> = state.withLock { state in
            guard state.socket >= 0 else { return .failure(Self.gone) }
            guard state.outstanding.insert(message.id).inserted else {
                return .failure(AgentError(.invalidRequest, "A running request already has this ID"))
            }
            return .success(state.socket)
        }
        let socket = try result.get()
        // If the agent has ended, the thread that reads says so for every outstanding request.
        if !NativeOutput.write(message.line + [0x0a], to: socket) { shutdown(socket, CInt(SHUT_RDWR)) }
    }

    // MARK: The connection

    private func connect() async throws {
        guard state.withLock({ $0.socket < 0 }) else { return }
        let socket = try await agent.connect(as: extensionID)
        state.withLock { $0.socket = socket }
        Thread { [self] in read(socket) }.start()
    }

    /// Reads answers until the connection ends.
    private func read(_ socket: CInt) {
        var lines = AnswerLines(socket)
        while let line = lines.next() {
            let id = (try? Envelope.decode(AnswerHead.self, from: line))?.id
            if let id { state.withLock { _ = $0.outstanding.remove(id) } }
            output.write(line, id)
        }
        let unanswered = state.withLock { state in
            defer { state = State() }
            return state.outstanding
        }
        close(socket)
        for id in unanswered { output.refuse(Self.gone, id) }
    }

    private struct AnswerHead: Decodable { let id: Envelope.ID? }
}
