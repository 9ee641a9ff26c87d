import Foundation

/// The findings about the files of a database: who can read them, and how much space is free.
struct FileFindings {
    /// With less free space, in bytes, the service may fail to write at any time.
    static let neededSpace: UInt64 = 32 << 20
    /// With less free space, in bytes, a backup or a migration may fail.
    static let comfortableSpace: UInt64 = 256 << 20

    private(set) var findings: [Finding] = []

    init(_ database: String) {
        let url = URL(fileURLWithPath: database)
        let folder = url.deletingLastPathComponent().path
        guard let size = PrivateFiles.attributes(of: database)?[.size] as? UInt64 else {
            findings.append(
                .warning("database_missing", "there is no database yet: the first start creates \(url.path)")
            )
            return
        }
        let names = [database] + ["-wal", "-shm"].map { database + $0 }
        for name in names where PrivateFiles.permissions(of: name).map({ $0 & 0o077 != 0 }) ?? false {
            findings.append(.error("file_readable", "others can open \(name): run chmod 600 \(name)"))
        }
        if let permissions = PrivateFiles.permissions(of: folder) {
            if permissions & 0o022 != 0 {
                findings.append(.error("folder_writable", "others can write in \(folder): run chmod 700 \(folder)"))
            } else if permissions & 0o077 != 0 {
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
        } else if let free, free < max(Self.comfortableSpace, size) {
            findings.append(
                .warning("disk_low", "\(free >> 20) MiB are free in \(folder): a backup or a migration may not fit")
            )
        }
    }

    private static func freeSpace(_ path: String) -> UInt64? {
        var found = statvfs()
        guard unsafe statvfs(path, &found) == 0 else { return nil }
        return UInt64(found.f_bavail).multipliedReportingOverflow(by: UInt64(found.f_frsize)).partialValue
    }
}
