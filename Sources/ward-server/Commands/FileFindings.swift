import Foundation

/// What the file system says about a database's files: who can read them, and how much room is left.
struct FileFindings {
    /// Less than this in bytes, and the service may stop writing at any time.
    static let neededSpace: UInt64 = 32 << 20
    /// Less than this in bytes, and a backup or a migration may fail.
    static let comfortableSpace: UInt64 = 256 << 20

    private(set) var findings: [Finding] = []

    init(_ database: String) {
        let url = URL(fileURLWithPath: database)
        let folder = url.deletingLastPathComponent().path
        guard let file = Self.status(database) else {
            findings.append(
                .warning("database_missing", "there is no database yet: the first start creates \(url.path)")
            )
            return
        }
        let names = [database] + ["-wal", "-shm"].map { database + $0 }
        for name in names where Self.status(name).map({ $0.st_mode & 0o077 != 0 }) ?? false {
            findings.append(.error("file_readable", "others can open \(name): run chmod 600 \(name)"))
        }
        if let status = Self.status(folder) {
            if status.st_mode & 0o022 != 0 {
                findings.append(.error("folder_writable", "others can write in \(folder): run chmod 700 \(folder)"))
            } else if status.st_mode & 0o077 != 0 {
                findings.append(.warning("folder_readable", "others can look into \(folder): run chmod 700 \(folder)"))
            }
        }
        if unsafe geteuid() != 0 && (access(database, W_OK) != 0 || access(folder, W_OK) != 0) {
            findings.append(
                .error(
                    "not_writable",
                    "this user cannot write to \(database) and its folder: run this as the service's user"
                )
            )
        }
        let free = Self.freeSpace(folder)
        if let free, free < Self.neededSpace {
            findings.append(.error("disk_full", "\(free >> 20) MiB are free in \(folder): the service needs more"))
        } else if let free, free < max(Self.comfortableSpace, UInt64(clamping: file.st_size)) {
            findings.append(
                .warning("disk_low", "\(free >> 20) MiB are free in \(folder): a backup or a migration may not fit")
            )
        }
    }

    private static func status(_ path: String) -> stat? {
        var found = stat()
        return unsafe stat(path, &found) == 0 ? found : nil
    }

    private static func freeSpace(_ path: String) -> UInt64? {
        var found = statvfs()
        guard unsafe statvfs(path, &found) == 0 else { return nil }
        return UInt64(found.f_bavail).multipliedReportingOverflow(by: UInt64(found.f_frsize)).partialValue
    }
}
