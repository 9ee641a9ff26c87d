import Foundation
import WardAgentClient
import WardTerminal
import WardVault

/// The vault of a command: the one in `--vault`, otherwise the one in `WARD_VAULT`, otherwise the default vault.
struct VaultChoice: Sendable {
    private static let variable = "WARD_VAULT"

    let name: VaultName
    /// The source of the vault's name; `nil` for the default vault.
    private let origin: String?

    /// The default vault.
    static let standard = VaultChoice(.standard, origin: nil)

    /// Every vault that exists, the default one first.
    static var all: [VaultChoice] { VaultLocation.all().map { VaultChoice($0.name, origin: CommandHints.option) } }

    private init(_ name: VaultName, origin: String?) { (self.name, self.origin) = (name, origin) }

    /// Reads the option.
    ///
    /// If it is missing, reads the environment.
    ///
    /// - Throws: ``Failure`` with `usage` for what cannot be a name, such as a path.
    init(
        option: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(Failure) {
        if let option {
            try self.init(named: option, by: CommandHints.option)
        } else if let value = environment[Self.variable], !value.isEmpty {
            try self.init(named: value, by: Self.variable)
        } else {
            self = .standard
        }
    }

    /// Reads a name.
    ///
    /// - Parameters:
    ///   - text: The name.
    ///   - origin: Where it stands.
    /// - Throws: ``Failure`` with `usage` for what cannot be a name.
    init(named text: String, by origin: String) throws(Failure) {
        guard let name = VaultName(text) else {
            throw Failure(
                .usage,
                """
                \(origin) must be the name of a vault. A name has at most \(VaultName.maximumLength) letters, digits, hyphens and \
                underscores, and is not a path. See the names: ward vault list
                """
            )
        }
        self.init(name, origin: origin)
    }

    /// The folders and files of the vault.
    var location: VaultLocation { VaultLocation(name) }

    /// The path where the vault's agent listens, or would listen.
    var paths: AgentPaths {
        let standard = AgentPaths.standard(stateDirectory: VaultLocation.standard.stateDirectory)
        var paths = name.isStandard ? standard : standard.ofVault(named: name.description)
        paths.vault = location.database
        return paths
    }

    /// The beginning of a sentence about the vault.
    var subject: String { name.isStandard ? "The vault" : "The vault \(name)" }

    /// This vault.
    ///
    /// It throws if the vault does not exist.
    ///
    /// For the default vault the agent reports the problem.
    ///
    /// - Throws: ``Failure`` with `missing` that names the vaults that exist, and the nearest one.
    func existing() throws(Failure) -> VaultChoice {
        guard !name.isStandard, !location.hasVault else { return self }
        let names = VaultLocation.all().map(\.name.description)
        let nearest = NearestName.of(name.description, among: names).map { " Did you mean \($0)?" } ?? ""
        let next =
            names.isEmpty
            ? "Create it: ward init --vault \(name)"
            : "You have: \(names.joined(separator: ", ")). Create another one: ward init --vault \(name)"
        let place = origin.map { $0 == CommandHints.option ? "" : " (\($0))" } ?? ""
        throw Failure(
            AgentError(
                .init(rawValue: VaultError.Code.vaultMissing.name),
                "There is no vault \(name)\(place).\(nearest) \(next)"
            )
        )
    }

    // MARK: The agent

    /// Runs a body with a connection to the vault's agent.
    ///
    /// - Parameters:
    ///   - starts: Whether an agent is started if none runs.
    ///   - creates: Whether the vault may be missing, because the body creates it.
    ///   - body: What is asked.
    /// - Returns: What the body returns.
    /// - Throws: ``Failure``.
    func withAgent<T: Sendable>(
        starts: Bool = true,
        creates: Bool = false,
        _ body: @escaping @Sendable (AgentClient) async throws -> T
    ) async throws -> T {
        let hello = Hello(client: "ward", terminal: Terminal.hello)
        // The agent checks the program that connects. So this process stays visible until the agent has answered `hello`.
        @Sendable func hidden(_ agent: AgentClient) async throws -> T {
            Hardening.hideMemory()
            return try await body(agent)
        }
        do {
            let launch = starts ? try launch(creates: creates) : nil
            Hardening.showExecutable()
            defer { Hardening.hideMemory() }
            let paths = paths
            return try await Interruption.guarding {
                guard let launch else { return try await AgentClient.withConnection(to: paths, as: hello, hidden) }
                return try await AgentClient.withConnection(to: paths, as: hello, startingWith: launch, hidden)
            }
        } catch let error as AgentError {
            throw Failure(error)
        }
    }

    private func launch(creates: Bool) throws(Failure) -> AgentClient.Launch {
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            throw Failure(.unavailable, "/proc is missing, so the agent cannot be started")
        }
        let new = creates ? ["--new"] : []
        return AgentClient.Launch(
            program: program,
            arguments: ["agent", "--quiet", CommandHints.option, name.description] + new
        )
    }
}
