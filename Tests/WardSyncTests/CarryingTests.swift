import Testing
import WardLog

@testable import WardSync

/// What a member writes into a folder of entries that others wrote.
@Suite struct `Entries that a member carries` {
    private let folder: FolderFixture
    private let member: DeviceFixture
    private let removed: DeviceFixture
    /// A copy of the removed device, which wrote beside it.
    private let twin: DeviceFixture

    init() throws {
        folder = try FolderFixture()
        member = DeviceFixture(folder.vault)
        removed = DeviceFixture(folder.vault)
        twin = DeviceFixture(folder.vault, key: removed.key)
        try removed.write(3, of: 7)
        try twin.write(3, of: 8)
    }

    private func check() throws {
        let found = folder.read()
        #expect(found.troubles.isEmpty)
        let both = removed.records + twin.records
        #expect(Set(found.records.map(\.entry.hash)) == Set(both.map(\.entry.hash)))
    }

    /// The copy is heard of later, and its entries have the same numbers.
    @Test func `of a device that wrote beside itself are there one after the other`() throws {
        for one in [removed, twin, removed, twin] { try folder.remote.carry(one.records, by: member.id) }
        try check()
        #expect(try folder.files(of: member.id).count == 2)
    }

    @Test func `of a device that wrote beside itself are there together`() throws {
        try folder.remote.carry(removed.records + twin.records, by: member.id)
        try check()
    }
}
