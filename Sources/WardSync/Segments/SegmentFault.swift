/// Why a file is not a segment of this vault.
///
/// The offsets count bytes from the beginning of the file.
package enum SegmentFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are not a segment: damaged, cut off, or written by something else.
    case malformed(at: Int)
    /// An entry or a blob is longer than the limits allow.
    case tooLong(at: Int)
    /// A later version of Ward wrote the segment.
    case unknownVersion(UInt64)
    /// The header names another vault.
    case otherVault
    /// An entry is from another device than the header names.
    case otherDevice(at: Int)
    /// A blob is not the one that its entry names.
    case wrongBlob(at: Int)

    /// What is wrong, and what to do.
    package var description: String {
        switch self {
        case .malformed(let offset):
            "It is damaged at byte \(offset). Sync the device that wrote it: the device writes these entries again."
        case .tooLong(let offset):
            "The record at byte \(offset) is longer than Ward writes. Remove the file."
        case .unknownVersion(let version):
            "It has version \(version) of the format. Update Ward."
        case .otherVault:
            "It belongs to another vault. Move it to the folder of that vault, or remove it."
        case .otherDevice(let offset):
            "The entry at byte \(offset) is from another device than the file says. Remove the file."
        case .wrongBlob(let offset):
            "The content of the entry at byte \(offset) is damaged. Sync the device that wrote it: "
                + "the device writes these entries again."
        }
    }
}
