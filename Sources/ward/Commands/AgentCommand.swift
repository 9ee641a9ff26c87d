import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals
import WardAgent
import WardAgentClient
import WardVault

/// The process that holds the open vault.
struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Run the process that holds the open vault; other commands start it when they need it.",
        discussion: """
            It listens on $XDG_RUNTIME_DIR/ward/agent.sock, or on the socket that systemd hands over, and asks through \
            pinentry: the one that WARD_PINENTRY or gpg-agent.conf names, else pinentry on the path.
            """
    )

    @Flag(help: "End the agent that is running, after locking the vault.")
    var stop = false
    @Option(
        help: ArgumentHelp(
            "Minutes without a request after which the vault locks; 0 for never. Also WARD_IDLE_LOCK.",
            valueName: "minutes"
        )
    )
    var idleLock: Double?
    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var logLevel: String = "info"
    @Flag(help: "Write no log.")
    var quiet = false
    // Every command takes it; this one has no question that it would answer.
    @OptionGroup var options: AgentOptions

    func validate() throws {
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("--log-level is trace, debug, info, notice, warning, error or critical.")
        }
        guard try seconds() >= 0 else { throw ValidationError("--idle-lock is a number of minutes, 0 for never.") }
    }

    func run() async throws {
        if stop { return try await end() }
        Hardening.apply()
        let level = quiet ? Logger.Level.critical : Logger.Level(rawValue: logLevel) ?? .info
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let logger = Logger(label: "ward.agent")
        var configuration = Agent.Configuration(location: .standard)
        configuration.idleLock = try seconds()
        configuration.version = WardCommand.version
        configuration.providers = .standard()
        let agent = Agent(configuration, logger: logger)
        let server = AgentServer(
            agent: agent,
            paths: AgentOptions.paths,
            activation: SocketActivation(),
            logger: logger
        )
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: server,
                        successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .cancelGroup
                    )
                ],
                gracefulShutdownSignals: [.sigterm, .sigint, .sighup],
                logger: logger
            )
        )
        do {
            try await group.run()
        } catch let error as AgentError {
            throw Failure(error)
        }
    }

    private func end() async throws {
        do {
            try await AgentOptions.withAgent(starts: false) { _ = try await $0.call(StopAgent()) }
        } catch let failure as Failure where failure.code == AgentError.Code.unreachable.rawValue {
            // None is running.
        }
        guard try await AgentClient.waitUntilGone(AgentOptions.paths) else {
            throw Failure(.unavailable, "the agent does not end: kill its process, nothing that was answered is lost")
        }
        if options.json { try Output.json(["state": "stopped"]) } else { Output.lines(["The agent is stopped."]) }
    }

    private func seconds() throws -> Int {
        let environment = ProcessInfo.processInfo.environment["WARD_IDLE_LOCK"]
        guard let minutes = idleLock ?? environment.map({ Double($0) ?? -1 }) else { return 15 * 60 }
        guard minutes >= 0, minutes < 1_000_000 else { return -1 }
        return Int((minutes * 60).rounded(.up))
    }
}
