import CPowerCut
import Crypto
import WardDomains
import WardLog
import WardSync
import WardTesting
import WardVault

/// A machine of the person: its files, its clock, and the vault on it.
final class Machine {
    let number: Int
    let folder: String
    let effects: TestEffects
    let environment: VaultEnvironment
    let faults: WriteFaults
    private let world: Int32
    private(set) var vault: Vault?
    private(set) var folderSync: FolderSync?
    var serverSyncs: [Int: ServerSync] = [:]
    /// What is safely on the disk, as far as it is not in the steps of the disk.
    private var safe: [String: (file: UInt64, bytes: [UInt8])] = [:]
    /// The last entries that the vault acknowledged, with the number of steps of the disk at that moment.
    private(set) var acknowledged: [(entry: [UInt8], steps: Int)] = []
    /// What the vault said of its circle last, for as long as nothing is written to any disk.
    private var seen: (vault: Vault, steps: Int, circle: CircleOverview?)?
    /// The names of the folders in which the machine wrote for others.
    var ownFolders: Set<String> = []
    /// What the last sync with each server ended with, if it did not end well.
    var serverErrors: [Int: ServerError] = [:]
    /// The servers of which the machine knows that they showed two orders.
    var twoOrders: Set<Int> = []
    /// The copy that the machine made of its vault, and the number of steps of the disks when the first one was made.
    var backup: (path: String, steps: Int)?
    /// Whether the machine has admitted another one and has not synced since. A program syncs before the new device gets anything.
    var hasAdmitted = false
    /// Whether a copy of the machine's files writes as well, or the machine is given up: nothing is expected of it.
    var isGivenUp = false

    init(number: Int, world: Int32, seed: UInt64, now: Int64) throws {
        self.number = number
        self.world = world
        folder = Files.folder(world, number)
        effects = TestEffects(now: now, seed: "\(seed)/\(number)")
        faults = WriteFaults()
        environment = VaultEnvironment(
            effects: effects.effects,
            suffixes: Self.suffixes,
            beforeWrite: { [faults] _ in try faults.step() },
            stretch: { Array(SHA256.hash(data: $0 + $1)) },
            checkpointDelay: nil
        )
        try Files.makeFolder(syncFolder)
        try Files.makeFolder(copyFolder)
    }

    static let isVerbose = CommandLine.arguments.contains("--disk")
    private static let suffixes = PublicSuffixList.system

    var location: VaultLocation {
        VaultLocation(directory: folder + "/data", stateDirectory: folder + "/state")
    }

    /// The folder that programs for syncing carry to the other machines.
    var syncFolder: String { folder + "/sync" }

    /// The folder for copies of the vault.
    var copyFolder: String { folder + "/copies" }

    /// The vault, which must be open.
    func open() throws -> Vault {
        guard let vault else { throw SimulationError("machine \(number) has no open vault") }
        return vault
    }

    /// What the vault says of its circle.
    ///
    /// The compiler of Swift 6.3 fails when it optimises a loop in which an actor is asked for this, so it must stay a function.
    @inline(never)
    func circle() async throws -> CircleOverview? {
        let vault = try open()
        let now = steps
        if let seen, seen.vault === vault, seen.steps == now { return seen.circle }
        let circle = try await vault.circle()
        seen = (vault, now, circle)
        return circle
    }

    /// The device that the vault is on; a function for the same reason.
    @inline(never)
    func device() async throws -> DeviceID { try await open().thisDevice() }

    /// The items that cannot be read; a function for the same reason.
    @inline(never)
    func unreadable() async throws -> [ItemID] { try await open().status().unreadable }

    /// Whether the device wrote something that it keeps to itself, as it does while it sees a question; a function for the same reason.
    @inline(never)
    func isHoldingNews() async throws -> Bool {
        let vault = try open()
        return try await vault.records(after: 0, limit: .max).last?.sequence ?? 0 != vault.lastOwnSequence()
    }

    func use(_ vault: Vault) {
        self.vault = vault
        folderSync = FolderSync(vault, with: FolderRemote(folder: syncFolder, vault: vault.id))
        serverSyncs = [:]
    }

    func close() async throws {
        try await vault?.close()
        (vault, folderSync, serverSyncs) = (nil, nil, [:])
    }

