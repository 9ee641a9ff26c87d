import Testing
import WardCBOR
import WardSync
@testable import WardAgent

@Suite struct `What a person is told of their devices` {
    private static let here = CircleView.Device(id: "00", name: "desk", isIn: true, isThisDevice: true)
    private static let phone = CircleView.Device(id: "01", name: "phone", isIn: true, isThisDevice: false)

    private static func removed(_ device: CircleView.Device) -> CircleView.Device {
        var device = device
        device.isIn = false
        return device
    }

    /// What is told after each view, by a device that began with the first one.
    private func told(_ views: CircleView...) -> [[CircleNews]] {
        var memory: CircleMemory?
        return views.map { view in
            let (news, next) = CircleMemory.news(since: memory, view)
            memory = next
            return news
        }
    }

    @Test func `a device that was added and removed elsewhere, each once`() {
        let (alone, both) = (CircleView(devices: [Self.here]), CircleView(devices: [Self.here, Self.phone]))
        let after = CircleView(devices: [Self.here, Self.removed(Self.phone)])
        #expect(
            told(alone, both, both, after, after) == [[], [.added(name: "phone")], [], [.removed(name: "phone")], []]
        )
    }

    @Test func `nothing about devices that the person added or removed here`() {
        var own = Self.phone
        own.isOwnAct = true
        let alone = CircleView(devices: [Self.here])
        let both = CircleView(devices: [Self.here, own])
        #expect(told(alone, both, CircleView(devices: [Self.here, Self.removed(own)])) == [[], [], []])
        // The person added it here, and somebody else removed it.
        #expect(
            told(alone, both, CircleView(devices: [Self.here, Self.removed(Self.phone)])).last == [
                .removed(name: "phone")
            ]
        )
    }

    @Test func `nothing about devices that were there from the start`() {
        #expect(told(CircleView(devices: [Self.here, Self.phone])) == [[]])
    }

    @Test func `nothing about the device that this one was before a recovery key made it a new one`() {
        var (former, new) = (Self.here, Self.phone)
        (former.isThisDevice, new.isThisDevice) = (false, true)
        let (before, after) = (CircleView(devices: [Self.here]), CircleView(devices: [new, former]))
        let end = CircleView(devices: [new, Self.removed(former)])
        #expect(told(before, after, after, end) == [[], [], [], [.removed(name: "desk")]])
        // Another one that comes at the same time is news.
        let other = CircleView.Device(id: "02", name: "tablet", isIn: true, isThisDevice: false)
        #expect(told(before, CircleView(devices: [new, former, other])) == [[], [.added(name: "tablet")]])
    }

    @Test func `that this device was removed, and not as one of the others`() {
        let (before, after) = (CircleView(devices: [Self.here]), CircleView(devices: [Self.removed(Self.here)]))
        #expect(told(before, after, after) == [[], [.removedHere], []])
    }

    @Test func `a frozen circle and a copied vault, and again when that happens again`() {
        let calm = CircleView(devices: [Self.here])
        let (frozen, copied) = (
            CircleView(devices: [Self.here], isFrozen: true), CircleView(devices: [Self.here], isCopied: true)
        )
        #expect(told(calm, frozen, frozen, calm, frozen) == [[], [.frozen], [], [], [.frozen]])
        #expect(told(copied, copied) == [[.copied], []])
    }

    @Test func `a device that broke a rule and a removal that does not count, each once`() {
        var suspect = Self.phone
        suspect.hasBrokenRules = true
        let calm = CircleView(devices: [Self.here, Self.phone])
        var after = CircleView(devices: [Self.here, suspect])
        #expect(told(calm, after, after) == [[], [.brokeRules(name: "phone")], []])
        // Its removal ends it.
        #expect(
            told(after, CircleView(devices: [Self.here, Self.removed(suspect)])) == [[], [.removed(name: "phone")]]
        )
        after.voidRemovals = 1
        var again = after
        again.voidRemovals = 2
        #expect(
            told(calm, after, after, again) == [[], [.brokeRules(name: "phone"), .removalVoid], [], [.removalVoid]]
        )
    }

    @Test func `that little room is left, once, also if a sync fails in between`() {
        let enough = CircleView(devices: [Self.here])
        let (little, less) = (
            CircleView(devices: [Self.here], almostFull: 80), CircleView(devices: [Self.here], almostFull: 97)
        )
        let unknown = CircleView(devices: [Self.here], knowsServer: false)
        let news = CircleNews.serverAlmostFull(percent: 80)
        #expect(told(enough, little, less, unknown, less) == [[], [news], [], [], []])
        #expect(told(little, enough, little) == [[news], [], [news]])
    }

    @Test func `that entries of other devices are lacking, once, until they come`() {
        let calm = CircleView(devices: [Self.here])
        var lacking = calm
        lacking.lacksEntries = true
        #expect(
            told(calm, lacking, lacking, calm, lacking) == [[], [.entriesWithheld], [], [], [.entriesWithheld]]
        )
    }

    @Test func `that somebody outside the circle writes, once, also if a sync fails in between`() {
        let calm = CircleView(devices: [Self.here])
        var strange = calm
        strange.hasStrangers = true
        let unknown = CircleView(devices: [Self.here], knowsServer: false)
        #expect(
            told(calm, strange, unknown, strange, calm, strange) == [[], [.notAdmitted], [], [], [], []]
        )
    }

    @Test func `that changes of a removed device do not count, once for each device, and nothing of this one`() {
        let removed = Self.removed(Self.phone)
        let before = CircleView(devices: [Self.here, removed])
        var (late, here) = (removed, Self.removed(Self.here))
        (late.isLate, here.isLate) = (true, true)
        let after = CircleView(devices: [Self.here, late])
        #expect(told(before, after, after) == [[], [.late(name: "phone")], []])
        #expect(told(before, CircleView(devices: [here, removed])) == [[], [.removedHere]])
        #expect(CircleMemory(CircleMemory(knowing: after).value) == CircleMemory(knowing: after))
    }

    @Test func `that the server is at fault, and after a day that nothing is synced, until a sync works`() {
        func view(_ code: String, hours: Int64) -> CircleView {
            CircleView(devices: [Self.here], knowsServer: false, trouble: .init(code: code, age: hours * 3_600))
        }
        let calm = CircleView(devices: [Self.here])
        let (hides, wrong) = (view("server_hides_entries", hours: 0), view("server_sends_wrong_data", hours: 1))
        let away = view("server_unreachable", hours: 24)
        #expect(
            told(calm, hides, wrong, away, hides, calm, hides) == [
                [], [.serverAtFault], [], [], [], [], [.serverAtFault],
            ]
        )
        let long = view("folder_missing", hours: 25)
        #expect(told(calm, away, long, long, calm, long) == [[], [], [.notSynced], [], [], [.notSynced]])
    }

    @Test func `is remembered in the file of the state folder`() throws {
        var setting = SyncSetting(.folder("/media/stick"), since: 5)
        setting.lastSuccess = 6
        setting.trouble = SyncSetting.Trouble(code: "folder_missing", message: "Connect its drive.", since: 7)
        var suspect = Self.phone
        suspect.hasBrokenRules = true
        var late = Self.removed(Self.phone)
        late.isLate = true
        var view = CircleView(devices: [Self.here, suspect, late], isFrozen: true)
        view.voidRemovals = 3
        setting.memory = CircleMemory(knowing: view)
        #expect(setting.memory?.own != nil)
        setting.lackingSince = 4
        #expect(SyncSetting(encoded: setting.encoded) == setting)
        let bare = SyncSetting(.folder("/media/stick"), since: 5)
        #expect(SyncSetting(encoded: bare.encoded) == bare)
        let address = try #require(ServerAddress("https://sync.example.org"))
        let server = SyncSetting(.server(address), since: 5)
        #expect(SyncSetting(encoded: server.encoded) == server && server.folder == nil)
        for bytes in [[], [0xa0], CBORValue.text("x").encoded()] { #expect(SyncSetting(encoded: bytes) == nil) }
    }
}
