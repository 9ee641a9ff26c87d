#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import WardAttestation
public import WardWebAuthn

/// Keeps the FIDO Metadata Service's BLOB: downloaded, verified, on disk, and renewed when a newer one may be had.
///
/// ```swift
/// let metadata = MetadataService(cache: "/var/lib/example/metadata.jwt", fetch: .http())
/// try await metadata.refresh()
/// policy.attestation.judge = AttestationRequirements(anchors: try await metadata.current())
/// ```
///
/// What was verified once is never lost to a download that fails, to an error page, or to a BLOB older than one that was seen.
public actor MetadataService {
    /// How a document is fetched; bounded in size and time by whoever does it.
    public struct Fetch: Sendable {
        /// Fetches a document's bytes.
        public var document: @Sendable (_ url: String, _ maximumSize: Int) async throws -> [UInt8]

        /// Wires it by hand.
        public init(document: @escaping @Sendable (_ url: String, _ maximumSize: Int) async throws -> [UInt8]) {
            self.document = document
        }
    }

    /// Where the public service is.
    public static let publicURL = "https://mds3.fidoalliance.org/"

    private let url: String
    private let anchors: TrustAnchors
    private let cache: String?
    private let fetch: Fetch
    private let effects: Effects
    private var blob: MetadataBLOB?
    private var hasReadCache = false
    private var nextAttempt = Int64.min

    /// How long ``current()`` leaves the service alone after a download, in seconds: a BLOB that is late, or a service that is
    /// down, is asked for once an hour.
    public static let pause: Int64 = 3_600

    /// Takes its surroundings; nothing is read or fetched yet.
    ///
    /// - Parameters:
    ///   - url: Where the BLOB is.
    ///   - anchors: Whom its signer has to lead to.
    ///   - cache: The file to keep it in, or `nil` to keep it in memory only.
    ///   - fetch: How it is downloaded.
    ///   - effects: The clock.
    public init(
        url: String = MetadataService.publicURL,
        anchors: TrustAnchors = .fidoMetadata,
        cache: String?,
        fetch: Fetch,
        effects: Effects = .live
    ) {
        self.url = url
        self.anchors = anchors
        self.cache = cache
        self.fetch = fetch
        self.effects = effects
    }

    /// The BLOB in force: from memory, from disk, or downloaded where a newer one may be had.
    ///
    /// - Returns: The newest that could be had; it may be outdated when the download fails.
    /// - Throws: `MetadataError` when there is none at all.
    public func current() async throws -> MetadataBLOB {
        readCache()
        let now = effects.now()
        if let blob, !blob.isOutdated(at: now) || now < nextAttempt { return blob }
        do {
            return try await refresh()
        } catch {
            guard let blob else { throw error }
            return blob
        }
    }

    /// Downloads and verifies now.
    ///
    /// - Returns: The BLOB in force afterwards.
    /// - Throws: `MetadataError`; what was in force before stays so. `notKept` means that the new one is in force and could not
    ///   be written to disk.
    @discardableResult
    public func refresh() async throws -> MetadataBLOB {
        readCache()
        nextAttempt = effects.now() + Self.pause
        let text: [UInt8]
        do {
            text = try await fetch.document(url, MetadataBLOB.maximumSize)
        } catch {
            throw MetadataError(.notFetched, "\(url): \(error)")
        }
        let new = try MetadataBLOB(verifying: text, anchors: anchors, at: effects.now())
        // FIDO Metadata Service 3, section 3.2: "if the serial number is less than that of the cached one, ignore it".
        if let blob, new.number < blob.number {
            throw MetadataError(.rolledBack, "number \(new.number) after \(blob.number)")
        }
        blob = new
        if let cache { try write(new.text, to: cache) }
        return new
    }

    /// What is in force, without any effort to renew it.
    public var inForce: MetadataBLOB? {
        readCache()
        return blob
    }

    private func readCache() {
        guard !hasReadCache, let cache else { return }
        hasReadCache = true
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: cache)), data.count <= MetadataBLOB.maximumSize
        else {
            return
        }
        // A file that does not verify any more (somebody wrote to it, a certificate ran out) is as good as none.
        blob = try? MetadataBLOB(verifying: Array(data), anchors: anchors, at: effects.now())
    }

    private func write(_ text: [UInt8], to path: String) throws(MetadataError) {
        do {
            try Data(text).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw MetadataError(.notKept, path)
        }
    }
}
