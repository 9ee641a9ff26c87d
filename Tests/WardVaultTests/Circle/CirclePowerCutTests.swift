import Foundation
import Synchronization
import Testing
import WardLog

@testable import WardVault

/// The files of a device before each step that writes.
private final class Images: Sendable {
    private let folders = Mutex<[URL]>([])
    private let copy = Mutex<(@Sendable () -> URL?)?>(nil)

    func step() {
        guard let folder = copy.withLock({ $0 })?() else { return }
        folders.withLock { $0.append(folder) }
    }

    /// Takes an image at each step while a closure runs.
    func taken(of fixture: VaultFixture, during body: () async throws -> Void) async throws -> [URL] {
        copy.withLock { copy in copy = { [unowned fixture] in try? fixture.copy() } }
        defer { copy.withLock { $0 = nil } }
        try await body()
        return folders.withLock { folders in
            defer { folders = [] }
            return folders
        }
    }
}

/// A change of the circle is there as a whole or not at all, whenever the power fails.
@Suite struct `Power cuts in a circle` {
    /// Whether an image has a second file with the keys of its device.
    private func isPending(_ image: URL) -> Bool {
        FileManager.default.fileExists(atPath: VaultFixture.location(image).pendingDevice)
    }

    /// Opens an image with one of the passphrases, as the device that it was, and writes.
    private func check(_ image: URL, _ words: [String], _ titles: [String], _ what: String) async throws {
        let fixture = try VaultFixture()
        let vault = try Vault.open(at: VaultFixture.location(image), environment: fixture.environment)
        var isOpen = false
        for one in words where !isOpen {
            do {
                try await vault.unlock(with: VaultFixture.passphrase(one))
                isOpen = true
            } catch let error as VaultError where error.code == .wrongPassphrase {}
        }
        #expect(isOpen, "\(what)")
        #expect(!isPending(image), "\(what)")
        #expect(try await vault.summaries().map(\.title).sorted() == titles, "\(what)")
        _ = try await vault.verifyLog()
        try await vault.add(Item(title: "after"))
        _ = try await vault.verifyLog()
        try await vault.close()
    }

