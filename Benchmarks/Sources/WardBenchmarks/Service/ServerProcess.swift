import Foundation

/// A server in a process of its own, whose processor time the kernel counts.
struct ServerProcess: Sendable {
    let process: pid_t
    let port: Int
    private let clock: clockid_t

    /// Starts a server, and waits until it answers.
    ///
    /// - Parameters:
    ///   - words: The command line. The port stands in place of `PORT`.
    ///   - log: The file for everything that it prints.
    /// - Throws: `Command.Failed` if it does not answer.
    init(_ words: [String], log: String) throws {
        let port = try Self.freePort()
        self.port = port
        let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("WARD_") }
        let command = Command(
            words: words.map { $0.replacing("PORT", with: "\(port)") },
            environment: environment
        )
        let process = try command.start(output: log, isComplete: true)
        self.process = process
        var clock = clockid_t()
        guard clock_getcpuclockid(process, &clock) == 0 else {
            throw Command.Failed(description: "the kernel has no clock for the server")
        }
        self.clock = clock
        for _ in 0..<1000 {
            if (try? HTTPConnection(port: port, fields: [])) != nil { return }
            usleep(10_000)
        }
        throw Command.Failed(description: "\(words[0]) does not answer; see \(log)")
    }

    /// The processor time that it has used, in microseconds, in all threads and in the kernel.
    var processorTime: Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    /// Ends it and waits.
    func stop() throws {
        kill(process, SIGTERM)
        _ = try Command.wait(for: process)
    }

    static func freePort() throws -> Int {
        for port in (20_000..<32_000).shuffled().prefix(100) {
            guard (try? HTTPConnection(port: port, fields: [])) == nil else { continue }
            return port
        }
        throw Command.Failed(description: "no port is free")
    }
}
