import Foundation
import Testing
import WardLog

@testable import WardVault

/// Devices that write, sync, come and go in a random order. One seed is one schedule.
@Suite struct `Random schedules of a circle` {
    /// A longer run: `WARD_TEST_SCHEDULES=2000 swift test --filter "Random schedules of a circle"`.
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["WARD_TEST_SCHEDULE"].flatMap({ UInt64($0) }) { return one..<(one + 1) }
        return 0..<(environment["WARD_TEST_SCHEDULES"].flatMap { UInt64($0) } ?? 12)
    }()

    @Test(arguments: seeds)
    func `all members come to the same state, and nothing is lost`(seed: UInt64) async throws {
        let schedule = try await CircleSchedule(seed: seed)
        for _ in 0..<30 { try await schedule.step() }
        try await schedule.settle()
        try await schedule.check()
        try await schedule.world.close()
    }
}

/// One schedule: what happens is drawn from the seed.
private final class CircleSchedule {
    let world: CircleWorld
    private var numbers: ExchangeFixture.Numbers
    /// The passphrases that there were, newest first.
    private var words = [VaultFixture.words]
    /// The titles that each device wrote and that the vault acknowledged.
    private var written: [Int: [String]] = [:]
    private var count = 0
    private var log: [String] = []

    /// What the rules may answer to a change that comes at the wrong time.
    private static let answers: [VaultError.Code] = [.conflict, .notInCircle, .vaultIncomplete]

    init(seed: UInt64) async throws {
        numbers = ExchangeFixture.Numbers(state: seed &* 7919 &+ 1)
        world = try await CircleWorld(devices: 3)
    }

    private func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }

    /// Tries a change with each passphrase that there was.
    private func owner(_ what: String, _ body: (Passphrase) async throws -> Void) async throws {
        for one in words {
            do {
                try await body(VaultFixture.passphrase(one))
                log.append(what)
                return
            } catch let error as VaultError {
                if error.code == .wrongPassphrase { continue }
                guard Self.answers.contains(error.code) else { throw error }
                log.append("\(what): \(error.code.name)")
                return
            }
        }
        Issue.record("no passphrase opens device: \(what) \(log)")
    }

    func step() async throws {
        count += 1
        let number = draw(world.vaults.count)
        switch draw(20) {
        case 0...6:
            let title = "\(number)/\(count)"
            do {
                try await world[number].add(Item(title: title))
                written[number, default: []].append(title)
                log.append("\(number) adds \(title)")
            } catch let error as VaultError {
                guard Self.answers.contains(error.code) else { throw error }
            }
        case 7...12:
            try await world.sync(number)
            log.append("\(number) syncs")
        case 13: try await reopen(number)
        case 14: try await owner("\(number) rekeys") { try await world[number].rekeyCircle($0) }
        case 15: try await remove(by: number)
        case 16:
            let new = "words \(count)"
            try await owner("\(number) changes the passphrase") {
                try await world[number].changePassphrase(from: $0, to: VaultFixture.passphrase(new))
                words.insert(new, at: 0)
            }
        case 17 where world.vaults.count < 6:
            try await world.sync(number)
            for one in words {
                do {
                    try await world.join(by: number, one)
                    log.append("\(number) admits \(world.vaults.count - 1)")
                    break
                } catch let error as VaultError {
                    guard Self.answers.contains(error.code) || error.code == .wrongPassphrase else { throw error }
                }
            }
        default: try await world.sync(number)
        }
    }

    private func remove(by number: Int) async throws {
        let other = draw(world.vaults.count)
        let target = try await world.id(other)
        let key = draw(2) == 0 ? world.recoveryKey : nil
        try await owner("\(number) removes \(other)") {
            try await world[number].removeDevices([target], $0, recoveryKey: key, keepsSecretKey: draw(2) == 0)
        }
    }

    private func reopen(_ number: Int) async throws {
        for one in words {
            do {
                try await world.reopen(number, one)
                log.append("\(number) reopens")
                return
            } catch let error as VaultError where error.code == .wrongPassphrase || error.code == .closed {
                continue
            }
        }
        Issue.record("no passphrase opens device \(number): \(log)")
    }

    private func members() async throws -> [Int] {
        var found: [Int] = []
        var removed: Set<DeviceID> = []
        for number in world.vaults.indices {
            let circle = try await world.overview(number)
            guard circle.isMember else { continue }
            found.append(number)
            if !circle.isFrozen { removed.formUnion(circle.devices.filter { $0.status == .removed }.map(\.id)) }
        }
        // A removed device gets nothing that came later, so it may still see a question that others have answered.
        var left: [Int] = []
        for number in found where try await !removed.contains(world.id(number)) { left.append(number) }
        return left
    }

    /// Everybody syncs, and a member makes a new key where one is needed.
    func settle() async throws {
        for _ in 0..<3 {
            try await world.meet()
            let members = try await members()
            guard let first = members.first else { return }
            let circle = try await world.overview(first)
            guard !circle.isFrozen else { return }
            let lacking = circle.devices.filter(\.lacksKey).map(\.id)
            if circle.isKeyClean, lacking.isEmpty { return }
            for number in members where try await !lacking.contains(world.id(number)) {
                // Devices may have changed the passphrase at the same time; the recovery key opens all headers.
                words.insert("settled \(words.count)", at: 0)
                try await world[number].recover(
                    with: world.recoveryKey,
                    newPassphrase: VaultFixture.passphrase(words[0])
                )
                try await owner("\(number) settles") { try await world[number].rekeyCircle($0) }
                break
            }
        }
    }

    func check() async throws {
        let members = try await members()
        #expect(!members.isEmpty, "\(log)")
        guard let first = members.first else { return }
        let isFrozen = try await world.overview(first).isFrozen
        let titles = try await world.titles(first)
        let names = try await world.members(first)
        for number in members {
            let circle = try await world.overview(number)
            #expect(circle.isFrozen == isFrozen, "\(number): \(log)")
            #expect(try await world.members(number) == names, "\(number): \(log)")
            do {
                _ = try await world[number].verifyLog()
            } catch {
                let lacking = circle.devices.filter(\.lacksKey).map { $0.name ?? "?" }
                Issue.record("\(number): \(error), frozen \(isFrozen), lacking \(lacking): \(log)")
            }
            // While there is a question, a device keeps its news to itself.
            guard !isFrozen else { continue }
            #expect(try await world.titles(number) == titles, "\(number): \(log)")
            #expect(try await world[number].damagedItems().isEmpty, "\(number): \(log)")
            for title in written[number] ?? [] { #expect(titles.contains(title), "\(title) of \(number): \(log)") }
        }
        for number in world.vaults.indices {
            let before = try await world.titles(number)
            try await reopen(number)
            #expect(try await world.titles(number) == before, "\(number): \(log)")
        }
    }
}
