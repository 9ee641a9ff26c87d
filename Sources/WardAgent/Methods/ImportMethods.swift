internal import WardAgentClient
internal import WardVault

/// Imports items that a manager program read from a file.
struct ImportMethods: Sendable {
    let session: VaultSession
    /// The folder with the data of sites.
    let siteData: String
    let clock: @Sendable () -> ContinuousClock.Instant

    func stage(_ method: StageImport, _ program: ManagerProgram) throws -> StageImport.Result {
        StageImport.Result(items: try program.imports.add(method, at: clock()))
    }

    func plan(_ method: PlanImport, _ program: ManagerProgram) async throws -> ImportOutcome {
        try await session.working {
            let items = try program.imports.items(at: clock())
            let vault = try await session.opened(method.authorization, .person(program), to: .importItems)
            let shared = await SharedCredentials.here(siteData)
            return ImportOutcome(try await vault.plan(importing: items, shared: shared), isWritten: false)
        }
    }

    func apply(_ method: ApplyImport, _ program: ManagerProgram) async throws -> ImportOutcome {
        try await session.working {
            let items = try program.imports.items(at: clock())
            let vault = try await session.opened(method.authorization, .person(program), to: .importItems)
            let done = try await vault.apply(importing: items, shared: SharedCredentials.here(siteData))
            program.imports.clear()
            return ImportOutcome(done, isWritten: true)
        }
    }
}

extension SharedCredentials {
    /// The domains that share their accounts, as `ward update-data` downloaded them.
    static func here(_ folder: String) async -> SharedCredentials {
        await onThread { SiteData(folder: folder, files: [.sharedCredentials]).shared }
    }
}

extension ImportOutcome {
    fileprivate init(_ plan: ImportPlan, isWritten: Bool) {
        let new = Set(plan.added)
        self.init(
            lines: plan.lines.map { line in
                var record = Line(outcome: line.outcome.rawValue, title: line.title, username: line.username)
                let isOld = line.outcome != .new && !new.contains(line.item)
                if isWritten || isOld { record.item = line.item.text }
                if line.outcome != .new { record.entry = line.entry }
                if line.outcome == .conflict { record.isNewer = line.isNewer }
                return record
            },
            added: plan.added.count,
            changed: plan.changed.count
        )
    }
}