    /// Opens the vault with the first of some passphrases that is right.
    func reopen(_ words: [String], trusting trust: Vault.Trust = .known) async throws {
        try await close()
        let new = try Vault.open(at: location, environment: environment)
        for one in words {
            do {
                try await new.unlock(with: Passphrase(one), trusting: trust)
                return use(new)
            } catch  where error.code == .wrongPassphrase {
                continue
            } catch {
                try? await new.close()
                throw error
            }
        }
        try? await new.close()
        throw SimulationError("no passphrase opens the vault of machine \(number)")
    }

    /// The number of steps that were asked of the disks of the world.
    var steps: Int { DiskStep.count(world) }

    /// Notes what the vault has by now.
    func acknowledge() async throws {
        guard let vault else { return }
        acknowledged.append((try await vault.newestEntry(), steps))
    }

    /// Puts a file that another program brought into the folder for syncing.
    func receive(_ bytes: [UInt8], as path: String) throws {
        try Files.write(bytes, to: path)
        safe[path] = unsafe (power_cut_inode(path), bytes)
    }

    func lose(_ path: String) {
        Files.remove(path)
        safe[path] = nil
    }

    /// The files as they are after the power failed at a step.
    ///
    /// The vault is closed.
    func cutPower(after steps: Int, _ dice: inout Dice) async throws {
        try? await close()
        let folders = Files.tree(folder).folders
        var disk = DiskModel(safe)
        for index in 0..<steps {
            if let step = DiskStep(world, index, of: number) {
                if index > steps - 60, Self.isVerbose { print("    \(index) \(step.short)") }
                disk.apply(step)
            }
        }
        let files = disk.contents(&dice)
        Files.remove(folder)
        forgetSteps()
        for path in folders.sorted() { try Files.makeFolder(path) }
        safe = [:]
        for (path, bytes) in files { try place(bytes, as: path) }
        acknowledged = acknowledged.filter { $0.steps <= steps }
    }

    /// What could be found if the power failed at some steps from a step on; the machine goes on as it is.
    func possibleDisks(from start: Int, atMost count: Int, _ dice: inout Dice) -> [[String: [UInt8]]] {
        let own = (start..<steps).filter { DiskStep(world, $0, of: number) != nil }
        let ends = Set(own.shuffled(using: &dice).prefix(count)).sorted()
        guard let last = ends.last else { return [] }
        var disk = DiskModel(safe)
        var found: [[String: [UInt8]]] = []
        for index in 0...last {
            if let step = DiskStep(world, index, of: number) { disk.apply(step) }
            if ends.contains(index) { found.append(disk.contents(&dice)) }
        }
        return found
    }

    /// Puts the files of another machine in place, which were read at some moment.
    func take(_ files: [String: [UInt8]], of other: Machine) throws {
        for (path, bytes) in files.sorted(by: { $0.key < $1.key }) where path.hasPrefix(other.folder) {
            try place(bytes, as: folder + path.dropFirst(other.folder.count))
        }
    }

    /// The files of the vault are as they were at some moment.
    ///
    /// - Parameters:
    ///   - keepsState: Whether what the machine remembers of the vault stays; then a person says that the older file is the right one.
    func goBack(to files: [String: [UInt8]], _ words: [String], keepsState: Bool) async throws {
        try await close()
        let kept = Files.tree(folder)
        let vault = [location.directory] + (keepsState ? [] : [location.stateDirectory])
        Files.remove(folder)
        forgetSteps()
        safe = [:]
        for path in kept.folders.sorted() { try Files.makeFolder(path) }
        for (path, bytes) in kept.files where !vault.contains(where: { path.hasPrefix($0 + "/") }) {
            try place(bytes, as: path)
        }
        try take(files.filter { file in vault.contains { file.key.hasPrefix($0 + "/") } }, of: self)
        acknowledged = []
        try await reopen(words, trusting: keepsState ? .thisFile : .known)
    }

    /// Everything that the machine has is gone.
    func vanish() {
        Files.remove(folder)
        forgetSteps()
    }

    private func forgetSteps() { power_cut_forget(world, Int32(number)) }

    private func place(_ bytes: [UInt8], as path: String) throws {
        // A folder that was removed is back if its removal was not flushed.
        try Files.makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
        try receive(bytes, as: path)
    }
}
