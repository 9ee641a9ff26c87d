import HTTPTypes
import Testing
import WardLog

/// Somebody with a session of a stolen device, or of no device, wants another device to be let in by the server.
@Suite struct `A device that nobody admitted, at the server` {
    /// What a server knows after the circle began: three devices, and a session of the last one.
    private func begin() async throws -> (server: SyncFixture, vault: TestVault, token: String) {
        let server = SyncFixture()
        let vault = try TestVault(devices: 3)
        try vault.beginCircle()
        _ = try await server.begin(vault)
        return (server, vault, try await server.open(vault[2], in: vault.id))
    }

    private func upload(
        _ records: [LogRecord],
        _ server: SyncFixture,
        _ vault: TestVault,
        _ token: String
    ) async throws -> Answer {
        try await server.upload(records, to: vault.id, by: token, ifMatch: try await server.head(vault.id))
    }

    @Test func `gets no session by an admission without the owner's signature`() async throws {
        let (server, vault, token) = try await begin()
        let (newcomer, genuine) = try vault.admit(by: vault[1])
        // The thief writes the same admission in its own chain, without the owner.
        let admission = try vault[2].signed(try vault[2].draft(genuine.entry.entry.operation))
        #expect(try await upload([admission], server, vault, token).status == .ok)
        let refused = try await server.tryToOpen(newcomer, in: vault.id)
        #expect(refused.status == .unauthorized || refused.status == .forbidden)
        // With the owner's signature of the genuine one it is refused at once.
        var moved = try vault[2].draft(genuine.entry.entry.operation)
        moved.approvals = genuine.entry.entry.approvals
        let answer = try await upload([try vault[2].signed(moved)], server, vault, token)
        #expect(answer.code == "entry_refused")
        // The genuine one lets it in.
        #expect(try await upload([genuine], server, vault, token).status == .ok)
        #expect(try await server.tryToOpen(newcomer, in: vault.id).status == .ok)
    }

    @Test func `gets no session by an exchanged key, a certificate, or an entry of its own`() async throws {
        let (server, vault, token) = try await begin()
        let head = try await server.head(vault.id)
        let (newcomer, genuine) = try vault.admit(by: vault[1])
        guard case .circle(.admit(var device, let name)) = genuine.entry.entry.operation else { return }
        device.sealingKey = [9, 9]
        var exchanged = genuine.entry.entry
        exchanged.operation = .circle(.admit(device, name: name))
        let certificate = [UInt8](repeating: 1, count: 64)
        let entries = [
            try vault[1].signed(exchanged),
            try newcomer.signed(try newcomer.draft(.enrol(device: newcomer.publicKey, certificate: certificate))),
            try newcomer.signed(try newcomer.draft(.circle(.joinRecovered(device)))),
            try newcomer.signed(try newcomer.draft(.ignorable(130, [:]))),
            try newcomer.signed(try vault[2].draft(.ignorable(130, [:]))),
        ]
        for entry in entries {
            let answer = try await upload([entry], server, vault, token)
            #expect(answer.status == .unprocessableContent || answer.status == .conflict, "\(answer)")
            #expect(answer.code == "entry_refused" || answer.code == "gap")
        }
        #expect(try await server.head(vault.id) == head)
        #expect(try await server.tryToOpen(newcomer, in: vault.id).status != .ok)
    }

    /// It writes its admissions as of the time before its removal, which the server keeps as evidence.
    @Test func `gets no session from a device that was removed`() async throws {
        let (server, vault, _) = try await begin()
        let token = try await server.open(vault[0], in: vault.id)
        let removal = try vault.remove([vault[2]], by: vault[0])
        #expect(try await upload([removal], server, vault, token).status == .ok)
        let (newcomer, admission) = try vault.admit(by: vault[2])
        let begin = try newcomer.write(.circle(.joinAdmitted(admission.entry.hash)))
        let answer = try await upload([admission, begin], server, vault, token)
        #expect(answer.status == .ok || answer.code == "entry_void", "\(answer)")
        for device in [newcomer, vault[2]] {
            #expect(try await server.tryToOpen(device, in: vault.id).status != .ok)
        }
        // The others go on.
        try vault[1].take([removal])
        let edit = try vault[1].edit()
        #expect(try await upload([edit], server, vault, token).status == .ok)
    }
}

/// The server reads what anybody with an invitation brings, so nothing in it may stop the server.
@Suite struct `A vault with the largest numbers, at the server` {
    @Test func `is brought and read, and takes no further change of its circle`() async throws {
        let server = SyncFixture()
        let vault = try TestVault(devices: 1)
        try vault.beginCircle(epoch: .max, header: .max)
        let token = try await server.begin(vault)
        for record in [
            CircleRecord.rules(minimumReader: .max),
            .admit(CircleDevice(publicKey: [UInt8](repeating: 3, count: 32), suite: .max, sealingKey: []), name: []),
        ] {
            let entry = try vault.write(record, by: vault[0])
            let head = try #require(try await server.head(vault.id))
            #expect(try await server.upload([entry], to: vault.id, by: token, ifMatch: head).status == .ok)
        }
        let rekey = try vault[0].write(.header(generation: 0, hash: [UInt8](repeating: 1, count: 32)))
        let head = try #require(try await server.head(vault.id))
        #expect(try await server.upload([rekey], to: vault.id, by: token, ifMatch: head).status == .ok)
        var bomb = try vault[0].draft(.ignorable(130, [:]))
        bomb.time = HybridTime(value: HybridTime.limit - 1)
        let last = try vault[0].signed(bomb)
        #expect(try await server.upload([last], to: vault.id, by: token).status == .ok)
        #expect(try await server.get(vault.id, "/heads", by: token).entries.map(\.entry.hash) == [last.entry.hash])
    }
}
