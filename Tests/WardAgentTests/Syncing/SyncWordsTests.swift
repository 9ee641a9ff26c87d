import Foundation
import Testing
import WardAgentClient
import WardLog

@testable import WardAgent
@testable import WardSync
@testable import WardVault

/// Each trouble of a sync says what happened, what that means for the person's data, and what to do next.
@Suite struct `Words for each trouble of a sync` {
    private typealias Notice = SyncState.Notice
    private typealias Need = SyncState.Notice.Need

    private static let entry = [UInt8](repeating: 7, count: 32)
    private static let device = DeviceID(publicKey: [UInt8](repeating: 9, count: 32))

    private static func member(_ change: (inout CircleOverview.Device) -> Void = { _ in }) -> CircleOverview.Device {
        var found = CircleOverview.Device(
            id: device,
            name: "phone",
            isThisDevice: false,
            status: .member,
            hasBrokenRules: false,
            lacksKey: false
        )
        change(&found)
        return found
    }

    private static func circle(_ change: (inout CircleOverview) -> Void) -> CircleOverview {
        var found = CircleOverview(
            devices: [member()],
            isFrozen: false,
            isKeyClean: true,
            needsPassphraseAgain: false,
            droppedRemovals: 0,
            isMember: true
        )
        change(&found)
        return found
    }

    private static func report(_ troubles: ExchangeReport.Trouble...) -> SyncReport {
        var found = SyncReport()
        found.troubles = troubles
        return found
    }

    private static var twoOrders: SyncReport {
        var found = SyncReport()
        found.twoOrders = OrderWitness(
            RemotePosition(order: [UInt8](repeating: 1, count: 16), number: 57, hash: [UInt8](repeating: 2, count: 32)),
            device: DeviceID(publicKey: [1]),
            sequence: 12
        )
        return found
    }

    private static var strangers: SyncReport {
        var found = SyncReport()
        found.hasStrangers = true
        return found
    }

    private static var almostFull: SyncReport {
        var found = SyncReport()
        found.room = ServerRoom([840, 1_000, 5, 100])
        return found
    }

    /// What leads to each thing that needs the person, what its words say of the data, and what to do.
    private static func notices(_ need: Need) -> (found: [Notice], says: String, todo: String) {
        func needs(_ change: (inout CircleOverview) -> Void) -> [Notice] { Notice.needs(circle(change), nil, nil) }
        return switch need {
        case .copied:
            ([.copied], "changes that were not synced are only there", "ward join with the folder or the server")
        case .notInCircle:
            (
                needs { ($0.isMember, $0.lateRevisions) = (false, 2) }, "2 changes that no other device had heard of",
                "ward join with the folder or the server"
            )
        case .incomplete: (needs { $0.isIncomplete = true }, "changes nothing until the rest is there", "ward sync now")
        case .frozen: (needs { $0.isFrozen = true }, "Nothing is lost", "ward devices remove DEVICE")
        case .keyNotClean: (needs { $0.isKeyClean = false }, "new changes wait", "ward devices rekey")
        case .recoveryLacksKey:
            (needs { $0.recoveryLacksKey = true }, "does not open what was written since", "ward devices rekey")
        case .passphraseAgain: (needs { $0.needsPassphraseAgain = true }, "not in force", "ward passphrase")
        case .removalVoid: (needs { $0.droppedRemovals = 2 }, "do not count", "ward devices")
        case .deviceBrokeRules:
            (
                needs { $0.devices = [member { $0.hasBrokenRules = true }] }, "does not count",
                "ward devices remove \(device)"
            )
        case .deviceLacksKey:
            (needs { $0.devices = [member { $0.lacksKey = true }] }, "only what it can read", "ward devices rekey")
        case .clockAhead:
            (
                needs { $0.devices = [member { $0.clockAhead = 200_000 }] }, "Nothing is lost",
                "ward devices remove \(device)"
            )
        case .needsSecretKey:
            (Notice.needs(nil, nil, report(.needsSecretKey(entry: entry))), "Nothing is lost", "secret-key")
        case .twoOrders: (Notice.needs(nil, nil, twoOrders), "entry 12 of the device", "ward sync on ADDRESS")
        case .serverAlmostFull: (Notice.needs(nil, nil, almostFull), "84 percent", "Ask the operator")
        case .entriesWithheld:
            (Notice.needs(nil, nil, nil, lacksEntries: true), "Nothing here is lost", "ward sync move ADDRESS")
        case .notAdmitted:
            (Notice.needs(nil, nil, strangers), "nothing here is lost", "ward sync on FOLDER")
        case .moved:
            (
                Notice.needs(nil, nil, nil, moves: moves([])), "Nothing is lost",
                "ward sync on https://new.example.org"
            )
        }
    }

