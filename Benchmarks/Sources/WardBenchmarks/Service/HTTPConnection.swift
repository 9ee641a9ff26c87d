import Foundation

/// A connection to a server that waits for each answer: nothing of ours is between the clock and the socket.
final class HTTPConnection {
    struct Response {
        let status: Int
        /// The value of `Set-Cookie` up to the first `;`, or empty.
        let cookie: String
        /// The value of `Location`, or empty.
        let location: String
        let body: [UInt8]
    }

    private let descriptor: CInt
    /// The lines that each request has, each with its end.
    private let fields: String

    /// Connects to a port of this machine.
    ///
    /// - Throws: `Command.Failed` if nobody listens.
    init(port: Int, fields: [String]) throws {
        self.fields = fields.map { $0 + "\r\n" }.joined()
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw Command.Failed(description: "nobody listens on port \(port)")
        }
        var on: CInt = 1
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    }

    deinit { close(descriptor) }

    /// Sends a request and reads the response.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path with its query.
    ///   - body: A JSON text, or `nil` for no body.
    ///   - cookie: The name and the value of a cookie.
    ///   - more: Lines for the head of this request only, each with its end.
    /// - Returns: The response.
    /// - Throws: `Command.Failed` if the server closes the connection.
    func send(_ method: String, _ path: String, _ body: [UInt8]? = nil, cookie: String = "", more: String = "") throws
        -> Response
    {
        var head = "\(method) \(path) HTTP/1.1\r\n" + fields + more
        if !cookie.isEmpty { head += "Cookie: \(cookie)\r\n" }
        if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
        try write(Array((head + "\r\n").utf8) + (body ?? []))
        return try read()
    }

    private func write(_ bytes: [UInt8]) throws {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { throw Command.Failed(description: "the server takes no request") }
            start += count
        }
    }

    private func read() throws -> Response {
        var bytes: [UInt8] = []
        var end: Int?
        var length = 0
        while true {
            bytes.append(contentsOf: try piece())
            if end == nil, let found = Self.endOfHead(in: bytes) {
                end = found
                length = Int(Self.field("content-length", in: bytes[..<found]) ?? "") ?? 0
            }
            if let end, bytes.count >= end + length {
                let head = bytes[..<end]
                let cookie = Self.field("set-cookie", in: head)?.split(separator: ";").first.map(String.init) ?? ""
                let status = Int(String(decoding: head.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0
                let location = Self.field("location", in: head) ?? ""
                let body = Array(bytes[end..<(end + length)])
                return Response(status: status, cookie: cookie, location: location, body: body)
            }
        }
    }

    private func piece() throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
            let got = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            guard got > 0 else { throw Command.Failed(description: "the server closed a connection") }
            count = got
        }
    }

    private static func endOfHead(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 0...(bytes.count - 4) where bytes[index] == 13 {
            if bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 { return index + 4 }
        }
        return nil
    }

    private static func field(_ name: String, in head: ArraySlice<UInt8>) -> String? {
        for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == name { return parts[1].trimmingCharacters(in: .whitespaces) }
        }
        return nil
    }
}
