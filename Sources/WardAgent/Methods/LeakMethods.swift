internal import WardAgentClient
internal import WardPasswords
internal import WardVault

/// Compares the passwords of the vault with lists of leaked passwords.
///
/// The agent has the passwords and sends nothing. A program that has no passwords sends the first digits of their hashes to a
/// service, and hands over the answers.
struct LeakMethods: Sendable {
    let session: VaultSession

    func prefixes(_ method: ListLeakPrefixes, _ program: ManagerProgram) async throws -> ListLeakPrefixes.Result {
        try await session.working {
            let (hashes, generation) = try await hashes(method.authorization, program)
            let known = session.leaks.counts
            let asked = Dictionary(grouping: hashes.filter { known[$0] == nil }, by: \.prefix)
            session.leaks.ask(asked, generation)
            let passwords = asked.values.reduce(0) { $0 + $1.count }
            return ListLeakPrefixes.Result(
                prefixes: asked.keys.sorted(),
                passwords: passwords,
                known: hashes.count - passwords
            )
        }
    }

    func add(_ method: AddLeakRanges, _ program: ManagerProgram) async throws -> LeakOutcome {
        let leaks = session.leaks
        return await session.working {
            await onThread {
                var outcome = LeakOutcome(checked: 0)
                for range in method.ranges {
                    let (hashes, generation) = leaks.asked(range.prefix)
                    guard !hashes.isEmpty else { continue }
                    do throws(BreachedPasswordError) {
                        let counts = try BreachedPasswordRange.counts(of: hashes, in: Array(range.list.utf8))
                        leaks.remember(Dictionary(zip(hashes, counts)) { max($0, $1) }, generation)
                        outcome.checked += hashes.count
                    } catch { outcome.unreadable += 1 }
                }
                return outcome
            }
        }
    }

    func search(_ method: SearchLeakFile, _ program: ManagerProgram) async throws -> LeakOutcome {
        guard method.path.hasPrefix("/"), !method.path.utf8.contains(0) else {
            throw AgentError(.invalidValue, "The path of the file must be absolute")
        }
        return try await session.working {
            let (hashes, generation) = try await hashes(method.authorization, program)
            let counts: [BreachedPasswordHash: Int]
            do throws(BreachedPasswordError) {
                counts = try await onThread { () throws(BreachedPasswordError) in
                    let file = try BreachedPasswordFile(method.path)
                    var counts: [BreachedPasswordHash: Int] = [:]
                    for hash in hashes { counts[hash] = try file.count(of: hash) }
                    return counts
                }
            } catch { throw AgentError(.invalidValue, error.description) }
            session.leaks.remember(counts, generation)
            return LeakOutcome(checked: counts.count)
        }
    }

    /// The hashes of all passwords.
    private func hashes(
        _ authorization: Authorization,
        _ program: ManagerProgram
    ) async throws -> (hashes: Set<BreachedPasswordHash>, generation: Int) {
        let vault = try await session.opened(authorization, .person(program), to: .auditItems)
        let generation = session.leaks.generation
        let ids = try await vault.summaries().filter(\.hasPassword).map(\.id)
        var hashes: Set<BreachedPasswordHash> = []
        try await vault.eachChunk(of: ids) { items in
            hashes.formUnion(await onThread { Self.hashes(of: items) })
        }
        return (hashes, generation)
    }

    private static func hashes(of items: [Item]) -> Set<BreachedPasswordHash> {
        let passwords = items.compactMap { $0.password?.value.revealed }.filter { !$0.isEmpty }
        return Set(passwords.map { BreachedPasswordHash(Array($0.utf8)) })
    }
}

extension Vault {
    /// Reads items in parts, so that other requests are not held up for long.
    nonisolated func eachChunk(of ids: [ItemID], _ body: ([Item]) async throws -> Void) async throws {
        var rest = ids[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            let items = try await items(rest.prefix(256))
            rest = rest.dropFirst(256)
            try await body(items)
        }
    }
}
