internal import WardLog

extension FolderRemote {
    /// Whether a trouble is a damaged segment in a device's own folder.
    func isDamage(_ trouble: FolderTrouble, of device: DeviceID) -> Bool {
        trouble.isDamage && trouble.path.hasPrefix(path(Self.name(of: device)) + "/")
    }

    /// Deletes the damaged segments of a device that it no longer needs.
    ///
    /// Nobody can read anything in them. Those with entries of other devices are deleted too: the caller carries the entries again.
    ///
    /// - Parameters:
    ///   - number: Up to this one, all entries of the device are in files that can be read.
    ///   - device: This device.
    ///   - troubles: What could not be read before. What is right now is removed.
    /// - Returns: Whether a segment with entries of another device was deleted.
    func removeDamaged(upTo number: UInt64, of device: DeviceID, _ troubles: inout [FolderTrouble]) -> Bool {
        var right: Set<String> = []
        var hasLostCarried = false
        do throws(FolderError) {
            let own = try OwnFolder(of: device, in: self)
            for file in try own.names() {
                let isWritten = SegmentFileName(file.bytes).map { $0.last <= number } ?? false
                guard isWritten || file.isCarried else { continue }
                if own.isDamaged(file) {
                    try own.delete(file)
                    hasLostCarried = hasLostCarried || file.isCarried
                }
                right.insert(own.path(of: file))
            }
            try own.synchronize()
        } catch {
            troubles.append(FolderTrouble(.clean, path(Self.name(of: device)), .write(error)))
        }
        troubles.removeAll { $0.isDamage && right.contains($0.path) }
        return hasLostCarried
    }
}

extension OwnFolder {
    fileprivate func isDamaged(_ file: FileName) -> Bool {
        do throws(FolderTrouble) {
            _ = try remote.load(file, in: opened, name)
            return false
        } catch {
            return error.isDamage
        }
    }
}
