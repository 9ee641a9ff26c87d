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
        abstract: "Run the agent: the process with the open vault. Other commands start it when they need it.",
        discussion: """
            The agent listens on $XDG_RUNTIME_DIR/ward/agent.sock for ward, and on $XDG_RUNTIME_DIR/ward-apps/agent.sock for \
            apps. If systemd opened these sockets, the agent uses them. It shows prompts with the pinentry program in \
            WARD_PINENTRY or gpg-agent.conf, or with the program pinentry in PATH.

            Each vault has an agent of its own. The agent of a vault with a name listens in \
            $XDG_RUNTIME_DIR/ward/vaults/NAME, and apps cannot reach it. ward starts the agent if it is not running. For \
            apps, systemd can start it from login on, after this command: systemctl --user enable --now ward-agent.socket. \
            The agent locks the vault when the machine goes to sleep. At logout the agent locks the vault and ends. After a \
            reboot the vault is locked.
            """,
        shouldDisplay: false
    )

    @Flag(help: "Lock the vault and end the running agent.")
    var stop = false
    @Option(
        help: ArgumentHelp(
            "Lock the vault after this many minutes without use; 0 for never. Default: WARD_IDLE_LOCK, or 15.",
            valueName: "minutes"
        )
    )
    var idleLock: Double?
    @Option(
        help: ArgumentHelp(
            "Lock the vault this many hours after opening, even if in use; 0 for never. Default: WARD_OPEN_LIMIT, or 8.",
            valueName: "hours"
        )
    )
    var openLimit: Double?
    @Option(
        help: ArgumentHelp("Log level: trace, debug, info, notice, warning, error or critical.", valueName: "level")
    )
    var logLevel: String = "info"
    @Flag(help: "Write no log.")
    var quiet = false
    // The program that starts the agent is about to create the vault.
    @Flag(help: .hidden)
    var new = false
    @OptionGroup var options: AgentOptions

    func validate() throws {
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("--log-level must be trace, debug, info, notice, warning, error or critical.")
        }
        guard idleSeconds >= 0 else {
            throw ValidationError("--idle-lock and WARD_IDLE_LOCK must be a number of minutes, or 0 for never.")
        }
        guard openSeconds >= 0 else {
            throw ValidationError("--open-limit and WARD_OPEN_LIMIT must be a number of hours, or 0 for never.")
        }
    }

    func run() async throws {
        if stop { return try await end() }
        let vault = try new ? options.vault() : options.vault().existing()
        // A write to a client that has disconnected returns an error. It does not end the agent.
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
            // The command that started this agent reads the agent's errors from standard error.
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
        // A normal connection could start an agent, so this one does not.
        if vault.paths.hasAgent { try await Self.end(vault) }
        if options.json { try Output.json(["state": "stopped"]) } else { Output.lines(["The agent was stopped."]) }
    }

    /// Locks the vault and ends its agent: through the socket, or with a signal.
    ///
    /// - Throws: ``Failure`` when it does not end.
    static func end(_ vault: VaultChoice) async throws {
        let paths = vault.paths
        do {
            try await vault.withAgent(starts: false) { _ = try await $0.call(StopAgent()) }
        } catch let failure as Failure where failure.code == AgentError.Code.inUse.rawValue {
            // The agent that listens serves another vault.
            return
        } catch let failure as Failure where failure.code == AgentError.Code.unreachable.rawValue {
            if let lost = paths.livingAgent { kill(lost.pid, SIGTERM) }
        }
        guard try await AgentClient.waitUntilGone(paths) else {
            let process = paths.livingAgent.map { " \($0.pid)" } ?? ""
            throw Failure(
                .unavailable,
                "The agent does not end. Kill its process\(process): no answered change is lost."
            )
        }
    }

    private var idleSeconds: Int { Self.seconds(idleLock, "WARD_IDLE_LOCK", unit: 60) ?? 15 * 60 }
    private var openSeconds: Int { Self.seconds(openLimit, "WARD_OPEN_LIMIT", unit: 3600) ?? 8 * 3600 }

    /// The requested time in seconds: -1 if the value is not valid, `nil` if there is none.
    private static func seconds(_ option: Double?, _ variable: String, unit: Double) -> Int? {
        let environment = ProcessInfo.processInfo.environment[variable]
        guard let value = option ?? environment.map({ Double($0) ?? -1 }) else { return nil }
        guard value >= 0, value < 1_000_000 else { return -1 }
        return Int((value * unit).rounded(.up))
    }
}
