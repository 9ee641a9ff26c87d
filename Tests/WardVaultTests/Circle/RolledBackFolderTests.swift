import Foundation
import Testing
import WardLog
import WardSync

@testable import WardVault

/// The holder of a folder, a restored disk or a broken sync program puts an earlier state of the folder back.
@Suite struct `A folder that is put back to an earlier state` {
    /// Copies of the folder's contents, and how to put one back.
    private final class States {
        private let world: CircleWorld
        private let place: URL
        private(set) var count = 0

        init(_ world: CircleWorld) throws {
            self.world = world
            place = FileManager.default.temporaryDirectory.appendingPathComponent("ward-states-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: place) }

        func keep() throws {
            try FileManager.default.copyItem(at: current, to: place.appendingPathComponent("\(count)"))
            count += 1
        }

        /// - Parameter number: The state, or `nil` for an empty folder.
        func putBack(_ number: Int?) throws {
            try FileManager.default.removeItem(at: current)
            guard let number else { return }
            try FileManager.default.copyItem(at: place.appendingPathComponent("\(number)"), to: current)
        }

        private var current: URL { world.folder.appendingPathComponent("ward") }
    }

    @Test func `loses nothing: each device writes again what is missing`() async throws {
        let world = try await CircleWorld.met(2)
        let states = try States(world)
        try states.keep()
        try await world[1].add(Item(title: "first"))
        try await world.meet()
        try states.keep()
        try await world[0].rekeyCircle(VaultFixture.passphrase())
        try await world[0].add(Item(title: "second"))
        try await world.meet()
        try states.keep()
        try await world[1].changePassphrase(from: VaultFixture.passphrase(), to: VaultFixture.passphrase("new words"))
        try await world.meet()
        let before = try await world.view(0)
        let entries = Set(try world.records().map(\.entry.hash))
        for state in [nil] + (0..<states.count).map(Optional.init) {
            try states.putBack(state)
            for number in 0..<2 { try await world.reopen(number, "new words") }
            for number in [1, 0, 1] {
                let report = try await world.sync(number)
                #expect(report.troubles.isEmpty && report.taken == 0, "\(String(describing: state))")
            }
            for number in 0..<2 { #expect(try await world.view(number) == before) }
            #expect(Set(try world.records().map(\.entry.hash)) == entries)
        }
        // The former passphrase has not come back, on any device.
        for number in 0..<2 {
            try await world[number].close()
            #expect(await world.fixtures[number].refusal() == .wrongPassphrase)
        }
    }

    /// The device that admits it says how far it must come.
    @Test func `gives a new device nothing until everything is there that the other device knew`() async throws {
        let world = try await CircleWorld.met(2)
        let states = try States(world)
        try states.keep()
        let fixture = try VaultFixture()
        let pending = try PendingDevice(name: "new", system: "test", fixture.environment)
        _ = try await world[0].admit(pending.request, VaultFixture.passphrase())
        for number in [0, 1] { try await world.sync(number) }
        // The other device knows the admission, so its last entry alone would be enough to begin with an old state.
        try await world[1].add(Item(title: "of the other"))
        for number in [1, 0] { try await world.sync(number) }
        try states.keep()
        try await world[0].add(Item(title: "later"))
        try await world.sync(0)
        try states.keep()
        // The member admits the same request again, and says how far it is now.
        let bytes = try await world[0].admit(pending.request, VaultFixture.passphrase())
        for state in 0..<states.count {
            try states.putBack(state)
            let reply = try PairingReply(bytes, for: pending)
            func join() async throws -> Vault {
                try await Vault.join(
                    pending,
                    reply,
                    VaultFixture.passphrase(),
                    records: try world.records(),
                    at: fixture.location,
                    environment: fixture.environment
                )
            }
            guard state == states.count - 1 else {
                await #expect(throws: VaultError(.vaultIncomplete, "")) { try await join() }
                #expect(!FileManager.default.fileExists(atPath: fixture.location.database))
                continue
            }
            let vault = try await join()
            #expect(try await vault.summaries().map(\.title).sorted() == ["before", "later", "of the other"])
            try await vault.close()
        }
        try await world.close()
    }
}
