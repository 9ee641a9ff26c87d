import Foundation
import Testing
import WardAccounts
import WardAttestation
import WardServer
import WardTesting
import WardText
import WardWebAuthn

/// A service with rules about attestation, and the metadata of two models of two vendors.
struct AttestationRuleFixture: Sendable {
    /// The vendor's model.
    static let key = AAGUID([UInt8](1...16))!
    /// The rival's model.
    static let rival = AAGUID([UInt8](2...17))!
    /// A model that is not listed.
    static let unlisted = AAGUID([UInt8](3...18))!
    /// The status of both models at first.
    static let certified = [(status: "FIDO_CERTIFIED_L1", from: "2023-01-01")]

    let world: ServiceFixture
    let store: MemoryAccountStore
    let vendor: AttestationAuthority
    let rivals: AttestationAuthority

    /// Runs a service for as long as the body takes.
    ///
    /// - Parameters:
    ///   - rules: The rules.
    ///   - reports: The status reports of the vendor's model.
    ///   - configuration: Other settings.
    ///   - body: The body.
    static func with(
        _ rules: JSONValue,
        reports: [(status: String, from: String)] = certified,
        _ configuration: ServerConfiguration = ServerConfiguration(),
        _ body: @escaping @Sendable (AttestationRuleFixture) async throws -> Void
    ) async throws {
        let files = try MetadataFiles()
        defer { files.remove() }
        let (vendor, rivals) = (try AttestationAuthority("Vendor"), try AttestationAuthority("Rival"))
        try files.write(rules)
        try files.write(
            try files.signer.blob([
                ListedModel(aaguid: key, roots: [vendor.certificate], reports: reports),
                ListedModel(aaguid: rival, roots: [rivals.certificate], reports: certified),
            ])
        )
        var configuration = configuration
        configuration.policy = files.rules.path
        configuration.metadata = files.blob.path
        let store = MemoryAccountStore()
        try await withService(configuration, store: store, metadataAnchors: try files.anchors) { world in
            try await body(AttestationRuleFixture(world: world, store: store, vendor: vendor, rivals: rivals))
        }
    }

    /// A person with an authenticator of the vendor's model that proves it.
    func owner() throws -> Visitor {
        let visitor = world.visitor()
        visitor.authenticator.attest(as: Self.key, with: try vendor.device())
        return visitor
    }

    func join(_ group: String, _ name: String) async throws {
        try await store.write { tx in
            let account = try #require(try tx.account(username: name))
            _ = try tx.setAccount(id: account.id, groups: [try GroupName(group)])
        }
    }

    /// The models that were proven, in the order of the account's passkeys.
    func verifiedModels(of name: String) async throws -> [VerifiedModel?] {
        try await store.read { tx in
            let account = try #require(try tx.account(username: name))
            return try tx.passkeys(of: account.id).map(\.verifiedModel)
        }
    }

    /// A day so many days after the one of the clock in tests.
    static func day(_ number: Int64) -> JSONValue {
        let time = (1_700_000_000 / 86_400 + number) * 86_400
        return .string(String(JSONTime.text(time).prefix(10)))
    }
}

/// A folder with a file of rules and a file with metadata, and the authority that signs the metadata.
struct MetadataFiles: Sendable {
    let signer: AttestationAuthority
    private let folder: URL

    var rules: URL { folder.appending(path: "rules.json") }
    var blob: URL { folder.appending(path: "blob.jwt") }
    /// The roots that the signer leads to.
    var anchors: TrustAnchors {
        get throws { try TrustAnchors(der: [signer.certificate]) }
    }

    init() throws {
        signer = try AttestationAuthority("Metadata")
        folder = FileManager.default.temporaryDirectory.appending(path: "ward-attestation-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func write(_ rules: JSONValue) throws {
        try Data((["rules": rules] as JSONValue).serialized).write(to: self.rules, options: .atomic)
    }

    func write(_ blob: [UInt8]) throws { try Data(blob).write(to: self.blob, options: .atomic) }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
