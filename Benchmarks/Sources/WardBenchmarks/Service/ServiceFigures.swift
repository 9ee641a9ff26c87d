import Foundation

/// What the service costs under load, in verifications of P-256: the least that a sign-in can cost.
///
/// The load is made here, the service runs in a process of its own with its standard settings, and the kernel counts its time.
enum ServiceFigures {
    private static let names = ["service-sign-in", "service-options", "service-session"]
    private static let peoplePerConnection = 16
    private static let appOrigin = "http://app.localhost"
    /// What the proxy of the app adds to its question who somebody is.
    private static let appFields = "X-Forwarded-Host: app.localhost\r\nX-Forwarded-Proto: http\r\n"
    private static let rounds = 5
    private static let perRound = 100

    static func run(isWanted: (String) -> Bool, _ report: (Figure) -> Void) async throws {
        guard names.contains(where: isWanted) else { return }
        let folder = FileManager.default.temporaryDirectory.path + "/ward-bench-service-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let programs = (own as NSString).deletingLastPathComponent
        let service = try ServerProcess(
            [
                programs + "/ward-server", "serve", "--rp-id", "localhost", "--origin", "http://localhost:PORT",
                "--listen", "127.0.0.1:PORT", "--trusted-proxies", "127.0.0.1", "--database", folder + "/ward.sqlite",
                "--app-origin", appOrigin,
            ],
            log: folder + "/service.log"
        )
        defer { try? service.stop() }
        let hello = try ServerProcess([programs + "/HelloServer", "PORT"], log: folder + "/hello.log")
        defer { try? hello.stop() }
        try await measure(service, hello, folder, isWanted, report)
    }

    private static func measure(
        _ service: ServerProcess,
        _ hello: ServerProcess,
        _ folder: String,
        _ isWanted: (String) -> Bool,
        _ report: (Figure) -> Void
    ) async throws {
        let origin = "http://localhost:\(service.port)"
        // A proxy stands in front of a service, and says who asks.
        let fields: @Sendable (Int) -> [String] = {
            ["Host: localhost:\(service.port)", "Origin: \(origin)", "X-Forwarded-For: 198.51.100.\($0 % 250 + 1)"]
        }
        let people = try (0..<ServiceLoad.connections).map { index in
            let connection = try HTTPConnection(port: service.port, fields: fields(index))
            return try (0..<peoplePerConnection).map {
                try SignInClient.register("person-\(index)-\($0)", origin: origin, on: connection)
            }
        }
        let load = ServiceLoad(server: service)
        let ceremonies = try Ceremonies()
        let insert = try BareInsert(in: folder)
        var (signIn, options, session) = (Rounds(), Rounds(), Rounds())
        var (bare, inserts, framework) = (Samples(), Samples(), Rounds())
        // The first round warms up.
        for round in 0...rounds {
            await bare.measureProcessor { ceremonies.repeatBareVerification(1_000) }
            try await inserts.measureProcessor { try insert.run(200) }
            try framework.add(
                ServiceLoad(server: hello).run(perRound, fields: { _ in ["Host: localhost"] }) { _, connection in
                    { _ = try connection.send("POST", "/", Array("{}".utf8)) }
                }
            )
            try signIn.add(
                load.run(perRound, fields: fields) { index, connection in
                    let client = SignInClient(connection, people[index])
                    return { try client.signIn() }
                }
            )
            try options.add(
                load.run(perRound, fields: fields) { index, connection in
                    let client = SignInClient(connection, people[index])
                    return { try client.options() }
                }
            )
            try session.add(
                load.run(perRound, fields: fields) { index, connection in
                    let cookie = try enterApp(SignInClient(connection, people[index]), connection)
                    return {
                        let answer = try connection.send("GET", "/api/v1/session", cookie: cookie, more: appFields)
                        guard answer.status == 200 else {
                            throw Command.Failed(description: "no session: \(answer.status)")
                        }
                    }
                }
            )
            guard round == 0 else { continue }
            (signIn, options, session, framework) = (Rounds(), Rounds(), Rounds(), Rounds())
        }
        let beside =
            "in this run: a request to the bare framework \(rounded(framework.best, 1)) µs, "
            + "a bare insert on the disk \(rounded(inserts.best * 5, 1)) µs"
        for (name, title, rounds, bound) in [
            ("service-sign-in", "a sign-in at the service, options and verify", signIn, 4.0),
            ("service-options", "options for a sign-in", options, 1.0),
            ("service-session", "a check of a session", session, 1.0),
        ] where isWanted(name) {
            // A thousand verifications in milliseconds are microseconds of one.
            report(rounds.figure(name: name, title: title, verification: bare.best, bound: bound, more: [beside]))
        }
    }
}

extension ServiceFigures {
    /// Signs in and goes on to an app behind a proxy.
    ///
    /// - Returns: The app's cookie.
    private static func enterApp(_ client: SignInClient, _ connection: HTTPConnection) throws -> String {
        let cookie = try client.signIn()
        let page = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Site: none\r\n"
        let begun = try connection.send("GET", "/api/v1/session?sign_in=redirect", more: appFields + page)
        let visit = path(begun.location)
        let code = try connection.send("GET", visit, cookie: cookie, more: page)
        let entered = try connection.send("GET", path(code.location), cookie: begun.cookie, more: appFields + page)
        guard !entered.cookie.isEmpty else {
            throw Command.Failed(
                description: "no way to the app: \(begun.status), \(code.status), \(entered.status)"
            )
        }
        return entered.cookie
    }

    /// An address without its origin.
    private static func path(_ address: String) -> String {
        // The scheme, the host, and what follows.
        "/" + (address.split(separator: "/", maxSplits: 2).dropFirst(2).first ?? "")
    }
}

/// The same load several times.
private struct Rounds {
    private var results: [ServiceLoad.Result] = []

    mutating func add(_ result: ServiceLoad.Result) { results.append(result) }

    /// The server's processor time for one operation in the best round, in microseconds.
    var best: Double { results.map(\.processorTime).min() ?? 0 }

    func figure(name: String, title: String, verification: Double, bound: Double, more: [String]) -> Figure {
        let latencies = results.flatMap(\.latencies).sorted()
        func latency(_ part: Double) -> String { rounded(latencies[Int(Double(latencies.count - 1) * part)], 1) }
        let median = results.map(\.processorTime).sorted()[results.count / 2]
        let perSecond = rounded(results.map(\.perSecond).max() ?? 0, 0)
        return Figure(
            name: name,
            title: "\(title): processor time of the server, \(ServiceLoad.connections) connections",
            value: best,
            limit: verification,
            unit: "us",
            ratio: best / verification,
            lines: [
                "ours   \(rounded(best, 1)) µs best, \(rounded(median, 1)) µs median of \(results.count)",
                "limit  \(rounded(verification, 1)) µs  (bare P-256 verification)",
                "ratio  \(rounded(best / verification, 2))  (wanted: at most \(rounded(bound, 1)))",
                "p50 \(latency(0.5)) ms, p99 \(latency(0.99)) ms, \(perSecond) per second with the load on this machine",
            ] + more
        )
    }
}
