import Foundation

/// An agent of the program that was built, in a process of its own.
struct AgentProcess: Sendable {
    let world: ManagerWorld
    let process: pid_t

    /// Starts one, and waits until it answers; the vault is locked.
    static func start(_ world: ManagerWorld) async throws -> AgentProcess {
        let words = [world.ward, "agent", "--quiet", "--idle-lock", "0"]
        let command = Command(words: words, environment: world.environment)
        let agent = AgentProcess(world: world, process: try command.start())
        for _ in 0..<1000 {
            if (try? agent.call("status")) != nil { return agent }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Command.Failed(description: "the agent does not start")
    }

    /// Ends it.
    func stop() throws {
        try call("agent.stop")
        _ = try Command.wait(for: process)
    }

    /// Asks one thing on a connection of its own.
    @discardableResult
    func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        try AgentConnection(to: world.socket).call(method, parameters)
    }

    /// The processor time that it has used, in milliseconds, in all threads and in the kernel.
    var processorTime: Double {
        get throws {
            var clock = clockid_t()
            var time = timespec()
            guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
                throw Command.Failed(description: "the kernel has no clock for the agent")
            }
            return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
        }
    }

    /// Opens the vault.
    func unlock() throws {
        let authorization: [String: Any] = ["passphrase": ManagerWorld.passphrase, "mayPrompt": false]
        try call("vault.unlock", ["authorization": authorization, "trustsFile": false])
    }

    /// What the kernel says of its memory, in millions of bytes.
    func memory(_ field: String) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(field + ":") }),
            let number = Double(line.filter(\.isNumber))
        else { throw Command.Failed(description: "/proc does not say \(field) of the agent") }
        return number * 1024 / 1e6
    }
}
