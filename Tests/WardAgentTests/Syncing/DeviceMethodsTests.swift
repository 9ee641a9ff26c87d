import Foundation
import Synchronization
import Testing
import WardAgentClient
import WardWebAuthn
@testable import WardAgent
@testable import WardSync
@testable import WardVault

@Suite(.agents, .timeLimit(.minutes(15))) struct `Devices that share a vault` {
    private static let quiet = Authorization(mayPrompt: false)
    private static let passphrase = AgentFixture.passphrase

    private func refused<Method: AgentMethod>(_ code: String, _ method: Method, _ fixture: AgentFixture) async {
        let error = await #expect(throws: AgentError.self) { _ = try await fixture.call(method) }
        #expect(error?.code.rawValue == code, "\(String(describing: error))")
    }

    private func makeFolder() throws -> String {
        let folder = NSTemporaryDirectory() + "was-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Begins the circle with a new recovery key, and switches sync on.
    private func switchOn(_ fixture: AgentFixture, _ folder: String, as name: String) async throws {
        _ = try await fixture.call(BeginCircle(passphrase: Self.passphrase, folder: folder, deviceName: name))
        _ = try await fixture.call(SwitchSyncOn(passphrase: Self.passphrase, folder: folder))
    }

    @Test func `what is for several devices is refused with one`() async throws {
        let fixture = try await AgentFixture()
        try await fixture.create()
        await refused("no_circle", ListDevices(authorization: Self.quiet), fixture)
        await refused("no_circle", RenameDevice(authorization: Self.quiet, deviceName: "desk"), fixture)
        await refused("no_circle", RekeyDevices(passphrase: Self.passphrase), fixture)
        await refused("sync_off", ListDeviceRequests(authorization: Self.quiet), fixture)
        await refused("sync_off", AddDevice(request: "00", passphrase: Self.passphrase), fixture)
        await refused("vault_exists", BeginJoin(folder: fixture.folder), fixture)
        await refused("no_circle", SwitchSyncOn(passphrase: Self.passphrase, folder: fixture.folder), fixture)
        try await fixture.close()
    }

    @Test func `the passphrase is needed in an open vault too, and a folder that is there`() async throws {
        let (fixture, folder) = (try await AgentFixture(), try makeFolder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await fixture.create()
        await refused("wrong_passphrase", BeginCircle(passphrase: "wrong", folder: folder), fixture)
        let missing = folder + "/missing"
        await refused("folder_missing", BeginCircle(passphrase: Self.passphrase, folder: missing), fixture)
        await refused("invalid_value", BeginCircle(passphrase: Self.passphrase, folder: "Sync"), fixture)
        await refused("invalid_value", BeginCircle(passphrase: Self.passphrase, server: "http://sync.org"), fixture)
        await refused("invalid_value", BeginCircle(passphrase: Self.passphrase), fixture)
        for name in ["", "a\u{7}b", String(repeating: "x", count: 201)] {
            let method = BeginCircle(passphrase: Self.passphrase, folder: folder, deviceName: name)
            await refused("invalid_value", method, fixture)
        }
        #expect(try await fixture.call(SyncStatus()).members == nil)
        try await switchOn(fixture, folder, as: "desk")
        await refused("wrong_passphrase", SwitchSyncOn(passphrase: "wrong", folder: folder), fixture)
        await refused("folder_missing", SwitchSyncOn(passphrase: Self.passphrase, folder: missing), fixture)
        try await fixture.close()
    }

    @Test func `sync begins a circle once, and keeps the names`() async throws {
        let (fixture, folder) = (try await AgentFixture(), try makeFolder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await fixture.create()
        let begin = BeginCircle(passphrase: Self.passphrase, folder: folder, deviceName: "desk")
        // A new key is there before anything is synced.
        let key = try #require(try await fixture.call(begin).recoveryKey)
        #expect(try await fixture.call(SyncStatus()).isOn == false)
        #expect(try await fixture.call(CheckRecoveryKey(recoveryKey: key)).isRight)
        #expect(try await fixture.call(begin).recoveryKey == nil)
        var method = SwitchSyncOn(passphrase: Self.passphrase, folder: folder)
        let first = try await fixture.call(method)
        #expect(first.state.isOn == true && first.state.trouble == nil && first.state.members == 1 && first.written > 0)
        method.deviceName = "tower"
        _ = try await fixture.call(method)
        #expect(try await fixture.call(CheckRecoveryKey(recoveryKey: key)).isRight)
        let devices = try await fixture.call(ListDevices(authorization: Self.quiet)).devices
        #expect(devices.map(\.name) == ["tower"] && devices[0].isThisDevice && devices[0].status == "member")
        await refused("wrong_passphrase", RekeyDevices(passphrase: "wrong"), fixture)
        // Not everybody who names a device has an option for it.
        let unnamed = RenameDevice(authorization: Self.quiet, deviceName: "a\u{7}b")
        let error = await #expect(throws: AgentError(.invalidValue, "")) { try await fixture.call(unnamed) }
        #expect(error?.message.hasSuffix("Choose another name") == true)
        await refused("item_missing", RemoveDevices(devices: ["phone"], passphrase: Self.passphrase), fixture)
        await refused("invalid_value", RemoveDevices(devices: [], passphrase: Self.passphrase), fixture)
        try await fixture.close()
    }

    @Test func `a new device joins, both write, and a removed one cannot`() async throws {
        let (desk, phone, folder) = (try await AgentFixture(), try await AgentFixture(), try makeFolder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await desk.create()
        try await switchOn(desk, folder, as: "desk")
        try await keep("From the desk", desk)

        let begun = try await phone.call(BeginJoin(folder: folder, deviceName: "phone"))
        #expect(begun.words.count == 8 && !begun.isEarlier)
        let again = try await phone.call(BeginJoin(folder: folder))
        #expect(again.isEarlier && again.words == begun.words && again.deviceName == "phone")
        await refused("conflict", BeginJoin(folder: folder, deviceName: "tablet"), phone)
        await refused("not_answered", FinishJoin(folder: folder, passphrase: Self.passphrase), phone)

        let requests = try await desk.call(ListDeviceRequests(authorization: Self.quiet)).requests
        #expect(requests.map(\.words) == [begun.words] && requests.map(\.name) == ["phone"])
        await refused("item_missing", AddDevice(request: "00", passphrase: Self.passphrase), desk)
        await refused("wrong_passphrase", AddDevice(request: begun.request, passphrase: "wrong"), desk)
        let added = try await desk.call(AddDevice(request: begun.request, passphrase: Self.passphrase))
        #expect(added.device.status == "waiting")
        #expect(try await phone.call(JoinStatus(folder: folder)).isAnswered)
        await refused("wrong_passphrase", FinishJoin(folder: folder, passphrase: "wrong"), phone)
        let joined = try await phone.call(FinishJoin(folder: folder, passphrase: Self.passphrase))
        #expect(joined.items == 1 && joined.state.isOn == true && joined.state.members == 2)
        await refused("vault_exists", BeginJoin(folder: folder), phone)

        try await keep("From the phone", phone)
        _ = try await phone.call(SyncNow(authorization: Self.quiet))
        _ = try await desk.call(SyncNow(authorization: Self.quiet))
        #expect(try await desk.call(ListItems(authorization: Self.quiet)).items.count == 2)
        // The person added the phone on this device, and removes it here.
        #expect(desk.notes.shown.isEmpty)

        let removal = RemoveDevices(devices: [added.device.id], passphrase: Self.passphrase)
        let removed = try await desk.call(removal)
        #expect(removed.removed.map(\.name) == ["phone"] && removed.readable.count == 2 && removed.secretKey != nil)
        _ = try await phone.call(SyncNow(authorization: Self.quiet))
        var change = ItemChange()
        change.title = "Too late"
        await refused("not_in_circle", AddItem(authorization: Self.quiet, change: change), phone)
        #expect(try await phone.call(SyncStatus()).needs?.map(\.code) == ["not_in_circle"])
        #expect(phone.notes.shown.contains { $0.hasPrefix("This device was removed") })
        try await desk.close()
        try await phone.close()
    }

    @Test func `a new key says whether the other devices hear of it`() async throws {
        let (fixture, folder) = (try await AgentFixture(), try makeFolder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await fixture.create()
        try await switchOn(fixture, folder, as: "desk")
        let rekey = RekeyDevices(passphrase: Self.passphrase)
        let state = try await fixture.call(rekey).state
        #expect(state?.isOn == true && state?.trouble == nil && state?.lastSuccess != nil)
        try FileManager.default.removeItem(atPath: folder)
        #expect(try await fixture.call(rekey).state?.trouble?.code == "folder_missing")
        _ = try await fixture.call(SwitchSyncOff(authorization: Self.quiet))
        #expect(try await fixture.call(rekey).state?.isOn == false)
        #expect(try await fixture.call(ListDevices(authorization: Self.quiet)).state == nil)
        try await fixture.close()
    }

    /// The screen locks while the new device syncs for the first time.
    @Test func `a device has joined although its vault is locked during the first sync`() async throws {
        let (desk, folder) = (try await AgentFixture(), try makeFolder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let phone = try await AgentFixture(configure: { configuration in
            configuration.folderSync = { vault, _, _ in
                {
                    await vault.lock()
                    return SyncReport()
                }
            }
        })
        try await desk.create()
        try await switchOn(desk, folder, as: "desk")
        try await keep("From the desk", desk)
        let begun = try await phone.call(BeginJoin(folder: folder, deviceName: "phone"))
        _ = try await desk.call(AddDevice(request: begun.request, passphrase: Self.passphrase))
        let joined = try await phone.call(FinishJoin(folder: folder, passphrase: Self.passphrase))
        #expect(joined.items == 1 && joined.device?.name == "phone" && joined.state.isLocked)
        _ = try await phone.call(Unlock(authorization: Authorization(passphrase: Self.passphrase)))
        #expect(try await phone.call(ListItems(authorization: Self.quiet)).items.count == 1)
        for fixture in [desk, phone] { try await fixture.close() }
    }

    /// Of a removed device only that counts which its removal knows.
    @Test(arguments: [false, true]) func `a removal knows what the device wrote`(isLocked: Bool) async throws {
        let (desk, phone, folder) = (try await AgentFixture(), try await AgentFixture(), try makeFolder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await desk.create()
        try await switchOn(desk, folder, as: "desk")
        let begun = try await phone.call(BeginJoin(folder: folder, deviceName: "phone"))
        let added = try await desk.call(AddDevice(request: begun.request, passphrase: Self.passphrase))
        _ = try await phone.call(FinishJoin(folder: folder, passphrase: Self.passphrase))
        try await keep("From the phone", phone)
        _ = try await phone.call(SyncNow(authorization: Self.quiet))
        if isLocked { _ = try await desk.call(Lock()) }
        let removal = RemoveDevices(devices: [added.device.id], passphrase: Self.passphrase)
        #expect(try await desk.call(removal).readable.map(\.title) == ["From the phone"])
        #expect(try await desk.call(ListItems(authorization: Self.quiet)).items.map(\.title) == ["From the phone"])
        for fixture in [desk, phone] { try await fixture.close() }
    }

    /// A thief with the phone adds a device, and the next thing that the person does on the desk syncs.
    @Test func `what others did is told, also if it comes during an own change`() async throws {
        let (desk, phone, tablet) = (try await AgentFixture(), try await AgentFixture(), try await AgentFixture())
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await desk.create()
        try await switchOn(desk, folder, as: "desk")
        for (member, new, name) in [(desk, phone, "phone"), (phone, tablet, "tablet")] {
            let begun = try await new.call(BeginJoin(folder: folder, deviceName: name))
            _ = try await member.call(AddDevice(request: begun.request, passphrase: Self.passphrase))
            _ = try await new.call(FinishJoin(folder: folder, passphrase: Self.passphrase))
            // Of the tablet it hears by itself, sooner or later.
            if member === desk { #expect(desk.notes.shown.isEmpty) }
        }
        let (syncer, vault) = (desk.agent.syncer, try await desk.agent.session.file())
        try await syncer.changing(vault) { _ = try await syncer.now() }
        #expect(desk.notes.shown.count == 1 && desk.notes.shown.allSatisfy { $0.contains("tablet") })
        _ = try await desk.call(SyncNow(authorization: Self.quiet))
        #expect(desk.notes.shown.count == 1 && phone.notes.shown.isEmpty)
        for fixture in [desk, phone, tablet] { try await fixture.close() }
    }

    /// Somebody else who can write into the folder puts a file in place of the answer: first before the true one, then after it.
    @Test func `an answer that does not open is said, and can be given again`() async throws {
        let (desk, phone, folder) = (try await AgentFixture(), try await AgentFixture(), try makeFolder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await desk.create()
        try await switchOn(desk, folder, as: "desk")
        let begun = try await phone.call(BeginJoin(folder: folder, deviceName: "phone"))
        let pairing = URL(fileURLWithPath: folder).appendingPathComponent("ward/pairing")
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: pairing.path).first)
        let reply = pairing.appendingPathComponent(file.replacing(".request", with: ".reply"))
        let add = AddDevice(request: begun.request, passphrase: Self.passphrase)
        let requests = ListDeviceRequests(authorization: Self.quiet)

        try Data("junk".utf8).write(to: reply)
        let error = await #expect(throws: AgentError.self) { try await phone.call(JoinStatus(folder: folder)) }
        #expect(error?.code.rawValue == "wrong_answer")
        #expect(error?.message.contains("--request \(begun.request.prefix(8)).") == true)
        await refused("wrong_answer", FinishJoin(folder: folder, passphrase: Self.passphrase), phone)
        #expect(try await desk.call(requests).requests.map(\.isAnswered) == [false])
        _ = try await desk.call(add)
        #expect(try await phone.call(JoinStatus(folder: folder)).isAnswered)
        #expect(try await desk.call(requests).requests.map(\.isAnswered) == [true])

        try Data("junk".utf8).write(to: reply)
        await refused("wrong_answer", JoinStatus(folder: folder), phone)
        _ = try await desk.call(add)
        let joined = try await phone.call(FinishJoin(folder: folder, passphrase: Self.passphrase))
        #expect(joined.state.members == 2)
        try await desk.close()
        try await phone.close()
    }

    @Test func `a stick that is pulled out after an addition gets the answer later`() async throws {
        let isPulled = Mutex(false)
        let folder = try makeFolder()
        let away = folder + "-away"
        defer { for path in [folder, away] { try? FileManager.default.removeItem(atPath: path) } }
        let desk = try await AgentFixture(configure: { configuration in
            let usual = configuration.folderSync
            configuration.folderSync = { vault, path, progress in
                let run = usual(vault, path, progress)
                return {
                    // The sync after the addition is the last step before the answer.
                    if isPulled.withLock({ $0 }) { try FileManager.default.moveItem(atPath: folder, toPath: away) }
                    return try await run()
                }
            }
        })
        let phone = try await AgentFixture()
        try await desk.create()
        try await switchOn(desk, folder, as: "desk")
        let begun = try await phone.call(BeginJoin(folder: folder, deviceName: "phone"))
        let add = AddDevice(request: begun.request, passphrase: Self.passphrase)

        isPulled.withLock { $0 = true }
        let error = await #expect(throws: AgentError.self) { try await desk.call(add) }
        #expect(error?.code.rawValue == "folder_missing")
        #expect(error?.message.hasPrefix("The device was added") == true, "\(error?.message ?? "")")
        #expect(error?.message.hasSuffix(": ward devices add --request \(begun.request.prefix(8))") == true)
        let devices = try await desk.call(ListDevices(authorization: Self.quiet)).devices
        #expect(Set(devices.map(\.name)) == ["desk", "phone"])

        isPulled.withLock { $0 = false }
        try FileManager.default.moveItem(atPath: away, toPath: folder)
        #expect(try await !phone.call(JoinStatus(folder: folder)).isAnswered)
        _ = try await desk.call(add)
        let joined = try await phone.call(FinishJoin(folder: folder, passphrase: Self.passphrase))
        #expect(joined.state.members == 2)
        try await desk.close()
        try await phone.close()
    }

    @Test func `a request in a folder that is not there may have been answered`() async throws {
        let (fixture, folder) = (try await AgentFixture(), try makeFolder())
        _ = try await fixture.call(BeginJoin(folder: folder, deviceName: "phone"))
        try FileManager.default.removeItem(atPath: folder)
        let result = try await fixture.call(AbandonJoin(folder: folder))
        #expect(result.wasThere && !result.wasAnswered && result.mayBeAnswered == true)
        try await fixture.close()
    }

    @Test func `a device whose clock is behind is not offered, and a person hears why`() async throws {
        let (desk, folder) = (try await AgentFixture(), try makeFolder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let phone = try await AgentFixture(configure: { configuration in
            configuration.effects.now = { Effects.live.now() - 30 * 86_400 }
        })
        try await desk.create()
        try await switchOn(desk, folder, as: "desk")
        _ = try await phone.call(BeginJoin(folder: folder, deviceName: "phone"))
        for _ in 0..<2 {
            let listed = try await desk.call(ListDeviceRequests(authorization: Self.quiet))
            #expect(listed.requests.isEmpty && listed.warnings.count == 1)
            #expect(listed.warnings.first?.contains("its clock is behind") == true)
        }
        try await desk.close()
        try await phone.close()
    }

    @Test func `a request is taken back with its keys`() async throws {
        let (fixture, folder) = (try await AgentFixture(), try makeFolder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let begun = try await fixture.call(BeginJoin(folder: folder, deviceName: "phone"))
        #expect(try await fixture.call(AbandonJoin(folder: folder)).wasThere)
        #expect(try await !fixture.call(AbandonJoin(folder: folder)).wasThere)
        await refused("item_missing", JoinStatus(folder: folder), fixture)
        #expect(try await fixture.call(BeginJoin(folder: folder)).words != begun.words)
        try await fixture.close()
    }

    private func keep(_ title: String, _ fixture: AgentFixture) async throws {
        var change = ItemChange()
        change.title = title
        _ = try await fixture.call(AddItem(authorization: Self.quiet, change: change))
    }
}
