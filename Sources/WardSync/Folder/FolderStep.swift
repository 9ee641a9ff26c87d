/// The steps in a folder, which a test can watch and stop.
///
/// Each has the path of the file, or of the folder.
package enum FolderStep: Hashable, Sendable {
    /// A file that was listed is opened for reading.
    case open(String)
    /// The contents of a new file are written under a temporary name.
    case create(String)
    /// The new file gets its name.
    case rename(String)
    /// The names in the folder are flushed to the disk.
    case synchronize(String)
    /// A segment is deleted whose entries are in others, or that is damaged.
    case delete(String)
}

/// Reports steps before they are done.
struct FolderSteps: Sendable {
    private let beforeStep: @Sendable (FolderStep) throws -> Void

    /// - Parameter beforeStep: Called before each step. If it throws, that simulates a disk error or a power cut.
    init(_ beforeStep: @escaping @Sendable (FolderStep) throws -> Void) { self.beforeStep = beforeStep }

    /// Reports a step.
    func willDo(_ step: FolderStep) throws(FolderError) {
        do {
            try beforeStep(step)
        } catch let error as FolderError {
            throw error
        } catch {
            throw FolderError(.unavailable, "The drive refuses: \(step). Check it, then try again.")
        }
    }
}
