import Foundation
import Synchronization
import Testing
import WardVault

/// Refuses the n-th step that writes, once it is told to count.
private final class Refusal: Sendable {
    private let left = Mutex<Int?>(nil)

    func begin(at step: Int) { left.withLock { $0 = step } }

    /// The environment of a disk that refuses.
    func environment(_ base: VaultEnvironment) -> VaultEnvironment {
        var environment = base
        environment.beforeWrite = { [self] _ in
            let isNow = left.withLock { left in
                defer { left = left.map { $0 - 1 } }
                return left == 0
            }
            if isNow { throw VaultError(.diskFull, "no room") }
        }
        return environment
    }
}

/// Copies of a vault, and their way back, with a disk that refuses at any step.
@Suite struct `Backups` {
    private let fixture: VaultFixture

    init() throws { fixture = try VaultFixture() }

    private var place: String { fixture.folder.path + "/copy.db" }

    @Test(arguments: [
        // Of the item, and of its attachment.
        "blob = NULL WHERE length(blob) < 50000", "blob = NULL WHERE length(blob) > 50000",
        "blob = CAST(x'00' || blob AS BLOB) WHERE length(blob) < 50000",
        "blob = CAST(x'00' || blob AS BLOB) WHERE length(blob) > 50000",
    ])
    func `a copy in which something is missing does not replace a whole one`(change: String) async throws {
        let vault = try await fixture.create()
        var item = Item(title: "first")
        item.attachments = [Attachment(name: "scan", content: [UInt8](repeating: 7, count: 100_000))]
        try await vault.add(item)
        _ = try await vault.backUp(BackupRequest(path: place))
        let before = try fixture.read(place)
        try await vault.close()
        try Tampering(fixture.location).execute("UPDATE log SET \(change)")
        let again = try await fixture.unlocked()
        await #expect(throws: VaultError(.damaged, "")) { try await again.backUp(BackupRequest(path: place)) }
        #expect(try fixture.read(place) == before)
        let other = try await again.backUp(BackupRequest(path: fixture.folder.path + "/other.db"))
        #expect(other.unreadable == [item.id])
        try await again.close()
    }

    @Test func `a copy that is refused at any step leaves the one before`() async throws {
        let vault = try await fixture.create()
        try await vault.add(Item(title: "first"))
        _ = try await vault.backUp(BackupRequest(path: place))
        let before = try fixture.read(place)
        try await vault.add(Item(title: "second"))
        try await vault.close()
        var refusals = 0
        for step in 0... {
            let refusal = Refusal()
            let again = try Vault.open(at: fixture.location, environment: refusal.environment(fixture.environment))
            try await again.unlock(with: VaultFixture.passphrase())
            refusal.begin(at: step)
            do {
                _ = try await again.backUp(
                    BackupRequest(path: place, includesSecretKey: true, isElsewhere: true)
                )
            } catch {
                #expect(error.code == .diskFull)
                refusals += 1
            }
            try await again.close()
            let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
            #expect(!left.contains { $0.hasPrefix(".ward-backup") })
            if try fixture.read(place) != before { break }
        }
        #expect(refusals > 0)
    }

    @Test func `a restoration that is refused at any step leaves a vault that opens`() async throws {
        let vault = try await fixture.create()
        let kept = try await vault.add(Item(title: "kept"))
        _ = try await vault.backUp(BackupRequest(path: place))
        try await vault.add(Item(title: "lost"))
        try await vault.close()
        let world = try fixture.copy()
        var refusals = 0
        for step in 0... {
            for name in ["data", "state"] {
                try fixture.remove(fixture.folder.path + "/" + name)
                try FileManager.default.copyItem(
                    atPath: world.path + "/" + name,
                    toPath: fixture.folder.path + "/" + name
                )
            }
            let refusal = Refusal()
            let restoration = try VaultRestoration(
                from: place,
                at: fixture.location,
                secretKey: nil,
                needsSecretKey: true,
                environment: refusal.environment(fixture.environment)
            )
            try await restoration.vault.unlock(with: VaultFixture.passphrase(), trusting: .thisFile)
            refusal.begin(at: step)
            var isDone = false
            do {
                try await restoration.place(replacing: true).vault.close()
                isDone = true
            } catch {
                #expect(error.code == .diskFull)
                refusals += 1
            }
            // The one or the other, whose device may have to be told to trust it.
            let found = try await fixture.unlocked(trusting: .thisFile)
            #expect(try await found.summaries().contains { $0.id == kept })
            _ = try await found.verifyLog()
            try await found.close()
            if isDone { break }
        }
        #expect(refusals > 3)
    }
}

/// Which disks a file system lies on, by what Linux says of it.
@Suite struct `Physical disks` {
    private static let mounts = """
        22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/mapper/root rw
        30 22 8:17 / /media/My\\040stick rw - vfat /dev/sdb1 rw
        31 22 8:3 / /home rw - ext4 /dev/sda3 rw
        32 22 0:40 / /tmp rw - tmpfs tmpfs rw
        33 22 0:50 / /mnt/nas rw - nfs4 nas:/export rw
        34 22 8:33 /sub /mnt/pool rw - btrfs /dev/sdc rw
        """

    @Test func `the mount with the longest name counts, and its escapes are undone`() {
        func source(_ path: String) -> String? { PhysicalDisk.mount(of: path, in: Self.mounts)?.source }
        #expect(source("/etc") == "/dev/mapper/root")
        #expect(source("/home/anna/backups") == "/dev/sda3")
        #expect(source("/homes") == "/dev/mapper/root")
        #expect(source("/media/My stick/ward") == "/dev/sdb1")
        #expect(PhysicalDisk.mount(of: "/tmp/x", in: Self.mounts)?.type == "tmpfs")
        #expect(PhysicalDisk.mount(of: "/", in: "nonsense\n\n1 2 3 - x") == nil)
    }

    @Test func `partitions and encrypted volumes of one disk are one disk, and memory is no disk`() throws {
        let files = FileManager.default
        let system = files.temporaryDirectory.appendingPathComponent("ward-sys-\(UUID().uuidString)")
        defer { try? files.removeItem(at: system) }
        func make(_ path: String) throws {
            try files.createDirectory(at: system.appendingPathComponent(path), withIntermediateDirectories: true)
        }
        try make("class/block/dm-0/slaves/sda2")
        for (disk, part) in [("sda", "sda2"), ("sda", "sda3"), ("sdb", "sdb1")] {
            try make("devices/\(disk)/\(part)/partition")
            try files.createSymbolicLink(
                atPath: system.path + "/class/block/" + part,
                withDestinationPath: "../../devices/\(disk)/\(part)"
            )
        }
        func disk(_ type: String, _ source: String) throws -> PhysicalDisk {
            let mounts = "22 1 0:1 / / rw - \(type) \(source) rw"
            return try #require(PhysicalDisk(of: "/", mounts: mounts, system: system.path))
        }
        let vault = try disk("ext4", "/dev/dm-0")
        #expect(vault.names == ["sda"])
        #expect(try !disk("ext4", "/dev/sda3").outlives(vault))
        #expect(try disk("vfat", "/dev/sdb1").outlives(vault))
        #expect(try disk("nfs4", "nas:/export").outlives(vault))
        #expect(try !disk("tmpfs", "tmpfs").outlives(vault))
    }
}
