#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import WardAttestation
public import WardWebAuthn

/// Downloads, verifies and stores the BLOB of the FIDO Metadata Service, and renews it when a newer one can be
/// available.
///
/// ```swift
/// let metadata = MetadataService(cache: "/var/lib/example/metadata.jwt", fetch: .http())
/// try await metadata.refresh()
/// policy.attestation.judge = AttestationRequirements(anchors: try await metadata.current())
/// ```
///
/// A failed download, an error page or an older BLOB never replaces a verified one.
public actor MetadataService {
    /// Downloads a document, with limits on size and time.
    public struct Fetch: Sendable {
        /// Downloads a document's bytes.
        public var document: @Sendable (_ url: String, _ maximumSize: Int) async throws -> [UInt8]

        /// Creates a fetch from a closure.
        public init(document: @escaping @Sendable (_ url: String, _ maximumSize: Int) async throws -> [UInt8]) {
            self.document = document
        }
    }

    /// The address of the public service.
    public static let publicURL = "https://mds3.fidoalliance.org/"

    private let url: String
    private let anchors: TrustAnchors
    private let cache: String?
    private let fetch: Fetch
    private let effects: Effects
    private var blob: MetadataBLOB?
    private var hasReadCache = false
    private var nextAttempt = Int64.min

    /// The minimum time between two downloads by ``current()``, in seconds.
    ///
    /// If a BLOB is late or the service does not answer, Ward downloads once an hour.
    public static let pause: Int64 = 3_600

    /// Creates a service; nothing is read or downloaded yet.
    ///
    /// - Parameters:
    ///   - url: The address of the BLOB.
    ///   - anchors: The trust anchors for the BLOB's signer.
    ///   - cache: The file for the BLOB, or `nil` to keep it only in memory.
    ///   - fetch: The download.
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

    /// The current BLOB: from memory, from disk, or downloaded if a newer one can be available.
    ///
    /// - Returns: The newest available BLOB; it may be outdated if the download failed.
    /// - Throws: `MetadataError` if there is no BLOB.
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
    /// - Returns: The current BLOB after the download.
    /// - Throws: `MetadataError`; then the earlier BLOB stays current. `notKept` means that the new one is current but
    ///   could not be written to disk.
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

    /// The current BLOB, without any download.
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
        // A file whose signature no longer verifies is ignored: the file was changed, or a certificate has expired.
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
