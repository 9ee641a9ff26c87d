import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing
import WardServer
import WardTesting
import WardWebAuthn

/// A service that listens, with limits short enough to wait for.
private func live(
    _ change: (inout ConnectionLimits) -> Void = { _ in },
    _ body: @escaping @Sendable (_ port: Int, _ stop: @escaping @Sendable () async -> Void) async throws -> Void
) async throws {
    var limits = ConnectionLimits()
    limits.lingering = .milliseconds(500)
    change(&limits)
    let (ports, announce) = AsyncStream.makeStream(of: Int.self)
    let server = try WardServer(
        configuration: ServerConfiguration(
            origins: ["http://localhost:8080"],
            listen: try ListenAddress("127.0.0.1:0")
        ),
        store: MemoryAccountStore(),
        effects: .live,
        logger: .silent,
        connectionLimits: limits
    ) { address in
        announce.yield(address.port)
        announce.finish()
    }
    let group = ServiceGroup(services: [server], logger: .silent)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        let port = try #require(await ports.first { _ in true })
        try await body(port) { await group.triggerGracefulShutdown() }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
    }
}

private func head(_ lines: String..., path: String = "/api/v1/sign-in/options", method: String = "POST") -> String {
    let fixed = [
        "\(method) \(path) HTTP/1.1", "Host: localhost", "Origin: http://localhost:8080",
        "Content-Type: application/json",
    ]
    return (fixed + lines + ["", ""]).joined(separator: "\r\n")
}

