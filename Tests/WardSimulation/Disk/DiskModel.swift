/// The files of a machine as a disk has them that loses its power: what was flushed, and as much of the rest as chance keeps.
///
/// Contents are safe once the file is flushed, names once their folder is. What is not flushed is there or not: of the names in a
/// folder those up to some moment, of the writes to a file any.
struct DiskModel {
    private enum Name {
        case link(String, UInt64)
        case rename(String, String)
        case unlink(String)
    }

    private struct File {
        var durable: [UInt8] = []
        var pending: [(offset: Int, bytes: [UInt8]?)] = []
    }

    private var names: [String: UInt64] = [:]
    private var files: [UInt64: File] = [:]
    /// The changes of names that are not safe, by folder.
    private var changes: [String: [Name]] = [:]

    /// Starts from files that are safely there.
    init(_ safe: [String: (file: UInt64, bytes: [UInt8])]) {
        for (path, content) in safe {
            names[path] = content.file
            files[content.file] = File(durable: content.bytes)
        }
    }

    /// Goes on with a step that was asked of the disk.
    mutating func apply(_ step: DiskStep) {
        switch step {
        case .link(let path, let file):
            if files[file] == nil { files[file] = File() }
            note(.link(path, file), at: path)
        case .write(let file, let offset, let bytes): files[file]?.pending.append((offset, bytes))
        case .truncate(let file, let size): files[file]?.pending.append((size, nil))
        case .synchronize(let number):
            guard var file = files[number] else { return }
            for change in file.pending { Self.apply(change, to: &file.durable) }
            file.pending = []
            files[number] = file
        case .synchronizeNames(let folder): for change in changes.removeValue(forKey: folder) ?? [] { apply(change) }
        case .rename(let path, let other): note(.rename(path, other), at: other)
        case .unlink(let path): note(.unlink(path), at: path)
        }
    }

    /// What is found when the power is back.
    func contents(_ dice: inout Dice) -> [String: [UInt8]] {
        var left = self
        // All of what was not flushed, nothing of it, or some: most faults show with one of the first two.
        let kept = dice.below(3)
        for folder in changes.keys.sorted() {
            let pending = changes[folder] ?? []
            let count = kept == 0 ? 0 : kept == 1 ? pending.count : dice.below(pending.count + 1)
            for change in pending.prefix(count) { left.apply(change) }
        }
        var found: [String: [UInt8]] = [:]
        for (path, number) in left.names.sorted(by: { $0.key < $1.key }) {
            guard let file = files[number] else { continue }
            var bytes = file.durable
            for change in file.pending where kept == 1 || kept == 2 && dice.below(2) == 0 {
                Self.apply(change, to: &bytes)
            }
            found[path] = bytes
        }
        return found
    }

    private mutating func note(_ name: Name, at path: String) {
        changes[Self.folder(path), default: []].append(name)
    }

    private mutating func apply(_ change: Name) {
        switch change {
        case .link(let path, let file): names[path] = file
        case .rename(let path, let other):
            if let file = names.removeValue(forKey: path) { names[other] = file }
        case .unlink(let path): names[path] = nil
        }
    }

    private static func folder(_ path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    private static func apply(_ change: (offset: Int, bytes: [UInt8]?), to bytes: inout [UInt8]) {
        let end = change.offset + (change.bytes?.count ?? 0)
        if bytes.count < end { bytes += repeatElement(0, count: end - bytes.count) }
        if let new = change.bytes {
            bytes.replaceSubrange(change.offset..<end, with: new)
        } else {
            bytes.removeLast(bytes.count - change.offset)
        }
    }
}
