import CPowerCut
import WardLog
import WardTesting
import WardVault

/// One schedule of machines, servers, failures and lies.
///
/// Everything that happens is drawn from the seed. The dice of each step depend on the seed and the number of the step alone, so steps
/// can be left out, and the others stay much the same.
final class Simulation {
    let plan: Plan
    let world: Int32
    var machines: [Machine] = []
    var servers: [ServerInMemory] = []
    var deeds = Deeds()
    /// The passphrases that there were, newest first.
    var words = ["the first words"]
    var recoveryKeys: [RecoveryKey] = []
    /// The numbers of steps that are left out.
    var skipped: Set<Int> = []
    private(set) var log: [String] = []
    /// A number for each value that is entered.
    var counter = 0
    /// Whether a server or a folder has lied, or was restored, so that errors are expected.
    var hasLied = false
    /// What was found to be wrong.
    private(set) var findings: [String] = []
    /// While a machine loses its power: the number of steps of its disk up to which it runs.
    var deadline: (machine: Int, steps: Int)?
    /// Whether the last event put an older copy of a vault in place.
    var isGoingBack = false
    /// Whether nobody can change the circle any more.
    var isStuck = false
    /// Whether a machine went back to a copy for which its keys are too new.
    var hasLostKeys = false
    /// Whether somebody typed a recovery key at a machine.
    var hasRecovered = false
    /// Whether everything arrives from now on.
    var hasSettled = false
    /// What machines wrote and must keep to themselves.
    var held: [(entry: [UInt8], machine: Int)] = []
    private let start: Int64 = 1_700_000_000

    init(_ plan: Plan, world: Int32) {
        self.plan = plan
        self.world = world
    }

    func note(_ words: String) { log.append(words) }

    func find(_ words: String) { findings.append(words) }

    var items: [ItemID] {
        (0..<3).compactMap { ItemID([UInt8](repeating: UInt8($0 + 1), count: 16)) }
    }

    /// Runs the schedule.
    func run() async {
        let scheme = plan.isReal ? SignatureScheme.ed25519 : KeyedHash.signatures
        let sealing = plan.isReal ? nil : KeyedHash.sealing
        await SignatureScheme.$inForce.withValue(scheme) {
            await SealingSubstitute.$inForce.withValue(sealing) {
                power_cut_begin(world)
                do {
                    try await begin()
                    for step in 0..<plan.length where findings.isEmpty && !skipped.contains(step) {
                        try await self.step(step)
                    }
                    if findings.isEmpty { try await settle() }
                    if findings.isEmpty { try await check() }
                } catch {
                    find("unexpected: \(error)")
                }
                for machine in machines where !findings.isEmpty && machine.vault != nil {
                    await noteCircle(of: machine)
                }
                for machine in machines { try? await machine.close() }
                power_cut_end(world)
                Files.remove(Files.world(world))
            }
        }
    }

    // MARK: The beginning

    private func begin() async throws {
        Files.remove(Files.world(world))
        let scheme = plan.isReal ? SignatureScheme.ed25519 : KeyedHash.signatures
        for number in 0..<plan.servers {
            servers.append(
                try ServerInMemory(
                    number: number,
                    seed: plan.seed,
                    now: start,
                    scheme,
                    hasDatabase: plan.hasDatabase,
                    pageEntries: plan.pageEntries
                )
            )
        }
        let first = try newMachine()
        let (vault, key) = try await Vault.create(
            at: first.location,
            passphrase: Passphrase(words[0]),
            environment: first.environment
        )
        recoveryKeys = [key]
        first.use(vault)
        machines.append(first)
        var dice = Dice(plan.seed, 2)
        try await add(items[0], on: first, &dice)
        try await first.acknowledge()
        let before = first.steps
        _ = try await vault.beginCircle(Passphrase(words[0]), recoveryKey: key, deviceName: "machine 0")
        try await checkPowerCuts(on: first, since: before, &dice)
        try await first.acknowledge()
        for number in servers.indices { try await sync(first, server: number) }
        if plan.hasFolder { try await syncFolder(first) }
        for _ in 1..<plan.machines {
            guard try await join(by: first) else {
                throw SimulationError("a machine cannot join at the beginning")
            }
        }
        for machine in machines {
            machine.effects.advance(by: Int64(dice.below(Int(2 * plan.clockError + 1))) - plan.clockError)
        }
        note(
            "\(machines.count) machines, \(servers.count) servers\(plan.hasFolder ? ", a folder" : "")"
        )
    }

    func newMachine() throws -> Machine {
        // A new machine has the time of the first one, which may be wrong.
        let now = machines.first?.effects.now ?? start
        return try Machine(number: machines.count, world: world, seed: plan.seed, now: now)
    }

    /// The passphrases and recovery keys are tried in turn: other machines may have changed them.
    func owner(_ words: String, _ body: (Passphrase) async throws -> Void) async throws -> Bool {
        for one in self.words {
            do {
                try await body(Passphrase(one))
                note(words)
                return true
            } catch let error as VaultError {
                if error.code == .wrongPassphrase { continue }
                guard Self.answers.contains(error.code) else { throw error }
                note("\(words): \(error)")
                return false
            }
        }
        // A machine that was removed does not hear of new passphrases, but it knows all before.
        throw SimulationError("no passphrase is right: \(words)")
    }

    /// What the rules may answer to a change that comes at a wrong time.
    static let answers: [VaultError.Code] = [.conflict, .notInCircle, .vaultIncomplete, .diskFull, .keyNotGiven]
}
