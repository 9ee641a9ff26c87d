import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals
import WardAgent
import WardAgentClient

/// Runs the agent.
struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Run the process that holds the open vault. Other commands start it when they need it.",
        discussion: """
            It listens on $XDG_RUNTIME_DIR/ward/agent.sock for ward, and on $XDG_RUNTIME_DIR/ward-apps/agent.sock for apps, or \
            on the sockets that systemd hands over. It asks through pinentry: the one that WARD_PINENTRY or gpg-agent.conf \
            names, else pinentry on the path.

            Each vault has an agent of its own. The agent of a vault with a name listens in $XDG_RUNTIME_DIR/ward/vaults/NAME, \
            and apps do not reach it. ward starts the agent when there is none; for apps systemd does, from login on: systemctl \
            --user enable --now ward-agent.socket. The agent locks the vault when the machine goes to sleep. At logout it \
            locks the vault and ends. After a reboot the vault is locked.
            """,
        shouldDisplay: false
    )

    @Flag(help: "Lock the vault and end the running agent.")
    var stop = false
    @Option(
        help: ArgumentHelp(
            "Minutes without use after which the vault locks; 0 for never. Default: 15. Also WARD_IDLE_LOCK.",
            valueName: "minutes"
        )
    )
    var idleLock: Double?
    @Option(
        help: ArgumentHelp(
            "Hours after which an open vault locks although it is in use; 0 for never. Default: 8. Also WARD_OPEN_LIMIT.",
            valueName: "hours"
        )
    )
    var openLimit: Double?
    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var logLevel: String = "info"
    @Flag(help: "Write no log.")
    var quiet = false
    // The program that starts the agent is about to create the vault.
    @Flag(help: .hidden)
    var new = false
    @OptionGroup var options: AgentOptions

    func validate() throws {
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("--log-level is trace, debug, info, notice, warning, error or critical.")
        }
        guard idleSeconds >= 0 else {
            throw ValidationError("--idle-lock and WARD_IDLE_LOCK are a number of minutes, 0 for never.")
        }
        guard openSeconds >= 0 else {
            throw ValidationError("--open-limit and WARD_OPEN_LIMIT are a number of hours, 0 for never.")
        }
    }

    func run() async throws {
        if stop { return try await end() }
        let vault = try new ? options.vault() : options.vault().existing()
        // Writing to a client that left is an error, not the end of the agent.
        _ = signal(SIGPIPE, SIG_IGN)
        let level = quiet ? Logger.Level.critical : Logger.Level(rawValue: logLevel) ?? .info
        LoggingSystem.bootstrap { label in
            var handler = CleanLogHandler(label: label)
            handler.logLevel = level
            return handler
        }
        let logger = Logger(label: "ward.agent")
        var configuration = Agent.Configuration(location: vault.location)
        configuration.idleLock = idleSeconds
        configuration.openLimit = openSeconds
        configuration.version = WardCommand.version
        configuration.providers = .standard(location: vault.location)
        let agent = Agent(configuration, logger: logger)
        let activation: SocketActivation?
        do { activation = try SocketActivation() } catch { throw Failure(error) }
        let server = AgentServer(
            agent: agent,
            paths: vault.paths,
            activation: activation,
            logger: logger,
            // The command that started this agent reads its errors there.
            whenReady: { [quiet] in if quiet { Self.closeStandardError() } }
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

    private static func closeStandardError() {
        let nowhere = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        dup2(nowhere, STDERR_FILENO)
        close(nowhere)
    }

    private func end() async throws {
        let vault = try options.vault().existing()
        // Connecting could start an agent.
        if vault.paths.hasAgent { try await Self.end(vault) }
        if options.json { try Output.json(["state": "stopped"]) } else { Output.lines(["The agent was stopped."]) }
    }

    /// Locks the vault and ends its agent: by the socket, else by a signal.
    ///
    /// - Throws: ``Failure`` when it does not end.
    static func end(_ vault: VaultChoice) async throws {
        let paths = vault.paths
        do {
            try await vault.withAgent(starts: false) { _ = try await $0.call(StopAgent()) }
        } catch let failure as Failure where failure.code == AgentError.Code.inUse.rawValue {
            // The agent that listens has another vault.
            return
        } catch let failure as Failure where failure.code == AgentError.Code.unreachable.rawValue {
            if let lost = paths.livingAgent { kill(lost.pid, SIGTERM) }
        }
        guard try await AgentClient.waitUntilGone(paths) else {
            let process = paths.livingAgent.map { " \($0.pid)" } ?? ""
            throw Failure(
                .unavailable,
                "The agent does not end. Kill its process\(process): nothing that was answered is lost."
            )
        }
    }

    private var idleSeconds: Int { Self.seconds(idleLock, "WARD_IDLE_LOCK", unit: 60) ?? 15 * 60 }
    private var openSeconds: Int { Self.seconds(openLimit, "WARD_OPEN_LIMIT", unit: 3600) ?? 8 * 3600 }

    /// What was asked for, in seconds; -1 for what is not a length of time, `nil` when nothing was asked for.
    private static func seconds(_ option: Double?, _ variable: String, unit: Double) -> Int? {
        let environment = ProcessInfo.processInfo.environment[variable]
        guard let value = option ?? environment.map({ Double($0) ?? -1 }) else { return nil }
        guard value >= 0, value < 1_000_000 else { return -1 }
        return Int((value * unit).rounded(.up))
    }
}
