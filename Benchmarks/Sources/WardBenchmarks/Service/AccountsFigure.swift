import Foundation
import WardTesting
import WardWebAuthn

/// What a sign-in costs at a service with many accounts, beside one with few: `--accounts=10000000`.
enum AccountsFigure {
    private static let rounds = 5
    private static let perRound = 100

    static func run(accounts count: Int, _ report: (Figure) -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/ward-bench-accounts-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let few = try World(folder + "/few", GeneratedAccounts(count: 512))
        defer { try? few.server.stop() }
        let many = try World(folder + "/many", GeneratedAccounts(count: count))
        defer { try? many.server.stop() }
        var results: [(few: ServiceLoad.Result, many: ServiceLoad.Result)] = []
        // The first round warms up.
        for _ in 0...rounds { results.append((few: try few.load(perRound), many: try many.load(perRound))) }
        results.removeFirst()
        func best(_ world: KeyPath<(few: ServiceLoad.Result, many: ServiceLoad.Result), ServiceLoad.Result>) -> Double {
            results.map { $0[keyPath: world].processorTime }.min() ?? 0
        }
        let ratios = results.map { $0.many.processorTime / $0.few.processorTime }.sorted()
        let ratio = ratios[ratios.count / 2]
        let latencies = results.flatMap(\.many.latencies).sorted()
        report(
            Figure(
                name: "service-accounts",
                title: "a sign-in at a service with \(count) accounts: processor time of the server",
                value: best(\.many),
                limit: best(\.few),
                unit: "us",
                ratio: ratio,
                lines: [
                    "ours   \(rounded(best(\.many), 1)) µs best",
                    "limit  \(rounded(best(\.few), 1)) µs best  (the same with 512 accounts)",
                    "ratio  \(rounded(ratio, 2)), median of the rounds  (wanted: at most 1.5)",
                    "p50 \(rounded(latencies[latencies.count / 2], 1)) ms, "
                        + "p99 \(rounded(latencies[latencies.count * 99 / 100], 1)) ms, database "
                        + "\(rounded(many.size, 1)) GB, ready \(rounded(many.start, 2)) s after its start",
                ]
            )
        )
    }

    /// A service with generated accounts.
    private struct World {
        let server: ServerProcess
        let accounts: GeneratedAccounts
        let key: VirtualAuthenticator
        /// Gigabytes of the database.
        let size: Double
        /// Seconds from the start of the service to its first answer.
        let start: Double

        init(_ folder: String, _ accounts: GeneratedAccounts) throws {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            let database = folder + "/ward.sqlite"
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let words = [
                (own as NSString).deletingLastPathComponent + "/ward-server", "serve", "--rp-id", "localhost",
                "--origin", World.origin, "--listen", "127.0.0.1:PORT", "--trusted-proxies", "127.0.0.1",
                "--database", database,
            ]
            let first = try ServerProcess(words, log: folder + "/first.log")
            key = try SignInClient.register(
                "first",
                origin: World.origin,
                on: HTTPConnection(port: first.port, fields: World.fields(0))
            )
            try first.stop()
            try accounts.write(to: database) { FileHandle.standardError.write(Data("  \($0)\n".utf8)) }
            let size = try FileManager.default.attributesOfItem(atPath: database)[.size] as? Int
            self.size = Double(size ?? 0) / 1e9
            self.accounts = accounts
            let begun = ContinuousClock.now
            server = try ServerProcess(words, log: folder + "/service.log")
            start = (ContinuousClock.now - begun) / .seconds(1)
        }

        /// The service is not asked which port it has.
        private static let origin = "http://localhost"

        private static func fields(_ index: Int) -> [String] {
            ["Host: localhost", "Origin: \(origin)", "X-Forwarded-For: 198.51.100.\(index % 250 + 1)"]
        }

        /// Somebody else signs in each time.
        func load(_ count: Int) throws -> ServiceLoad.Result {
            try ServiceLoad(server: server).run(count, fields: World.fields) { [key, accounts] _, connection in
                let client = SignInClient(connection, [key]) { response in
                    let number = Int.random(in: 0..<accounts.count)
                    var response = response
                    response.id = accounts.credentialID(number) ?? response.id
                    response.userHandle = accounts.userHandle(number)
                    return response
                }
                return { try client.signIn() }
            }
        }
    }
}
