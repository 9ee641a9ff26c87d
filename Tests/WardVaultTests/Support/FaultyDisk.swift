import GRDBSQLite
import Synchronization

/// A disk under SQLite that writes down what it is asked to do, and refuses from the n-th write on.
///
/// A layer over SQLite's own file system; only files in a folder named `faulty` go through it.
enum FaultyDisk {
    /// What SQLite asked for.
    enum Step: Sendable {
        case write(path: String, offset: Int, bytes: [UInt8])
        case truncate(path: String, size: Int)
        case sync(path: String)
        case delete(path: String)
    }

    struct State: Sendable {
        /// What was done since recording began.
        var steps: [Step] = []
        var isRecording = false
        /// How many more steps succeed; `nil` for all.
        var budget: Int?
        /// Whether only the one step fails at which the budget ends.
        var failsOnce = false
        /// Called before every step.
        var observer: (@Sendable () -> Void)?
    }

    static let state = Mutex(State())

    /// Puts the layer under all connections that are opened from now on.
    static let isInstalled: Bool = install()

    /// Stands before every step; `false` when the disk refuses.
    static func allow(_ step: @autoclosure () -> Step) -> Bool {
        let (allowed, observer) = state.withLock { state in
            guard let budget = state.budget else {
                if state.isRecording { state.steps.append(step()) }
                return (true, state.observer)
            }
            guard budget > 0 else {
                if state.failsOnce { state.budget = nil }
                return (false, nil)
            }
            state.budget = budget - 1
            return (true, nil)
        }
        observer?()
        return allowed
    }

    // MARK: The layer

    /// Where SQLite's own handle begins behind ours.
    fileprivate static let offset = 64
    nonisolated(unsafe) fileprivate static let real = unsafe sqlite3_vfs_find(nil)!
    nonisolated(unsafe) fileprivate static let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    nonisolated(unsafe) fileprivate static let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    nonisolated(unsafe) fileprivate static let name = unsafe strdup("ward-faulty")
    fileprivate static let paths = Mutex<[Int: String]>([:])

