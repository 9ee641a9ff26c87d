internal import Foundation
package import WardVault

/// Something in a folder that was left out, while everything else was read.
///
/// It never contains bytes of a file.
package struct FolderTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    /// What Ward was doing.
    package enum Step: String, Hashable, Sendable {
        /// The names in a folder were listed.
        case list
        /// A folder or a file was opened.
        case open
        /// A file was read.
        case read
        /// The contents of a file were checked.
        case check
        /// Small segments of this device were merged.
        case merge
        /// Damaged files, or those of an interrupted write, were deleted.
        case clean
    }

    /// What is wrong.
    package enum Reason: Hashable, Sendable {
        /// It is not there, or no longer.
        case missing
        /// This user may not read it.
        case denied
        /// A symbolic link, which is never followed.
        case link
        /// Something else than a folder.
        case notFolder
        /// A pipe, a socket, a device or a folder in place of a file.
        case notFile
        /// The file is longer than what Ward writes there, with its size in bytes.
        case tooLarge(size: Int)
        /// More folders of devices than ``FolderLimits/devices``, not all of which are of members.
        case tooManyDevices
        /// More segments than ``FolderLimits/segments``.
        case tooManySegments
        /// More requests of new devices than ``FolderLimits/requests``.
        case tooManyRequests
        /// Requests of new devices that are older than ``PairingRequest/lifetime``, by the clocks of these devices.
        case oldRequests
        /// More names than ``FolderLimits/files``.
        case tooManyFiles
        /// The file changed while it was read.
        case changing
        /// Reading the folder takes longer than a sync reads.
        case takesTooLong
        /// The name of the file is not the one of its contents.
        case misnamed
        /// The file is not a segment of this vault.
        case segment(SegmentFault)
        /// The file is not the request of a new device.
        case request(VaultError)
        /// Writing failed.
        case write(FolderError)
        /// The system returned another error, with its number.
        case system(Int32)
    }

    package let step: Step
    /// Where, for people: characters that cannot be shown are question marks.
    package let path: String
    package let reason: Reason

    package init(_ step: Step, _ path: String, _ reason: Reason) {
        self.step = step
        self.path = path
        self.reason = reason
    }

    init(_ step: Step, _ path: String, _ failure: SystemFailure) {
        self.init(step, path, Reason(failure))
    }

    /// Whether a segment is damaged, so that its device must write its entries again.
    var isDamage: Bool {
        switch reason {
        case .segment(.malformed), .segment(.wrongBlob): true
        default: false
        }
    }

    /// The path, what is wrong there, and what to do.
    package var description: String { "\(path): \(reason.sentence)" }
}

extension FolderTrouble.Reason {
    fileprivate init(_ failure: SystemFailure) {
        switch failure.number {
        case ENOENT: self = .missing
        case EACCES, EPERM: self = .denied
        case ELOOP: self = .link
        case ENOTDIR: self = .notFolder
        default: self = .system(failure.number)
        }
    }

    fileprivate var sentence: String {
        switch self {
        case .missing: "It is not there. Connect its drive, or wait until the folder is synced."
        case .denied: "This user may not read it. Change its permissions."
        case .link: "It is a symbolic link, and Ward does not follow it. Replace it with the real file or folder."
        case .notFolder: "It is not a folder. Remove it."
        case .notFile: "It is not a regular file. Remove it."
        case .tooLarge(let size): "It has \(size) bytes, which is more than Ward writes. Remove it."
        case .tooManyDevices:
            "It has more than \(FolderLimits.devices) folders. Those of the vault's devices were read, and not all of the others. "
                + "Remove the folders whose names are not the ID of a device that is in the vault. See the IDs: ward devices --json."
        case .tooManySegments:
            "It has more than \(FolderLimits.segments) segments, and the others were not read. "
                + "Remove files that Ward did not write."
        case .tooManyRequests:
            "It has more than \(FolderLimits.requests) requests of new devices, and the others were left out. "
                + "Remove requests that you do not know."
        case .oldRequests:
            "It has requests of new devices that are older than 7 days, and these were left out. If such a device asks now, its clock is "
                + "behind. Set its clock, then on it: ward join FOLDER."
        case .tooManyFiles:
            "There are more than \(FolderLimits.files) files, and the others were not read. "
                + "Remove files that Ward did not write."
        case .changing: "It changed while Ward read it. Try again in a moment."
        case .takesTooLong:
            "Ward read for an hour, and there is more. The next sync goes on. If this stays so, somebody else writes there. Remove files "
                + "that Ward did not write."
        case .misnamed: "Its name does not fit its contents, so Ward leaves it as it is. Restore its name."
        case .segment(let fault): fault.description
        case .request(let error): error.detail + "."
        case .write(let error): error.detail
        case .system(let number): "\(SystemFailure(number: number).words). Check its drive, then try again."
        }
    }
}

extension FolderError {
    /// What could not be read, where nothing else can be done.
    init(_ trouble: FolderTrouble) {
        let code: Code =
            switch trouble.reason {
            case .denied: .denied
            case .missing: .missing
            case .link, .notFolder, .notFile, .tooLarge: .blocked
            default: .unavailable
            }
        self.init(code, trouble.description)
    }
}
