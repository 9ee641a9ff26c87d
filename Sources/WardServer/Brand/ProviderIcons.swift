import Foundation
package import WardAttestation
import WardText
import WardWebAuthn

/// Pictures of authenticators from a BLOB of the FIDO Metadata Service.
package struct ProviderIcons: Sendable {
    /// The maximum size of a picture, in bytes.
    ///
    /// Larger ones are left out.
    package static let limit = 64 * 1_024

    /// No pictures.
    package static let none = Self([])

    /// The pictures in PNG, by the text of the AAGUID.
    let pictures: [String: Data]

    /// The AAGUIDs of the authenticators that have a picture, in order.
    package var aaguids: [String] { pictures.keys.sorted() }

    /// Takes the pictures that are PNG and not too large.
    ///
    /// - Parameter entries: The entries of a verified BLOB.
    package init(_ entries: [MetadataEntry]) {
        let pairs = entries.compactMap { entry -> (String, Data)? in
            guard let aaguid = entry.aaguid, let picture = entry.icon.flatMap(Self.picture) else { return nil }
            return (aaguid.description, picture)
        }
        pictures = Dictionary(pairs) { first, _ in first }
    }

    /// The bytes of a `data:` URL with a PNG, or `nil` for anything else.
    private static func picture(_ url: String) -> Data? {
        let prefix = "data:image/png;base64,"
        // Four digits have three bytes.
        guard url.hasPrefix(prefix), url.utf8.count <= prefix.utf8.count + (limit + 2) / 3 * 4,
            let bytes = Base64.decode(String(url.dropFirst(prefix.count))), bytes.count <= limit,
            bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        else { return nil }
        return Data(bytes)
    }
}
