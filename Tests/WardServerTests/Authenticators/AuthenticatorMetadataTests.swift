import Foundation
import Logging
import Synchronization
import Testing
import WardAttestation
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// Remembers the level and the message of every line.
private final class Lines: Sendable {
    private let kept = Mutex<[String]>([])
    var all: [String] { kept.withLock { $0 } }
    func add(_ line: String) { kept.withLock { $0.append(line) } }
}

private struct RememberingHandler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add("\(event.level) \(event.message)") }
}

@Suite struct `The metadata of authenticators` {
    private static let now: Int64 = 1_700_000_000
    private static let model = AAGUID([UInt8](1...16))!
    private static let verified: JSONValue = [["attestation": "verified"]]

    private let files: MetadataFiles

    init() throws {
        files = try MetadataFiles()
    }

    private func publish(_ number: Int64, _ statuses: String..., nextUpdate: String = "2023-12-01") throws {
        let reports = statuses.map { (status: $0, from: "2023-01-01") }
        let models = [ListedModel(aaguid: Self.model, roots: [], reports: reports)]
        try files.write(try files.signer.blob(models, number: number, nextUpdate: nextUpdate))
    }

    private func configuration(hasMetadata: Bool = true) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.policy = files.rules.path
        configuration.metadata = hasMetadata ? files.blob.path : nil
        return configuration
    }

    @Test func `is replaced by a newer file while the service runs, and not by an older or a broken one`() throws {
        defer { files.remove() }
        try publish(2, "FIDO_CERTIFIED_L1")
        let file = MetadataFile(files.blob.path, anchors: try files.anchors)
        let metadata = try AuthenticatorMetadata(file, at: Self.now)
        func status() -> AuthenticatorStatus? { metadata.models(at: Self.now).status(of: Self.model) }
        #expect(try metadata.refresh(at: Self.now) == .unchanged)
        #expect(status() == AuthenticatorStatus(certification: .level1))

        try publish(3, "FIDO_CERTIFIED_L1", "REVOKED")
        #expect(status()?.concerns == [])
        #expect(try metadata.refresh(at: Self.now) == .replaced(3))
        #expect(status()?.concerns == [.revoked])
        #expect(try metadata.refresh(at: Self.now) == .unchanged)

        try publish(1, "FIDO_CERTIFIED_L2")
        #expect(throws: ServerConfigurationError.self) { _ = try metadata.refresh(at: Self.now) }
        try files.write(Array("<html>Service unavailable</html>".utf8))
        #expect(throws: ServerConfigurationError.self) { _ = try metadata.refresh(at: Self.now) }
        try FileManager.default.removeItem(at: files.blob)
        #expect(throws: ServerConfigurationError.self) { _ = try metadata.refresh(at: Self.now) }
        #expect(status()?.concerns == [.revoked])
        try publish(4, "FIDO_CERTIFIED_L2")
        #expect(try metadata.refresh(at: Self.now) == .replaced(4))
        #expect(status() == AuthenticatorStatus(certification: .level2))
    }

    @Test func `that is out of date is a warning, in the check and once a day in the log`() throws {
        defer { files.remove() }
        try files.write(Self.verified)
        try publish(1, "FIDO_CERTIFIED_L1", nextUpdate: "2023-11-20")
        let anchors = try files.anchors
        let configuration = configuration()
        #expect(configuration.metadataWarning(at: Self.now, anchors: anchors) == nil)
        let late = Self.now + 6 * 86_400
        #expect(configuration.metadataWarning(at: late, anchors: anchors)?.contains("out of date") == true)
        try files.write([["require": "passkey"]] as JSONValue)
        #expect(configuration.metadataWarning(at: late, anchors: anchors) == nil, "no rule needs it")

        let (lines, effects) = (Lines(), TestEffects(now: Self.now))
        let file = MetadataFile(files.blob.path, anchors: anchors)
        let keeper = MetadataKeeper(
            try AuthenticatorMetadata(file, at: Self.now),
            effects: effects.effects,
            logger: Logger(label: "test") { _ in RememberingHandler(lines: lines) }
        )
        var warnedAt: Int64?
        keeper.turn(&warnedAt)
        #expect(lines.all.isEmpty)
        effects.advance(by: 6 * 86_400)
        for _ in 0..<24 {
            keeper.turn(&warnedAt)
            effects.advance(by: 3_600)
        }
        #expect(lines.all == ["warning \(MetadataKeeper.warning)"])
        keeper.turn(&warnedAt)
        #expect(lines.all.count == 2)
        try publish(2, "FIDO_CERTIFIED_L1", nextUpdate: "2024-01-01")
        keeper.turn(&warnedAt)
        #expect(lines.all.last == "notice new metadata of authenticators" && warnedAt == nil)
        try files.write(Array("e30.e30.AAAA".utf8))
        keeper.turn(&warnedAt)
        #expect(lines.all.last == "error metadata of authenticators not replaced")
    }

    @Test func `must be there where a rule asks for attestation, and be signed by the FIDO Metadata Service`()
        async throws
    {
        defer { files.remove() }
        try files.write(Self.verified)
        let without = configuration(hasMetadata: false)
        #expect(without.policyProblem?.contains("rule 1 asks for attestation") == true)
        await #expect(throws: ServerConfigurationError.self) { try await withService(without) { _ in } }

        let with = configuration()
        #expect(with.policyProblem == nil)
        await #expect(throws: ServerConfigurationError.self, "there is no file") {
            try await withService(with, metadataAnchors: try files.anchors) { _ in }
        }
        try publish(1, "FIDO_CERTIFIED_L1")
        try await withService(with, metadataAnchors: try files.anchors) { _ in }
        await #expect(throws: ServerConfigurationError.self, "another signer") { try await withService(with) { _ in } }
        #expect(with.metadataProblem(at: Self.now)?.contains("mds3.fidoalliance.org") == true)

        try files.write([["require": "passkey"]] as JSONValue)
        #expect(without.policyProblem == nil)
        try await withService(without) { _ in }
    }
}
