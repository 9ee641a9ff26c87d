import WardLog
import WardSyncRecords

extension SyncStoreSuite {
    static let vaults: [Check] = [
        Check("a vault comes back as it was given, with its head and its length") { store in
            try expect(try await store.vault(SyncSample.vaultID(1)), equals: nil)
            let records = SyncSample.chain(1, 3, blobs: 7)
            let made = try await store.begin(1, records)
            var expected = SyncSample.vault(1)
            expected.head = 3
            expected.bytes = Int64(records.reduce(0) { $0 + $1.entry.encoded.count + 7 })
            try expect(made, equals: expected)
            try expect(try await store.vault(expected.id), equals: expected)
            try expect(try await store.vault(SyncSample.vaultID(2)), equals: nil)
        },
        Check("an invitation brings one vault") { store in
            try await store.begin(1)
            try await refused(.invitationNotValid) {
                _ = try await store.create(
                    SyncSample.vault(2, invitedBy: 1),
                    SyncBatch(head: 0),
                    limit: 9,
                    room: .max,
                    at: 5
                )
            }
            try expect(try await store.vault(SyncSample.vaultID(2)), equals: nil)
            try await refused(.invitationNotValid) {
                _ = try await store.create(
                    SyncSample.vault(3, invitedBy: 99),
                    SyncBatch(head: 0),
                    limit: 9,
                    room: .max,
                    at: 5
                )
            }
        },
        Check("an expired invitation brings no vault") { store in
            try await store.add(SyncInvitation(token: SyncSample.token(1), createdAt: 0, expiresAt: 10))
            try await refused(.invitationNotValid) {
                _ = try await store.create(SyncSample.vault(1), SyncBatch(head: 0), limit: 9, room: .max, at: 10)
            }
            _ = try await store.create(SyncSample.vault(1), SyncBatch(head: 0), limit: 9, room: .max, at: 9)
        },
        Check("an invitation is known until it ends, and as long as its vault is there") { store in
            let token = SyncSample.token(1)
            try expect(try await !store.isKnown(token, at: 5), "it does not exist yet")
            try await store.add(SyncInvitation(token: token, createdAt: 0, expiresAt: 10))
            try expect(try await store.isKnown(token, at: 9), "it can be used")
            try expect(try await !store.isKnown(token, at: 10), "it has expired")
            _ = try await store.create(SyncSample.vault(1), SyncBatch(head: 0), limit: 9, room: .max, at: 9)
            try expect(try await store.isKnown(token, at: 100), "its vault is there")
            _ = try await store.delete(SyncSample.vaultID(1))
            try expect(try await !store.isKnown(token, at: 5), "its vault is gone")
        },
        Check("an invitation has an account until it ends, and as long as it can bring its vault") { store in
            let token = SyncSample.token(1)
            try expect(try await store.account(of: token), equals: nil)
            try await store.add(SyncInvitation(token: token, createdAt: 0, expiresAt: 10, account: "alice"))
            try await store.begin(2)
            try expect(try await store.account(of: token), equals: "alice")
            try expect(try await store.account(of: SyncSample.token(2)), equals: nil)
            _ = try await store.create(SyncSample.vault(1), SyncBatch(head: 0), limit: 9, room: .max, at: 9)
            try expect(try await store.account(of: token), equals: "alice")
            _ = try await store.delete(SyncSample.vaultID(1))
            try expect(try await store.account(of: token), equals: nil)
        },
        Check("an invitation exists once") { store in
            let invitation = SyncInvitation(token: SyncSample.token(1), createdAt: 0, expiresAt: 10)
            try await store.add(invitation)
            try await refused(.conflict) { try await store.add(invitation) }
        },
        Check("a vault that is brought again by the same invitation stays as it is") { store in
            let made = try await store.begin(1, SyncSample.chain(1, 2))
            let batch = SyncBatch(head: 0, records: SyncSample.chain(2, 5))
            let again = try await store.create(SyncSample.vault(1), batch, limit: 1, room: .max, at: 50)
            try expect(again, equals: made)
            try await store.add(SyncInvitation(token: SyncSample.token(9), createdAt: 0, expiresAt: 100))
            try await refused(.vaultExists) {
                _ = try await store.create(SyncSample.vault(1, invitedBy: 9), batch, limit: 1, room: .max, at: 50)
            }
            // The refusal left the invitation.
            _ = try await store.create(
                SyncSample.vault(2, invitedBy: 9),
                SyncBatch(head: 0),
                limit: 1,
                room: .max,
                at: 50
            )
        },
        Check("an invitation brings its vault until a device has brought something in a session") { store in
            let made = try await store.begin(1, SyncSample.chain(1, 2))
            var batch = SyncBatch(head: 2, records: [SyncSample.chain(1, 3)[2]])
            let more = try await store.append(batch, to: made.id)
            try expect(more.invitation, equals: SyncSample.token(1))
            batch = SyncBatch(head: 3, records: [SyncSample.chain(1, 4)[3]])
            batch.endsBringing = true
            try expect(try await store.append(batch, to: made.id).invitation, equals: nil)
            try expect(try await store.vault(made.id)?.invitation, equals: nil)
            try expect(try await !store.isKnown(SyncSample.token(1), at: 5), "it brings nothing more")
            try await refused(.invitationNotValid) {
                _ = try await store.create(SyncSample.vault(1), SyncBatch(head: 0), limit: 9, room: .max, at: 5)
            }
        },
        Check("another invitation of the account brings the rest of a vault") { store in
            let made = try await store.begin(1, SyncSample.chain(1, 2), account: "alice", limit: 1)
            for (number, account) in [(UInt8(7), "bob"), (8, nil), (9, "alice")] {
                let token = SyncSample.token(number)
                try await store.add(SyncInvitation(token: token, createdAt: 0, expiresAt: 100, account: account))
            }
            for number in [UInt8(7), 8] {
                try await refused(.vaultExists) {
                    _ = try await store.create(
                        SyncSample.vault(1, invitedBy: number),
                        SyncBatch(head: 0),
                        limit: 1,
                        room: .max,
                        at: 5
                    )
                }
                try expect(try await store.isKnown(SyncSample.token(number), at: 5), "the refusal left the invitation")
            }
            let again = try await store.create(
                SyncSample.vault(1, invitedBy: 9),
                SyncBatch(head: 0),
                limit: 1,
                room: .max,
                at: 5
            )
            try expect(again.invitation, equals: SyncSample.token(9))
            try expect((again.head, again.order) == (made.head, made.order), "nothing else changes")
            try expect(try await !store.isKnown(SyncSample.token(1), at: 5), "the first one brings nothing more")
            var batch = SyncBatch(head: 2, records: [SyncSample.chain(1, 3)[2]])
            batch.endsBringing = true
            _ = try await store.append(batch, to: made.id)
            let last = SyncInvitation(token: SyncSample.token(10), createdAt: 0, expiresAt: 100, account: "alice")
            try await store.add(last)
            try await refused(.vaultExists) {
                _ = try await store.create(
                    SyncSample.vault(1, invitedBy: 10),
                    SyncBatch(head: 0),
                    limit: 9,
                    room: .max,
                    at: 5
                )
            }
        },
        Check("an account has so many vaults at most") { store in
            for number in UInt8(1)...2 { try await store.begin(number, account: "alice", limit: 2) }
            try await refused(.tooManyVaults) { _ = try await store.begin(3, account: "alice", limit: 2) }
            try expect(try await store.isKnown(SyncSample.token(3), at: 5), "the refusal left the invitation")
            try await store.begin(4, account: "bob", limit: 2)
            try await store.begin(5, limit: 0)
        },
        Check("the vaults of an account have so much room together, from their first entries on") { store in
            let length = try await store.begin(1, SyncSample.chain(1, 2), account: "alice", limit: 9).bytes
            try await refused(.accountFull) {
                _ = try await store.begin(2, SyncSample.chain(2, 2), account: "alice", limit: 9, room: length)
            }
            try expect(try await store.vault(SyncSample.vaultID(2)) == nil, "the refusal left nothing")
            try expect(try await store.isKnown(SyncSample.token(2), at: 5), "the refusal left the invitation")
            try await store.begin(3, SyncSample.chain(3, 2), account: "alice", limit: 9, room: 2 * length)
            try await store.begin(4, SyncSample.chain(4, 2), account: "bob", limit: 9, room: length)
            try await store.begin(5, SyncSample.chain(5, 2), room: 0)
        },
        Check("an account has the vaults that were brought with its invitations") { store in
            for number in [UInt8(3), 1, 2] { try await store.begin(number, account: "alice", limit: 9) }
            try await store.begin(4, account: "bob", limit: 9)
            try await store.begin(5)
            let found = try await store.vaults(of: "alice")
            try expect(found.map(\.id), equals: [3, 1, 2].map { SyncSample.vaultID($0) })
            try expect(found.map(\.account), equals: ["alice", "alice", "alice"])
            try expect(try await store.vault(SyncSample.vaultID(4))?.account, equals: "bob")
            try expect(try await store.vault(SyncSample.vaultID(5))?.account, equals: nil)
            try expect(try await store.vaults(of: "nobody"), equals: [])
            try expect(try await store.accounts(after: "", limit: 9), equals: ["alice", "bob"])
            try expect(try await store.accounts(after: "", limit: 1), equals: ["alice"])
            try expect(try await store.accounts(after: "alice", limit: 9), equals: ["bob"])
            _ = try await store.delete(SyncSample.vaultID(4))
            try expect(try await store.accounts(after: "", limit: 9), equals: ["alice"])
        },
        Check("a vault is deleted with everything of it, and nothing else") { store in
            let keys = [SyncSample.key(1)]
            try await store.begin(1, SyncSample.chain(1, 3, blobs: 3), keys: keys)
            try await store.begin(2, SyncSample.chain(1, 2), keys: keys)
            try await store.open(SyncSample.session(1, of: 1, in: 1), limit: 4)
            try await store.open(SyncSample.session(2, of: 1, in: 2), limit: 4)
            try expect(try await store.delete(SyncSample.vaultID(1)), "the vault exists")
            try expect(try await !store.delete(SyncSample.vaultID(1)), "the vault is gone")
            try expect(try await store.vault(SyncSample.vaultID(1)), equals: nil)
            let page = SyncPage(entries: 10)
            try expect(try await store.entries(of: SyncSample.vaultID(1), after: 0, page), equals: [])
            try expect(try await store.heads(of: SyncSample.vaultID(1)), equals: [])
            try expect(try await store.shares(of: SyncSample.vaultID(1)), equals: [])
            try expect(try await store.key(of: SyncSample.subject(1), in: SyncSample.vaultID(1)), equals: nil)
            try expect(try await store.visit(SyncSample.token(1), at: 5), equals: nil)
            try expect(try await store.entries(of: SyncSample.vaultID(2), after: 0, page).count, equals: 2)
            try expect(try await store.visit(SyncSample.token(2), at: 5) != nil, "the other vault's session stays")
            // It can be brought again, with another invitation.
            try await store.add(SyncInvitation(token: SyncSample.token(7), createdAt: 0, expiresAt: 10))
            let again = try await store.create(
                SyncSample.vault(1, invitedBy: 7),
                SyncBatch(head: 0, records: SyncSample.chain(1, 1)),
                limit: 1,
                room: .max,
                at: 5
            )
            try expect(again.head, equals: 1)
        },
        Check("a store can be probed") { store in try await store.probe() },
    ]
}
