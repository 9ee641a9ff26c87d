import Foundation
package import WardAttestation

/// A file with a BLOB of the FIDO Metadata Service.
package struct MetadataFile: Sendable {
    /// Where the BLOB comes from.
    package static let source = "https://mds3.fidoalliance.org/"

    /// The path of the file.
    package let path: String
    private let anchors: TrustAnchors

    /// - Parameters:
    ///   - path: The path of the file.
    ///   - anchors: The roots that the BLOB's signer must lead to.
    package init(_ path: String, anchors: TrustAnchors = .fidoMetadata) {
        self.path = path
        self.anchors = anchors
    }

    /// Reads and verifies the BLOB.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: The verified BLOB. It may be out of date.
    /// - Throws: ``ServerConfigurationError`` for a file that cannot be read, or that the FIDO Metadata Service did not sign.
    package func read(at now: Int64) throws(ServerConfigurationError) -> MetadataBLOB {
        let bytes: Data
        do {
            let handle = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? handle.close() }
            bytes = try handle.read(upToCount: MetadataBLOB.maximumSize + 1) ?? Data()
        } catch {
            throw ServerConfigurationError("--metadata: \(path) cannot be read")
        }
        do {
            return try MetadataBLOB(verifying: [UInt8](bytes), anchors: anchors, at: now)
        } catch {
            throw ServerConfigurationError(
                "--metadata: \(path) is not a BLOB of the FIDO Metadata Service (\(error.code.name)): download "
                    + Self.source
            )
        }
    }

    /// What tells one version of the file from another without reading it.
    struct Version: Equatable {
        private let modified: Date?
        private let size: UInt64?
        private let number: String?

        fileprivate init(_ path: String) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            modified = attributes?[.modificationDate] as? Date
            size = attributes?[.size] as? UInt64
            // Its type differs between platforms.
            number = attributes?[.systemFileNumber].map { "\($0)" }
        }
    }

    /// The version of the file now.
    var version: Version { Version(path) }
}

extension ServerConfiguration {
    /// What is wrong with the file that ``metadata`` names, or `nil` if nothing is.
    package func metadataProblem(at now: Int64) -> String? {
        guard let metadata else { return nil }
        do {
            _ = try MetadataFile(metadata).read(at: now)
            return nil
        } catch {
            return error.description
        }
    }
}
