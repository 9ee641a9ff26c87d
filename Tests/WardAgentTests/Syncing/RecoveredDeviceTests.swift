import Foundation
import Testing
import WardAgentClient

@testable import WardAgent
@testable import WardVault

/// A device that a recovery key made a new one: its person knows the one that it was.
@Suite(.agents, .timeLimit(.minutes(15))) struct `A device that a recovery key made new` {
    private static let quiet = Authorization(mayPrompt: false)
    private static let passphrase = AgentFixture.passphrase
    private static let fresh = "a new one for better days"

    private func makeFolder() throws -> String {
        let folder = NSTemporaryDirectory() + "war-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    private func keep(_ title: String, _ fixture: AgentFixture) async throws {
        var change = ItemChange()
        change.title = title
        _ = try await fixture.call(AddItem(authorization: Self.quiet, change: change))
    }

    private func device(_ fixture: AgentFixture) async throws -> String {
        let devices = try await fixture.call(ListDevices(authorization: Self.quiet)).devices
        return try #require(devices.first { $0.isThisDevice }).id
    }

    @Test(arguments: [true, false]) func `is named, and the one that it was is not news`(isOn: Bool) async throws {
        let (fixture, folder) = (try await AgentFixture(), try makeFolder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (session, location) = (fixture.agent.session, fixture.agent.session.location)
        try await fixture.create()
        let begin = BeginCircle(passphrase: Self.passphrase, folder: folder, deviceName: "desk")
        let key = try #require(try await fixture.call(begin).recoveryKey)
        _ = try await fixture.call(SwitchSyncOn(passphrase: Self.passphrase, folder: folder))
        if !isOn { _ = try await fixture.call(SwitchSyncOff(authorization: Self.quiet)) }
        let before = try await device(fixture)

        // The file goes back to a copy, and what this device wrote since is only in the folder.
        await session.close()
        let copy = fixture.folder + "/old.db"
        try FileManager.default.copyItem(atPath: location.database, toPath: copy)
        _ = try await fixture.call(Unlock(authorization: Authorization(passphrase: Self.passphrase)))
        try await keep("After the copy", fixture)
        if isOn { _ = try await fixture.call(SyncNow(authorization: Self.quiet)) }
        await session.close()
        try FileManager.default.removeItem(atPath: location.database)
        try FileManager.default.moveItem(atPath: copy, toPath: location.database)

        let made = try await fixture.call(Recover(recoveryKey: key, passphrase: Self.fresh, trustsFile: true))
        #expect(made.isNewDevice == true && made.formerDevice == before)
        #expect(try await device(fixture) != before)
        if isOn { for _ in 0..<2 { _ = try await fixture.call(SyncNow(authorization: Self.quiet)) } }
        #expect(fixture.notes.shown.isEmpty, "\(fixture.notes.shown)")

        // Now it is a device as any other, and stays that one.
        _ = try await fixture.call(Lock())
        let again = try await fixture.call(Recover(recoveryKey: key, passphrase: Self.fresh))
        #expect(again.isNewDevice == nil && again.formerDevice == nil)
        let removal = RemoveDevices(devices: [before], passphrase: Self.fresh, recoveryKey: key)
        #expect(try await fixture.call(removal).removed.map(\.id) == [before])
        try await fixture.close()
    }
}