    fileprivate static func inner(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<sqlite3_file> {
        unsafe (UnsafeMutableRawPointer(file!) + offset).assumingMemoryBound(to: sqlite3_file.self)
    }

    fileprivate static func path(_ file: UnsafeMutablePointer<sqlite3_file>?) -> String {
        let key = Int(bitPattern: file)
        return paths.withLock { $0[key] ?? "" }
    }

    private static func install() -> Bool {
        unsafe layer.initialize(to: real.pointee)
        unsafe layer.pointee.szOsFile = real.pointee.szOsFile + CInt(offset)
        unsafe layer.pointee.zName = UnsafePointer(name)
        unsafe layer.pointee.pNext = nil
        unsafe layer.pointee.xOpen = { _, path, file, flags, out in
            let text = unsafe path.map { unsafe String(cString: $0) } ?? ""
            guard text.contains("/faulty/") else {
                return unsafe FaultyDisk.real.pointee.xOpen(FaultyDisk.real, path, file, flags, out)
            }
            let result = unsafe FaultyDisk.real.pointee.xOpen(FaultyDisk.real, path, FaultyDisk.inner(file), flags, out)
            unsafe file!.pointee.pMethods = nil
            guard result == SQLITE_OK else { return result }
            unsafe file!.pointee.pMethods = UnsafePointer(FaultyDisk.methods)
            let key = Int(bitPattern: file)
            FaultyDisk.paths.withLock { $0[key] = text }
            return SQLITE_OK
        }
        unsafe layer.pointee.xDelete = { _, path, sync in
            let text = unsafe path.map { unsafe String(cString: $0) } ?? ""
            if text.contains("/faulty/"), !FaultyDisk.allow(.delete(path: text)) { return SQLITE_IOERR | 10 << 8 }
            return unsafe FaultyDisk.real.pointee.xDelete(FaultyDisk.real, path, sync)
        }
        installMethods()
        return unsafe sqlite3_vfs_register(layer, 1) == SQLITE_OK
    }

    private static func installMethods() {
        var table = sqlite3_io_methods()
        // Version 1: no shared memory, which an exclusively held file does not need.
        table.iVersion = 1
        unsafe table.xClose = { file in
            let inner = unsafe FaultyDisk.inner(file)
            let key = Int(bitPattern: file)
            FaultyDisk.paths.withLock { $0[key] = nil }
            return unsafe inner.pointee.pMethods.pointee.xClose(inner)
        }
        unsafe table.xRead = { file, target, count, offset in
            let inner = unsafe FaultyDisk.inner(file)
            return unsafe inner.pointee.pMethods.pointee.xRead(inner, target, count, offset)
        }
        unsafe table.xWrite = { file, source, count, offset in
            let inner = unsafe FaultyDisk.inner(file)
            let bytes = unsafe Array(UnsafeRawBufferPointer(start: source, count: Int(count)))
            let path = unsafe FaultyDisk.path(file)
            guard FaultyDisk.allow(.write(path: path, offset: Int(offset), bytes: bytes)) else { return SQLITE_FULL }
            return unsafe inner.pointee.pMethods.pointee.xWrite(inner, source, count, offset)
        }
        unsafe table.xTruncate = { file, size in
            let inner = unsafe FaultyDisk.inner(file)
            let path = unsafe FaultyDisk.path(file)
            guard FaultyDisk.allow(.truncate(path: path, size: Int(size))) else { return SQLITE_IOERR | 6 << 8 }
            return unsafe inner.pointee.pMethods.pointee.xTruncate(inner, size)
        }
        unsafe table.xSync = { file, flags in
            let inner = unsafe FaultyDisk.inner(file)
            let path = unsafe FaultyDisk.path(file)
            guard FaultyDisk.allow(.sync(path: path)) else { return SQLITE_IOERR | 4 << 8 }
            return unsafe inner.pointee.pMethods.pointee.xSync(inner, flags)
        }
        unsafe table.xFileSize = { file, size in
            let inner = unsafe FaultyDisk.inner(file)
            return unsafe inner.pointee.pMethods.pointee.xFileSize(inner, size)
        }
        unsafe table.xLock = { file, level in
            let inner = unsafe FaultyDisk.inner(file)
            return unsafe inner.pointee.pMethods.pointee.xLock(inner, level)
        }
        unsafe table.xUnlock = { file, level in
            let inner = unsafe FaultyDisk.inner(file)
            return unsafe inner.pointee.pMethods.pointee.xUnlock(inner, level)
        }
        unsafe table.xCheckReservedLock = { file, result in
            let inner = unsafe FaultyDisk.inner(file)
            return unsafe inner.pointee.pMethods.pointee.xCheckReservedLock(inner, result)
        }
        unsafe table.xFileControl = { file, operation, argument in
            let inner = unsafe FaultyDisk.inner(file)
            return unsafe inner.pointee.pMethods.pointee.xFileControl(inner, operation, argument)
        }
        unsafe table.xSectorSize = { file in
            let inner = unsafe FaultyDisk.inner(file)
            return unsafe inner.pointee.pMethods.pointee.xSectorSize(inner)
        }
        unsafe table.xDeviceCharacteristics = { file in
            let inner = unsafe FaultyDisk.inner(file)
            return unsafe inner.pointee.pMethods.pointee.xDeviceCharacteristics(inner)
        }
        unsafe methods.initialize(to: table)
    }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The files on a disk that lost its power: what was flushed, and as much of the rest as chance kept.
struct DiskImage {
    private struct File {
        var durable: [UInt8] = []
        var pending: [FaultyDisk.Step] = []
    }

    private var files: [String: File] = [:]

    /// Starts from files that are safely there.
    init(_ durable: [String: [UInt8]]) {
        for (path, bytes) in durable { files[path] = File(durable: bytes) }
    }

    mutating func apply(_ step: FaultyDisk.Step) {
        switch step {
        case .write(let path, _, _), .truncate(let path, _): files[path, default: File()].pending.append(step)
        case .sync(let path):
            guard var file = files[path] else { return }
            for pending in file.pending { Self.apply(pending, to: &file.durable) }
            file.pending = []
            files[path] = file
        case .delete(let path): files[path] = nil
        }
    }

    /// What is found afterwards: of each file that was not flushed, the pending writes that `keeps` says.
    func contents(keeping keeps: (Int) -> Bool) -> [String: [UInt8]] {
        files.mapValues { file in
            var bytes = file.durable
            for (index, step) in file.pending.enumerated() where keeps(index) { Self.apply(step, to: &bytes) }
            return bytes
        }
    }

    private static func apply(_ step: FaultyDisk.Step, to bytes: inout [UInt8]) {
        switch step {
        case .write(_, let offset, let content):
            if bytes.count < offset + content.count {
                bytes += repeatElement(0, count: offset + content.count - bytes.count)
            }
            bytes.replaceSubrange(offset..<offset + content.count, with: content)
        case .truncate(_, let size):
            if bytes.count > size { bytes.removeLast(bytes.count - size) }
        case .sync, .delete: break
        }
    }
}
