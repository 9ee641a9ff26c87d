import HTTPTypes
import Testing
import WardCBOR
import WardLog
import WardSyncServer
import WardText

@Suite struct `A vault whose circle takes many steps` {
    private func change(
        _ record: LogRecord,
        of vault: TestVault,
        at server: SyncFixture,
        _ token: String
    ) async throws -> Answer {
        let head = try #require(try await server.head(vault.id))
        return try await server.upload([record], to: vault.id, by: token, ifMatch: head)
    }

    /// Each operation that stands makes computing the circle longer for every entry after it.
    @Test func `takes no more of the device, whose next change of the circle fits all the same`() async throws {
        var limits = SyncLimits.standard
        limits.circleSteps = 1_100
        let server = SyncFixture(limits: limits)
        let vault = try TestVault(devices: 2)
        try vault.beginCircle()
        let token = try await server.begin(vault)
        let other = try await server.open(vault[1], in: vault.id)
        for _ in 0..<10 {
            let record = try vault.replaceRecoveryKey(by: vault[0])
            #expect(try await change(record, of: vault, at: server, token).status == .ok)
        }
        let plain = try vault[0].signed(try vault[0].draft(.ignorable(200, [1: 1])))
        let answer = try await server.upload([plain], to: vault.id, by: token)
        #expect(answer.code == "quota_exceeded" && answer.problem?["of"] == "device")
        // Another device has a part of its own.
        try vault[1].take(vault[0].log)
        let written = try vault[1].write(.ignorable(200, [1: 1]))
        #expect(try await server.upload([written], to: vault.id, by: other).status == .ok)
        try vault[0].take([written])
        let removal = try vault.remove([vault[1]], by: vault[0])
        #expect(try await change(removal, of: vault, at: server, token).status == .ok)
    }
}