@Suite(.timeLimit(.minutes(15))) struct `Over a socket` {
    @Test func `requests are answered one after the other on one connection`() async throws {
        try await live { port, _ in
            let heard = try await RawConnection.with(port: port) { connection in
                let one = head("Content-Length: 2") + "{}"
                try await connection.send(one + one + head("Content-Length: 2", "Connection: close") + "{}")
                return await connection.remainder()
            }
            #expect(heard.split(separator: "HTTP/1.1 200 OK", omittingEmptySubsequences: false).count == 4)
        }
    }

    @Test func `a declared body beyond the limit is refused before it comes`() async throws {
        try await live { port, _ in
            for length in ["65537", "9000000000000000000", "99999999999999999999"] {
                let heard = try await RawConnection.with(port: port) { connection in
                    try await connection.send(head("Content-Length: \(length)"))
                    return await connection.remainder()
                }
                #expect(heard.hasPrefix("HTTP/1.1 413") || heard.hasPrefix("HTTP/1.1 400"), "\(length): \(heard)")
                #expect(heard.lowercased().contains("connection: close"))
            }
        }
    }

    @Test func `a body beyond the limit in chunks is refused while it comes`() async throws {
        try await live { port, _ in
            let heard = try await RawConnection.with(port: port) { connection in
                try await connection.send(head("Transfer-Encoding: chunked"))
                let chunk = "4000\r\n" + String(repeating: " ", count: 0x4000) + "\r\n"
                for _ in 0..<8 where await !connection.sendIfOpen(chunk) { break }
                return await connection.remainder()
            }
            #expect(heard.hasPrefix("HTTP/1.1 413"))
            #expect(heard.contains("body_too_large"))
        }
    }

    @Test func `16 KiB of head pass and more are refused`() async throws {
        try await live { port, _ in
            let long = String(repeating: "x", count: 17_000)
            let many = (0..<200).map { "X-\($0): y" }.joined(separator: "\r\n")
            let heads = [
                head("Connection: close", "X-Padding: " + long.prefix(15_000), path: "/healthz", method: "GET"),
                head("X-Padding: " + long, path: "/healthz", method: "GET"),
                head(path: "/healthz?" + long, method: "GET"), head(many, path: "/healthz", method: "GET"),
            ]
            var statuses: [String] = []
            for text in heads {
                let heard = try await RawConnection.with(port: port) { connection in
                    try await connection.send(text)
                    return await connection.remainder()
                }
                statuses.append(String(heard.prefix(12)))
            }
            #expect(statuses == ["HTTP/1.1 200", "HTTP/1.1 431", "HTTP/1.1 431", "HTTP/1.1 431"])
        }
    }

    @Test(arguments: [
        "GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://[ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n{}",
    ])
    func `what is not a clear request is refused`(text: String) async throws {
        try await live { port, _ in
            let heard = try await RawConnection.with(port: port) { connection in
                try await connection.send(text)
                return await connection.remainder()
            }
            #expect(heard.hasPrefix("HTTP/1.1 400"), "\(heard)")
        }
    }

    @Test(arguments: ["", "POST / HTTP/1.1\r\nHost: a"])
    func `silence and half a head are cut`(beginning: String) async throws {
        try await live {
            $0.headDeadline = .milliseconds(300)
        } _: { port, _ in
            let answer = try await heard(after: beginning, port: port)
            #expect(answer.isEmpty)
        }
    }

    @Test func `half a body is cut, with the reason`() async throws {
        try await live {
            // On a busy machine the head itself takes a while to be read.
            $0.headDeadline = .seconds(60)
            $0.bodyDeadline = .milliseconds(300)
        } _: { port, _ in
            let answer = try await heard(after: head("Content-Length: 60000") + "{", port: port)
            #expect(answer.hasPrefix("HTTP/1.1 408"))
        }
    }

    /// What a connection is told that says this and then nothing.
    private func heard(after beginning: String, port: Int) async throws -> String {
        try await RawConnection.with(port: port) { connection in
            if !beginning.isEmpty { try await connection.send(beginning) }
            return await connection.remainder()
        }
    }

    @Test(arguments: [nil, 100])
    func `a body that trickles is cut although it never stops`(rate: Int?) async throws {
        try await live {
            $0.headDeadline = .seconds(60)
            $0.bodyDeadline = .milliseconds(300)
            $0.bodyRate = rate
        } _: { port, _ in
            let sent = try await RawConnection.with(port: port) { connection in
                try await connection.send(head("Content-Length: 60000"))
                var sent = 0
                while sent < 1_000, await connection.sendIfOpen(" ") {
                    sent += 1
                    try await Task.sleep(for: .milliseconds(20))
                }
                return sent
            }
            #expect(sent < 1_000)
        }
    }

    @Test func `a long body can be slow if the limit says so`() async throws {
        try await live {
            $0.headDeadline = .seconds(60)
            $0.bodyDeadline = .seconds(2)
            $0.bodyRate = 1
        } _: { port, _ in
            let heard = try await RawConnection.with(port: port) { connection in
                try await connection.send(head("Content-Length: 40", "Connection: close"))
                for part in ["{"] + [String](repeating: " ", count: 38) + ["}"] {
                    try await Task.sleep(for: .milliseconds(60))
                    try await connection.send(part)
                }
                return await connection.remainder()
            }
            #expect(heard.hasPrefix("HTTP/1.1 200"), "\(heard)")
        }
    }

    @Test func `what was sent fast gives nobody time to be silent`() async throws {
        try await live {
            $0.headDeadline = .seconds(60)
            $0.bodyDeadline = .milliseconds(500)
            $0.bodyRate = 10
        } _: { port, _ in
            let start = ContinuousClock.now
            let answer = try await heard(
                after: head("Content-Length: 60000") + String(repeating: " ", count: 30_000),
                port: port
            )
            // The bytes would be worth fifty minutes.
            #expect(answer.hasPrefix("HTTP/1.1 408") && ContinuousClock.now - start < .seconds(60))
        }
    }

    @Test func `leave to send is given`() async throws {
        try await live { port, _ in
            let heard = try await RawConnection.with(port: port) { connection in
                try await connection.send(head("Content-Length: 2", "Expect: 100-continue", "Connection: close"))
                let first = try await connection.hear(until: "\r\n\r\n")
                try await connection.send("{}")
                return first + (await connection.remainder())
            }
            #expect(heard.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"), "\(heard)")
        }
    }

    @Test func `a request in work is answered before the service stops`() async throws {
        try await live { port, stop in
            let heard = try await RawConnection.with(port: port) { connection in
                // Its leave to go on says that the request is in work.
                try await connection.send(head("Content-Length: 2", "Expect: 100-continue"))
                _ = try await connection.hear(until: "\r\n\r\n")
                try await connection.send("{")
                await stop()
                try await Task.sleep(for: .milliseconds(200))
                try await connection.send("}")
                return await connection.remainder()
            }
            #expect(heard.hasPrefix("HTTP/1.1 200"))
            #expect(heard.contains("ceremony"))
        }
    }

    @Test func `the first request of a connection is answered although the service is stopping`() async throws {
        try await live {
            $0.stoppingDeadline = .seconds(600)
        } _: { port, stop in
            let heard = try await RawConnection.with(port: port) { early in
                try await setUpAll(port)
                try await RawConnection.with(port: port) { other in
                    try await other.send(head(path: "/healthz", method: "GET"))
                    _ = try await other.hear(until: "\r\n\r\n")
                    await stop()
                    // The service closes this connection because it is stopping.
                    _ = await other.remainder()
                }
                try await early.send(head(path: "/healthz", method: "GET"))
                return await early.remainder()
            }
            #expect(heard.hasPrefix("HTTP/1.1 200"), "\(heard)")
        }
    }

    @Test(arguments: ["", "GET /healthz HTTP/1.1\r\nHost: a"])
    func `a connection without a request does not hold a stop for long`(beginning: String) async throws {
        try await live {
            $0.headDeadline = .seconds(36_000)
            $0.stoppingDeadline = .milliseconds(300)
        } _: { port, stop in
            let heard = try await RawConnection.with(port: port) { connection in
                if !beginning.isEmpty { try await connection.send(beginning) }
                try await setUpAll(port)
                await stop()
                return await connection.remainder()
            }
            #expect(heard.isEmpty)
        }
    }

    /// Returns when the service has set up all connections that were made before.
    ///
    /// It accepts connections in their order and gives them to its threads in turn, and each thread sets them up in their order.
    private func setUpAll(_ port: Int) async throws {
        for _ in 0..<(2 * ProcessInfo.processInfo.processorCount) {
            let heard = try await RawConnection.with(port: port) { connection in
                try await connection.send(head("Connection: close", path: "/healthz", method: "GET"))
                return await connection.remainder()
            }
            #expect(heard.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func `an address in use is said in one sentence`() async throws {
        try await live { port, _ in
            let second = try WardServer(
                configuration: ServerConfiguration(listen: try ListenAddress("127.0.0.1:\(port)")),
                store: MemoryAccountStore(),
                logger: .silent
            )
            let error = await #expect(throws: ServerStartError.self) { try await second.run() }
            #expect(error?.description.contains("127.0.0.1:\(port) is in use") == true)
        }
    }
}