    @Test func `a device that changes the circle has the old state or the new one`() async throws {
        let images = Images()
        let fixture = try VaultFixture { _ in images.step() }
        let (vault, key) = try await fixture.createWithKey()
        try await vault.add(Item(title: "before"))
        let (old, new) = (VaultFixture.words, "new words")
        let steps: [(String, [String], () async throws -> Void)] = [
            (
                "begins", [old],
                { _ = try await vault.beginCircle(VaultFixture.passphrase(), recoveryKey: key, deviceName: "one") }
            ),
            ("makes a key", [old], { try await vault.rekeyCircle(VaultFixture.passphrase()) }),
            (
                "makes a recovery key", [old],
                { _ = try await vault.replaceRecoveryKey(VaultFixture.passphrase()) }
            ),
            (
                "changes the passphrase", [old, new],
                { try await vault.changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase(new)) }
            ),
        ]
        for (what, words, body) in steps {
            let taken = try await images.taken(of: fixture, during: body)
            #expect(taken.count > 2, "\(what)")
            for (number, image) in taken.enumerated() {
                try await check(image, words, ["before"], "\(what), image \(number)")
            }
        }
        try await vault.close()
    }

    @Test func `a device that takes a removal with a new Secret Key has the old state or the new one`() async throws {
        let world = try await CircleWorld(devices: 2)
        let images = Images()
        try await world.join(by: 0) { _ in images.step() }
        try await world[0].add(Item(title: "news"))
        let lost = try await world.id(1)
        try await world[0].removeDevices([lost], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        try await world.sync(0)
        let taken = try await images.taken(of: world.fixtures[2]) { try await world.sync(2) }
        #expect(taken.count > 5)
        for (number, image) in taken.enumerated() {
            let location = VaultFixture.location(image)
            let database = try VaultDatabase(location.database, world.fixtures[2].environment)
            var entries = 0
            try database.forEachRow(after: 0) { _ in entries += 1 }
            try database.close()
            // The entries come in one transaction, so the news are there exactly with the removal.
            let all = try await Int(world[2].status().entries)
            let titles = entries == all ? ["before", "news"] : ["before"]
            try await check(image, [VaultFixture.words], titles, "image \(number)")
        }
        try await world.close()
    }

    @Test func `a device that a recovery key brings back is the earlier one or the new one`() async throws {
        let world = try await CircleWorld(devices: 1)
        let images = Images()
        try await world.join(by: 0) { _ in images.step() }
        let before = try await world.id(1)
        try await world[0].removeDevices([before], VaultFixture.passphrase(), recoveryKey: nil, keepsSecretKey: false)
        for number in 0..<2 { try await world.sync(number) }
        let taken = try await images.taken(of: world.fixtures[1]) {
            try await world[1].recover(with: world.recoveryKey, newPassphrase: VaultFixture.passphrase("recovered"))
        }
        let after = try await world.id(1)
        #expect(taken.count > 5 && after != before)
        var seen: Set<DeviceID> = []
        for (number, image) in taken.enumerated() {
            let vault = try Vault.open(at: VaultFixture.location(image), environment: VaultFixture().environment)
            // The entries of the new device come with the header, and nobody else has its keys.
            var expected = before
            do {
                try await vault.unlock(with: VaultFixture.passphrase())
            } catch let error as VaultError where error.code == .wrongPassphrase {
                try await vault.unlock(with: VaultFixture.passphrase("recovered"))
                expected = after
            }
            let device = try await vault.thisDevice()
            seen.insert(device)
            #expect(device == expected, "image \(number)")
            #expect(!isPending(image), "image \(number)")
            #expect(try await vault.summaries().map(\.title) == ["before"], "image \(number)")
            if device == after { try await vault.add(Item(title: "after")) }
            _ = try await vault.verifyLog()
            try await vault.close()
            if device == after {
                let again = try Vault.open(at: VaultFixture.location(image), environment: VaultFixture().environment)
                try await again.unlock(with: VaultFixture.passphrase("recovered"))
                #expect(try await again.thisDevice() == after, "image \(number)")
                try await again.close()
            }
        }
        #expect(seen.count == 2)
        try await world.close()
    }

    @Test func `a device that changes the Secret Key after a power cut has one that fits after the next one`()
        async throws
    {
        let world = try await CircleWorld(devices: 3)
        let (first, second) = try await (world.id(1), world.id(2))
        try await world[0].close()
        let (images, fixture) = (Images(), world.fixtures[0])
        let cut = try VaultFixture { _ in images.step() }
        /// Puts the files of a device in place, removes another device, and takes an image at each step.
        func removed(_ device: DeviceID, from source: URL) async throws -> [URL] {
            for name in ["data", "state"] {
                let place = cut.folder.appendingPathComponent(name)
                try? FileManager.default.removeItem(at: place)
                try FileManager.default.copyItem(at: source.appendingPathComponent(name), to: place)
            }
            let vault = try await cut.unlocked()
            let taken = try await images.taken(of: cut) {
                try await vault.removeDevices(
                    [device],
                    VaultFixture.passphrase(),
                    recoveryKey: world.recoveryKey,
                    keepsSecretKey: false
                )
            }
            try await vault.close()
            return taken
        }
        for (number, image) in try await removed(first, from: fixture.folder).enumerated() {
            let isPending = FileManager.default.fileExists(atPath: VaultFixture.location(image).pendingSecretKey)
            guard isPending else { continue }
            for (again, next) in try await removed(second, from: image).enumerated() {
                try await check(next, [VaultFixture.words], ["before"], "image \(number), then \(again)")
            }
        }
        try await world.close()
    }

    /// A removed device has the earlier keys, and may have a copy of the files. With one of these it must not get what is sealed to others.
    @Test func `a device that changes its key has one file after a power cut, for the header in place`() async throws {
        let images = Images()
        let fixture = try VaultFixture { _ in images.step() }
        let (vault, key) = try await fixture.createWithKey()
        _ = try await vault.beginCircle(VaultFixture.passphrase(), recoveryKey: key, deviceName: "one")
        let (device, earlier) = try await (vault.thisDevice(), vault.stolen().keys)
        let taken = try await images.taken(of: fixture) { try await vault.rekeyCircle(VaultFixture.passphrase()) }
        // With two files before and after the transaction.
        var cuts: Set<Bool> = []
        for (number, image) in taken.enumerated() {
            let wasPending = isPending(image)
            let cut = try Vault.open(at: VaultFixture.location(image), environment: VaultFixture().environment)
            try await cut.unlock(with: VaultFixture.passphrase())
            #expect(try await cut.thisDevice() == device, "image \(number)")
            #expect(!isPending(image), "image \(number)")
            let hasNewKey = try await cut.currentHeader().epoch > earlier.epoch
            let opened = try DeviceFile(VaultFixture.location(image).device, vault.id, earlier)
            #expect((opened == nil) == hasNewKey, "image \(number)")
            if wasPending { cuts.insert(hasNewKey) }
            try await cut.close()
        }
        #expect(cuts == [false, true])
        try await vault.close()
    }

    /// The header in force need not have the key that a device made itself. Chance decides between two keys of one epoch.
    @Test func `a device that takes another key beside its own stays the device that it was`() async throws {
        for _ in 0..<24 {
            if try await checkOtherKey() { return }
        }
        Issue.record("the key of the other device was never the one in force")
    }

    private func checkDevice(_ device: DeviceID, at image: URL, _ what: String) async throws {
        let fixture = try VaultFixture()
        let vault = try Vault.open(at: VaultFixture.location(image), environment: fixture.environment)
        do {
            try await vault.unlock(with: VaultFixture.passphrase())
            #expect(try await vault.thisDevice() == device, "\(what)")
            #expect(!isPending(image), "\(what)")
        } catch {
            Issue.record(error, "\(what)")
        }
        try await vault.close()
    }

    /// - Returns: Whether the other device's key came into force, so that something was checked.
    private func checkOtherKey() async throws -> Bool {
        let world = try await CircleWorld(devices: 1)
        let images = Images()
        try await world.join(by: 0) { _ in images.step() }
        try await world.meet()
        let device = try await world.id(1)
        try await world[1].rekeyCircle(VaultFixture.passphrase())
        let key = try await world[0].replaceRecoveryKey(VaultFixture.passphrase())
        try await world.sync(0)
        let taken = try await images.taken(of: world.fixtures[1]) { try await world.sync(1) }
        // Without a new key, less is written.
        guard taken.count > 5 else {
            try await world.close()
            return false
        }
        for (number, image) in taken.enumerated() { try await checkDevice(device, at: image, "image \(number)") }
        // After the power cut, another key comes.
        for number in [1, 0] { try await world.sync(number) }
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        try await world.sync(0)
        let records = try world.records()
        let cut = try VaultFixture { _ in images.step() }
        for (number, image) in taken.enumerated() {
            for name in ["data", "state"] {
                let place = cut.folder.appendingPathComponent(name)
                try? FileManager.default.removeItem(at: place)
                try FileManager.default.copyItem(at: image.appendingPathComponent(name), to: place)
            }
            let vault = try await cut.unlocked()
            let again = try await images.taken(of: cut) { _ = try await vault.take(records) }
            try await vault.close()
            for (next, image) in again.enumerated() {
                try await checkDevice(device, at: image, "image \(number), then \(next)")
            }
        }
        #expect(try await world[0].isRecoveryKey(key))
        try await world.close()
        return true
    }
}
