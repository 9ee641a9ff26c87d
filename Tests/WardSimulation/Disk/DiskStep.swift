import CPowerCut

/// What a machine asked of its disk.
enum DiskStep {
    /// A new file has a name.
    case link(String, file: UInt64)
    case write(file: UInt64, offset: Int, bytes: [UInt8])
    case truncate(file: UInt64, size: Int)
    case synchronize(file: UInt64)
    case synchronizeNames(folder: String)
    case rename(String, String)
    case unlink(String)

    /// The number of steps in a world.
    static func count(_ world: Int32) -> Int { power_cut_count(world) }

    /// A step of a world; `nil` if it is another machine's, or was forgotten.
    init?(_ world: Int32, _ index: Int, of machine: Int) {
        let step = unsafe power_cut_step_at(world, index)
        guard unsafe Int(step.machine) == machine else { return nil }
        let file = unsafe step.file
        let offset = unsafe Int(step.offset)
        switch unsafe power_cut_kind(UInt32(step.kind)) {
        case POWER_CUT_LINK: self = unsafe .link(Self.text(step.path), file: file)
        case POWER_CUT_WRITE:
            let bytes = unsafe Array(UnsafeBufferPointer(start: step.bytes, count: step.count))
            self = .write(file: file, offset: offset, bytes: bytes)
        case POWER_CUT_TRUNCATE: self = .truncate(file: file, size: offset)
        case POWER_CUT_SYNC: self = .synchronize(file: file)
        case POWER_CUT_SYNC_NAMES: self = unsafe .synchronizeNames(folder: Self.text(step.path))
        case POWER_CUT_RENAME: self = unsafe .rename(Self.text(step.path), Self.text(step.other))
        case POWER_CUT_UNLINK: self = unsafe .unlink(Self.text(step.path))
        default: return nil
        }
    }

    private static func text(_ path: UnsafePointer<CChar>?) -> String {
        unsafe path.map { unsafe String(cString: $0) } ?? ""
    }

    var short: String {
        if case .write(let file, let offset, let bytes) = self { return "write \(file) at \(offset): \(bytes.count)" }
        return "\(self)"
    }
}
