import Testing
import WardAccounts
import WardTesting

/// All sequences of calls of sign-in, through the router of a service that runs.
///
/// `A sign-in in steps, as a value` does the same with the state machine alone.
@Suite struct `Sign-in, call by call` {
    @Test func `no sequence of calls opens an account with less than it asks for`() async throws {
        try await SignInWorld.with { world in
            let reports = try await withThrowingTaskGroup(of: (AccountKind, SignInExplorer.Report).self) { group in
                for kind in AccountKind.allCases {
                    let explorer = try #require(SignInExplorer(world, kind))
                    group.addTask { (kind, try await explorer.explore(depth: 8)) }
                }
                var reports: [AccountKind: SignInExplorer.Report] = [:]
                for try await (kind, report) in group { reports[kind] = report }
                return reports
            }
            var total = SignInExplorer.Report()
            for (kind, report) in reports {
                #expect(report.violations.isEmpty, "\(report.violations.count): \(report.violations.prefix(3))")
                // Each way in was found, so what the explorer holds for right is right.
                for way in kind.demand.enough {
                    #expect(report.openings.contains { $0.isSuperset(of: way) }, "\(kind): \(way) opened nothing")
                }
                total.states += report.states
                total.calls += report.calls
                total.opened += report.opened
                total.depth = max(total.depth, report.depth)
            }
            let complete = reports.values.count(where: \.isComplete)
            print(
                "sign-in by calls: \(reports.count) kinds of accounts, depth \(total.depth), \(total.states) states, "
                    + "\(total.calls) calls, \(total.opened) sessions; \(complete) kinds have no further state"
            )
            #expect(reports.count == AccountKind.allCases.count)
        }
    }

    @Test func `a service that forgets the second step is found`() async throws {
        try await SignInWorld.with { world in
            let explorer = try #require(
                SignInExplorer(world, .app) { store, id in
                    try await store.write { tx in
                        try tx.deleteFactors(.authenticatorApp, of: id)
                        try tx.deleteFactors(.recoveryCode, of: id)
                    }
                }
            )
            let report = try await explorer.explore(depth: 1)
            #expect(report.violations.contains { $0.hasPrefix("app: opened with password: password(right)") })
        }
    }

    @Test func `a service that takes a code twice is found`() async throws {
        try await SignInWorld.with { world in
            let explorer = try #require(
                SignInExplorer(world, .app) { store, id in
                    try await store.write { tx in
                        for var factor in try tx.factors(of: id) where factor.kind == .authenticatorApp {
                            factor.counter = 0
                            try tx.setFactor(factor)
                        }
                    }
                }
            )
            let report = try await explorer.explore(depth: 4)
            #expect(report.violations.contains { $0.contains("opened without a proof") && $0.contains("replayed") })
            #expect(report.violations.allSatisfy { $0.contains("replayed") }, "nothing else is wrong")
        }
    }

    @Test func `what is enough is written down for each kind of account`() {
        for kind in AccountKind.allCases {
            let demand = kind.demand
            #expect(!demand.isMet(by: []) && demand.isMet(by: Set(Shown.allCases)))
            for way in demand.enough {
                #expect(demand.isMet(by: way))
                for part in way {
                    let less = way.subtracting([part])
                    #expect(!demand.isMet(by: less) || demand.enough.contains { less.isSuperset(of: $0) })
                }
            }
        }
        // A session that somebody got with the password alone.
        for kind in AccountKind.allCases where kind != .password { #expect(!kind.demand.isMet(by: [.password])) }
        for kind in [AccountKind.app, .mail, .text] {
            #expect(!kind.demand.isMet(by: [.appCode, .mailCode, .textCode, .recoveryCode]))
        }
        #expect(!AccountKind.ruled.demand.isMet(by: [.passkey]))
        #expect(!AccountKind.ruledWithoutPasskey.demand.isMet(by: [.newPasskey]))
    }
}
