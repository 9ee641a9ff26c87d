/// Goes through a folder, within its limits, and notes what cannot be read.
struct FolderWalk {
    private let remote: FolderRemote
    private(set) var troubles: [FolderTrouble] = []
    /// How many names this walk may still look at.
    private var filesLeft = FolderLimits.files

    init(_ remote: FolderRemote) { self.remote = remote }

    /// Opens the vault's folder; `nil` if it is not there or cannot be opened.
    mutating func vaultFolder() -> OpenFolder? {
        do {
            return try remote.vaultFolder()
        } catch {
            troubles.append(error)
            return nil
        }
    }

    /// The names of the devices' folders: first all those that the reader knows, then others in order, within the limit.
    ///
    /// Names that begin with a dot belong to the programs that copy the folder.
    mutating func deviceNames(in vault: OpenFolder, first: [FileName]) -> [FileName] {
        let listed = names(in: vault, at: remote.path())
        let there = Set(listed)
        let known = first.filter { there.contains($0) }
        let taken = Set(known)
        var devices: [FileName] = []
        for name in known + listed.filter({ !taken.contains($0) }) where !name.isHidden {
            do {
                let kind = try vault.status(of: name).kind
                if kind == .folder {
                    devices.append(name)
                } else {
                    let reason: FolderTrouble.Reason = kind == .link ? .link : .notFolder
                    troubles.append(FolderTrouble(.open, remote.path(name), reason))
                }
            } catch {
                troubles.append(FolderTrouble(.open, remote.path(name), error))
            }
        }
        let limit = max(FolderLimits.devices, known.count)
        if devices.count > limit { troubles.append(FolderTrouble(.list, remote.path(), .tooManyDevices)) }
        return Array(devices.prefix(limit))
    }

    /// Opens a device's folder; `nil` if it cannot be opened.
    mutating func deviceFolder(_ name: FileName, in vault: OpenFolder) -> OpenFolder? {
        do {
            return try vault.folder(name)
        } catch {
            troubles.append(FolderTrouble(.open, remote.path(name), error))
            return nil
        }
    }

    /// The names of the segments in a device's folder, in order.
    mutating func segmentNames(in folder: OpenFolder, _ folderName: FileName) -> [FileName] {
        let segments = names(in: folder, at: remote.path(folderName)).filter(\.isSegment)
        if segments.count > FolderLimits.segments {
            troubles.append(FolderTrouble(.list, remote.path(folderName), .tooManySegments))
        }
        return Array(segments.prefix(FolderLimits.segments))
    }

    /// Reads a segment; `nil` if the caller knows it, or if it cannot be read.
    mutating func segment(
        _ name: FileName,
        in folder: OpenFolder,
        _ folderName: FileName,
        skipping known: (SegmentIdentity) -> Bool
    ) -> Segment? {
        do {
            let status = try remote.status(of: name, in: folder, folderName)
            if known(SegmentIdentity(folderName, name, status)) { return nil }
            return try remote.load(name, in: folder, folderName)
        } catch {
            troubles.append(error)
            return nil
        }
    }

    private mutating func names(in folder: OpenFolder, at place: String) -> [FileName] {
        do {
            let (listed, hasMore) = try folder.names(limit: filesLeft)
            filesLeft -= listed.count
            if hasMore { troubles.append(FolderTrouble(.list, place, .tooManyFiles)) }
            return listed
        } catch {
            troubles.append(FolderTrouble(.list, place, error))
            return []
        }
    }
}

extension FileName {
    /// Whether a file of this name may be a segment: also a copy that a program for syncing has renamed.
    var isSegment: Bool { hasSuffix(SegmentFileName.ending) }
}
