import Testing
import WardCOSE
import WardServer
import WardTesting

@Suite struct `Configuration` {
    @Test func `algorithms are names in an order, each once, and a wrong name gets the list of the known ones`() throws
    {
        let list = try AlgorithmList(settingText: "ML-DSA-65, es256,RS256")
        #expect(list.algorithms.map(\.name) == ["ML-DSA-65", "ES256", "RS256"])
        #expect(AlgorithmList.standard.algorithms.map(\.name) == ["ES256", "EdDSA", "RS256"])
        for text in ["", " ", ",", "ES256,", ",ES256", "ES256,,RS256", "ML-DSA-66", "ML-DSA-44", "ES256K", "-7", "RS1"]
        {
            let error = #expect(throws: ServerConfigurationError.self) { try AlgorithmList(settingText: text) }
            let told = error.map { "\($0)" } ?? ""
            #expect(told.contains("ES256, EdDSA, RS256") && told.contains("ML-DSA-87"), "\(text)")
        }
        let twice = #expect(throws: ServerConfigurationError.self) {
            try AlgorithmList(settingText: "ES256,RS256,es256")
        }
        #expect(twice.map { "\($0)".contains("twice") } == true)
    }

    /// Settings that must not start, and a word of the reason.
    struct Contradiction: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let configuration: ServerConfiguration

        init(
            _ reason: String,
            rpID: String = "example.com",
            rpName: String = "Ward",
            origins: [String]? = nil,
            relatedOrigins: [String] = [],
            effort: PasswordEffort = .standard,
            idle: Duration = .seconds(60),
            absolute: Duration = .seconds(600)
        ) {
            testDescription = "\(rpID) \(origins ?? []) \(relatedOrigins) \(effort) \(idle) \(absolute)"
            self.reason = reason
            configuration = ServerConfiguration(
                rpID: rpID,
                rpName: rpName,
                origins: origins,
                relatedOrigins: relatedOrigins,
                sessionIdle: idle,
                sessionAbsolute: absolute,
                passwordEffort: effort
            )
        }

        static let all = [
            Self("does not belong", origins: ["https://example.org"]),
            Self("does not belong", origins: ["https://example.com", "https://notexample.com"]),
            Self("does not belong", origins: ["https://example.com.evil.org"]),
            Self("https", origins: ["http://example.com"]),
            Self("origin", origins: ["https://example.com/"]),
            Self("origin", origins: ["example.com"]),
            Self("at least one", origins: []),
            Self(
                "is not a web origin",
                relatedOrigins: ["android:apk-key-hash:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]
            ),
            Self("https", relatedOrigins: ["http://example.org"]),
            Self("registrable domain", relatedOrigins: ["https://co.uk"]),
            Self("clients read at most 5", relatedOrigins: (1...6).map { "https://other\($0).org" }),
            Self("public suffix", rpID: "com", origins: ["https://example.com"]),
            Self("public suffix", rpID: "co.uk", origins: ["https://example.co.uk"]),
            Self("RP ID", rpID: "127.0.0.1"),
            Self("RP ID", rpID: "https://example.com"),
            Self("RP ID", rpID: "example.com:443"),
            Self("RP ID", rpID: ""),
            Self("name", rpName: ""),
            Self("second", idle: .zero),
            Self("longer", idle: .seconds(601)),
            Self("19MiB to 1GiB", effort: PasswordEffort(memory: 19_455, passes: 2)),
            Self("19MiB to 1GiB", effort: PasswordEffort(memory: 1_048_577, passes: 2)),
            Self("2 to 64", effort: PasswordEffort(memory: 19_456, passes: 1)),
            Self("2 to 64", effort: PasswordEffort(memory: 19_456, passes: 65)),
            Self("400 days", absolute: .seconds(401 * 86_400)),
        ]
    }

    @Test func `amounts of memory are whole numbers with a unit`() throws {
        #expect(try PasswordEffort.memory(settingText: "19456KiB") == 19_456)
        #expect(try PasswordEffort.memory(settingText: "64MiB") == 65_536)
        #expect(try PasswordEffort.memory(settingText: "1GiB") == 1_048_576)
        for text in ["", "64", "MiB", "64MB", "64 MiB", "-1MiB", "+1MiB", "1.5GiB", "064MiB", "99999999999GiB"] {
            #expect(throws: ServerConfigurationError.self, "\(text)") { try PasswordEffort.memory(settingText: text) }
        }
        #expect(try PasswordEffort.passes(settingText: "3") == 3)
        for text in ["", "two", "3.0", "+3", "-3", "03", "99999"] {
            #expect(throws: ServerConfigurationError.self, "\(text)") { try PasswordEffort.passes(settingText: text) }
        }
    }

    @Test(arguments: Contradiction.all)
    func `a contradiction is refused with the reason`(contradiction: Contradiction) {
        #expect {
            try contradiction.configuration.validate()
        } throws: { error in
            "\(error)".contains(contradiction.reason)
        }
        #expect(throws: ServerConfigurationError.self) {
            try WardServer(configuration: contradiction.configuration, store: MemoryAccountStore(), logger: .silent)
        }
    }

    @Test func `the defaults fit together, and so does an RP ID alone`() throws {
        try ServerConfiguration().validate()
        #expect(ServerConfiguration().origins == ["http://localhost:8080"])
        try ServerConfiguration(rpID: "example.com").validate()
        #expect(ServerConfiguration(rpID: "example.com").origins == ["https://example.com"])
        #expect(ServerConfiguration(listen: try ListenAddress("127.0.0.1:80")).origins == ["http://localhost"])
        #expect(ServerConfiguration(listen: try ListenAddress("127.0.0.1:81")).origins == ["http://localhost:81"])
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), ("localhost:0", "localhost", 0), ("[::1]:443", "::1", 443),
        ("0.0.0.0:65535", "0.0.0.0", 65535),
    ])
    func `an address to listen on is read`(text: String, host: String, port: Int) throws {
        let address = try ListenAddress(text)
        #expect(address.host == host && address.port == port)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", ":", "8080", "localhost", "localhost:", ":8080", "localhost:65536", "localhost:-1", "localhost:+1",
        "localhost:08",
        "::1:8080", "[::1]", "[]:1", "http://localhost:1", "local host:1", "localhost:1 ", "localhost:１",
    ])
    func `what is not an address is refused`(text: String) {
        #expect(throws: ServerConfigurationError.self) { try ListenAddress(text) }
    }

    @Test(arguments: [("1s", 1), ("90s", 90), ("30m", 1_800), ("12h", 43_200), ("14d", 1_209_600), ("0s", 0)])
    func `a duration is read`(text: String, seconds: Int) throws {
        #expect(try Duration(settingText: text) == .seconds(seconds))
    }

    @Test(arguments: ["", "s", "1", "1x", "-1s", "+1s", "1.5h", "1 h", "h1", "99999999999d", "1hs", "１s"])
    func `what is not a duration is refused`(text: String) {
        #expect(throws: ServerConfigurationError.self) { try Duration(settingText: text) }
    }
}
