import Foundation
import Synchronization

/// A PostgreSQL server of its own, in a folder that goes with the test process.
struct PostgresFixture: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// One server for all tests of the process.
    static let shared = Task { try await PostgresFixture() }

    /// The folder of the newest `initdb` and `postgres`, as Debian installs them.
    static let programs: URL? = {
        let versions = URL(filePath: "/usr/lib/postgresql")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: versions.path)) ?? []
        let folders = names.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { versions.appending(path: "\($0)/bin") }
        return folders.first { folder in
            ["initdb", "postgres"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: folder.appending(path: $0).path)
            }
        }
    }()

    private static let schemas = Atomic(0)
    private let folder: URL

    private init() async throws {
        guard let programs = Self.programs else { throw Failure(description: "PostgreSQL is not installed") }
        folder = FileManager.default.temporaryDirectory.appending(path: "ward-pg-\(UInt32.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        // PostgreSQL refuses to run as root.
        let user = geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups --" : ""
        // The shell waits for the end of its input, which comes with the end of this process, however it ends.
        let script = """
            folder=$1 programs=$2
            cd "$folder"
            if [ -n "\(user)" ]; then chown postgres: "$folder"; fi
            \(user) "$programs/initdb" -D "$folder/data" -U ward -A trust -E UTF8 --locale=C --no-sync >"$folder/initdb.log" 2>&1
            \(user) "$programs/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off \
                -c full_page_writes=off -c max_connections=200 >"$folder/server.log" 2>&1 &
            server=$!
            read -r _
            kill -QUIT "$server"
            wait "$server"
            rm -rf "$folder"
            """
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", script, "sh", folder.path, programs.path]
        shell.standardInput = Self.input
        shell.standardOutput = FileHandle.nullDevice
        try shell.run()
        // The first start takes a second or two, and longer on a machine that is busy.
        for _ in 0..<600 {
            if (try? PostgresConnection(settings())) != nil { return }
            guard shell.isRunning else { break }
            try await Task.sleep(for: .milliseconds(200))
        }
        let logs = ["initdb.log", "server.log"].map { name in
            (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
        }
        throw Failure(description: "PostgreSQL does not start:\n" + logs.joined())
    }

    /// Stays open until the process ends.
    private static let input = Pipe()

    private func settings(schema: String = "public") -> String {
        "host='\(folder.path)' user=ward dbname=postgres options='-c search_path=\(schema) -c client_min_messages=error'"
    }

    /// An account system without passkeys, with the tables of the tutorial added to it.
    func accountSystem() async throws -> PasskeyTables {
        let schema = "test\(Self.schemas.add(1, ordering: .relaxed).newValue)"
        let connections = try (0..<4).map { _ in try PostgresConnection(settings(schema: schema)) }
        for statement in ["CREATE SCHEMA \(schema);" + Self.users, tutorialSchema] {
            for part in statement.split(separator: ";") where part.contains(where: \.isLetter) {
                try await connections[0].query(String(part))
            }
        }
        return PasskeyTables(pool: PostgresPool(connections))
    }

    /// What was there before.
    private static let users = """
        CREATE TABLE users (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            email text NOT NULL UNIQUE,
            password_hash text
        );
        INSERT INTO users (email) VALUES ('ada@example.com'), ('eve@example.com');
        """
}