    private static func moves(_ own: [[UInt8]]) -> [Syncer.Move] {
        [ServerAddress("https://new.example.org")].compactMap { $0 }.map {
            Syncer.Move(address: $0, isFollowed: false, own: own)
        }
    }

    @Test func `a move that this device itself has not finished is not said to be that of another one`() throws {
        let message = try #require(Notice.needs(nil, nil, nil, moves: Self.moves([Self.entry])).first?.message)
        #expect(message.hasPrefix("This device moved the vault") && message.contains("Nothing is lost"), "\(message)")
        #expect(message.contains("ward sync move https://new.example.org --old-server-gone"), "\(message)")
        let two = Notice.needs(nil, nil, nil, moves: Self.moves([Self.entry]) + Self.moves([]))
        #expect(two.first?.message.hasPrefix("Another device moved the vault to 2 servers") == true)
    }

    @Test(arguments: SyncState.Notice.Need.allCases)
    func `what needs the person has a code, what it means and a next step`(need: SyncState.Notice.Need) throws {
        let (found, says, todo) = Self.notices(need)
        #expect(found.map(\.code) == [need.rawValue])
        let message = try #require(found.first?.message)
        #expect(message.contains(says) && message.contains(todo), "\(message)")
    }

    @Test func `nothing needs the person while all is well`() {
        #expect(Notice.needs(Self.circle { _ in }, nil, Self.report()).isEmpty)
        #expect(Notice.needs(nil, nil, nil).isEmpty)
    }

    /// A new case does not compile here until it has words.
    private static func words(_ trouble: ExchangeReport.Trouble) -> (says: String, todo: String) {
        switch trouble {
        case .refused(_, let reason): (reason, "use another one")
        case .otherData: ("its data was changed", "Sync the device that wrote it")
        case .withheld: ("not there yet", "Sync the device that wrote it")
        case .damagedHeader: ("does not fit the vault's keys", "Make the change again")
        case .lacksHeaderKey: ("was not given", "ward devices rekey")
        case .headerIsMissing: ("not there yet", "Sync the device that made the change")
        case .needsSecretKey: ("replaced the Secret Key", "Copy the file secret-key")
        case .hasOwnEntries: ("changed elsewhere", "run ward join with")
        case .removedHere: ("removed", "run ward join with")
        }
    }

    private static let troubles: [ExchangeReport.Trouble] = [
        .refused(entry: entry, reason: "a signature is wrong"), .otherData(entry: entry), .withheld(entry: entry),
        .damagedHeader(entry: entry), .lacksHeaderKey(entry: entry), .headerIsMissing, .needsSecretKey(entry: entry),
        .hasOwnEntries, .removedHere,
    ]

