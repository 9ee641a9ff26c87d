import Foundation

/// A connection to the agent that speaks the protocol by itself, so that no client of ours is measured with it.
///
/// See `Documentation/formats/agent.md`.
final class AgentConnection {
    private let descriptor: CInt
    private var lastID = 0

    /// Connects as a program of the manager.
    init(to path: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Command.Failed(description: "the path of the agent's socket is too long: \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw Command.Failed(description: "no agent listens at \(path)") }
        _ = try call("hello", ["versions": [2], "client": "benchmark", "terminal": [String: String]()])
    }

    deinit { close(descriptor) }

    /// Calls a method and checks that it succeeded.
    ///
    /// - Returns: The result.
    func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        try Self.result(exchange(method, parameters), of: method)
    }

    /// Sends a request and waits for the line that answers it.
    func exchange(_ method: String, _ parameters: [String: Any]) throws -> Data {
        lastID += 1
        let request: [String: Any] = ["jsonrpc": "2.0", "id": lastID, "method": method, "params": parameters]
        try send(JSONSerialization.data(withJSONObject: request) + [UInt8(ascii: "\n")])
        return try line()
    }

    /// The result in an answer.
    static func result(_ answer: Data, of method: String) throws -> [String: Any] {
        let answer = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
        guard let result = answer?["result"] as? [String: Any] else {
            let message = (answer?["error"] as? [String: Any])?["message"] as? String
            throw Command.Failed(description: "the agent refuses \(method): \(message ?? "it does not say why")")
        }
        return result
    }

    private func send(_ data: Data) throws {
        var left = data[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Command.Failed(description: "the agent takes no request") }
            left = left.dropFirst(count)
        }
    }

    /// The bytes up to the next line feed; the agent sends nothing after it before it is asked again.
    private func line() throws -> Data {
        var line = Data()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else { throw Command.Failed(description: "the agent closed the connection") }
            line.append(contentsOf: buffer[..<count])
            if buffer[count - 1] == UInt8(ascii: "\n") { return line }
        }
    }
}