    @Test(arguments: troubles.indices)
    func `an entry that was not taken has a sentence, or needs the person`(index: Int) throws {
        let trouble = Self.troubles[index]
        let sentences = ExchangeReport.Trouble.sentences([trouble, trouble])
        let needs: [Notice] =
            switch trouble {
            case .hasOwnEntries: [.copied]
            case .removedHere: Self.notices(.notInCircle).found
            default: Notice.needs(nil, nil, Self.report(trouble))
            }
        // Said once, whichever it is.
        #expect(sentences.count + needs.count == 1)
        let text = try #require(sentences.first ?? needs.first?.message)
        let (says, todo) = Self.words(trouble)
        #expect(text.contains(says) && text.contains(todo), "\(text)")
        if !sentences.isEmpty { #expect(text.contains("Nothing here is lost") && text.hasSuffix(" (2 times)")) }
    }

    @Test func `entries that are refused beside those that are kept are counted`() throws {
        #expect(ExchangeReport.Trouble.sentence(moreRefused: 0) == nil)
        let text = try #require(ExchangeReport.Trouble.sentence(moreRefused: 52_000))
        #expect(text.hasPrefix("52000 more entries") && text.contains("Nothing here is lost"), "\(text)")
        #expect(text.contains("use another one"))
    }

    /// A new reason does not compile here until it is in the list below.
    private static func isListed(_ reason: FolderTrouble.Reason) -> Bool {
        switch reason {
        case .missing, .denied, .link, .notFolder, .notFile, .tooLarge, .tooManyDevices, .tooManySegments,
            .tooManyRequests, .oldRequests, .tooManyFiles, .changing, .takesTooLong, .misnamed, .segment, .request,
            .write, .system:
            reasons.contains(reason)
        }
    }

    private static let reasons: [FolderTrouble.Reason] = [
        .missing, .denied, .link, .notFolder, .notFile, .tooLarge(size: 9_000_000), .tooManyDevices, .tooManySegments,
        .tooManyRequests, .oldRequests, .tooManyFiles, .changing, .takesTooLong, .misnamed, .segment(.malformed(at: 5)),
        .segment(.tooLong(at: 5)),
        .segment(.unknownVersion(7)), .segment(.otherVault), .segment(.otherDevice(at: 5)), .segment(.wrongBlob(at: 5)),
        .request(VaultError(.damaged, "The request is damaged. Make it again")),
        .write(FolderError(.diskFull, "There is no space left. Free space there, then try again.")), .system(5),
    ]

    /// The verbs with which the sentences of the folder say what to do.
    private static let steps = [
        "Connect", "Wait", "Change", "Replace", "Remove", "Try", "Restore", "Sync", "Update", "Move", "Make", "Free",
        "Check", "Mount", "Set",
    ]

    @Test func `what was left out in the folder says where, what is wrong and what to do`() {
        for reason in Self.reasons {
            #expect(Self.isListed(reason))
            let text = FolderTrouble(.read, "/media/stick/ward", reason).description
            #expect(text.hasPrefix("/media/stick/ward: ") && text.hasSuffix("."), "\(text)")
            #expect(Self.steps.contains { text.contains($0 + " ") }, "\(text)")
        }
        let texts = Self.reasons.map { FolderTrouble(.read, "/media/stick/ward", $0).description }
        #expect(Set(texts).count == texts.count)
    }

    /// Why nothing can be written into the folder reaches the person with the code and the sentence of the error.
    @Test func `a sync that fails keeps the code and the sentence of its error`() {
        for number in [ENOSPC, EDQUOT, EROFS, EACCES, EPERM, ENOENT, ELOOP, ENOTDIR, EEXIST, EIO] {
            let error = FolderError(SystemFailure(number: number), "/media/stick")
            let notice = Notice(error)
            #expect(notice.code == error.code.name && notice.message == error.detail)
            #expect(error.detail.contains("/media/stick") && Self.steps.contains { error.detail.contains($0 + " ") })
            let trouble = SyncSetting.Trouble(code: notice.code, message: notice.message, since: 5)
            #expect(Notice.needs(nil, trouble, nil) == [notice])
        }
    }

    /// A new case of the news does not compile here until it has words.
    private static func command(_ news: WardAgent.CircleNews) -> String {
        switch news {
        case .added, .removed, .removalVoid, .late: "ward devices"
        case .removedHere, .frozen, .copied, .brokeRules, .twoOrders, .serverAlmostFull, .serverAtFault, .notSynced,
            .entriesWithheld, .notAdmitted:
            "ward sync status"
        case .broughtBack: ""
        case .moved: "ward passphrase"
        }
    }

    private static func isIn(_ text: String, _ news: WardAgent.CircleNews) -> Bool {
        command(news).isEmpty || text.contains(command(news))
    }

    @Test(arguments: PromptLocale.allCases)
    func `what is told in a notification names the next step in every language`(locale: PromptLocale) {
        let all: [WardAgent.CircleNews] = [
            .added(name: "phone"), .added(name: nil), .removed(name: "phone"), .removed(name: nil), .removedHere,
            .frozen, .copied, .brokeRules(name: "phone"), .brokeRules(name: nil), .removalVoid, .twoOrders,
            .broughtBack(3), .serverAlmostFull(percent: 84), .serverAtFault, .notSynced,
            .entriesWithheld, .notAdmitted, .late(name: "phone"), .late(name: nil), .moved(host: "new.example.org"),
        ]
        for news in all {
            let text = locale.language.text(news.text)
            #expect(!locale.language.text(news.title).isEmpty && Self.isIn(text, news), "\(text)")
            switch news {
            case .added("phone"), .removed("phone"), .brokeRules("phone"), .late("phone"):
                #expect(text.contains("phone"))
            case .moved(let host): #expect(text.contains(host))
            default: break
            }
            #expect(!news.word.isEmpty)
        }
        #expect(Set(all.map(\.word)).count == 16)
    }
}
