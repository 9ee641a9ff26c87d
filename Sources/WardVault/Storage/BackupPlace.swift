internal import Foundation
internal import WardLog
internal import WardText
internal import WardWebAuthn

/// The destination of a backup: a file, or a file with a dated name in a folder.
struct BackupPlace {
    /// The file.
    let path: String
    /// Whether the name is dated, in a folder where older copies may be removed.
    let isDated: Bool
    /// Whether an existing copy is replaced.
    let replaces: Bool
    private let prefix: String

    var folder: String { SmallFile.folder(path) }
    /// The file for the Secret Key of the copy.
    var secretKey: String { Self.secretKey(of: path) }
    /// The path where the copy is written before it is moved to its final path.
    let draft: String

    static func secretKey(of path: String) -> String { path + ".secret-key" }

    private static let draftPrefix = ".ward-backup-"

    /// Checks a path from a person.
    ///
    /// - Throws: ``VaultError`` with `unusablePath` if a copy there would damage something else: the vault itself, a
    ///   file that is not a copy of this vault, a link, a device.
    init(
        _ requested: String,
        of vault: VaultID,
        at location: VaultLocation,
        _ environment: VaultEnvironment
    ) throws(VaultError) {
        prefix = Self.prefix(of: vault)
        guard requested.hasPrefix("/") else {
            throw VaultError(.unusablePath, "\(requested) is not an absolute path")
        }
        var named = requested
        while named.count > 1, named.hasSuffix("/") { named.removeLast() }
        var status = stat()
        var kind = unsafe lstat(named, &status) == 0 ? status.st_mode & S_IFMT : 0
        if kind == S_IFLNK {
            guard unsafe stat(named, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw VaultError(
                    .unusablePath,
                    "\(named) is a symbolic link: give the path of the file or folder itself"
                )
            }
            kind = S_IFDIR
        }
        if kind == 0, requested.hasSuffix("/") {
            try SmallFile.makeDirectory(named)
            kind = S_IFDIR
        }
        switch kind {
        case S_IFDIR:
            path = Self.freeName(named + "/" + prefix + Self.date(environment.effects.now()))
            (isDated, replaces) = (true, false)
        case 0:
            path = named
            (isDated, replaces) = (false, false)
        case S_IFREG:
            try Self.check(named, status, vault, location, environment)
            path = named
            (isDated, replaces) = (false, true)
        default:
            throw VaultError(.unusablePath, "\(named) is neither a file nor a folder")
        }
        draft = SmallFile.folder(path) + "/" + Self.draftPrefix + UUID().uuidString.lowercased()
    }

    /// Whether a file may be replaced: it must be an older copy of the same vault, and must not be the vault itself.
    private static func check(
        _ path: String,
        _ status: stat,
        _ vault: VaultID,
        _ location: VaultLocation,
        _ environment: VaultEnvironment
    ) throws(VaultError) {
        var own = stat()
        if unsafe stat(location.database, &own) == 0, own.st_ino == status.st_ino, own.st_dev == status.st_dev {
            throw VaultError(.unusablePath, "\(path) is the vault itself")
        }
        var found: VaultID?
        if let database = try? VaultDatabase(path, environment) {
            found = (try? database.header()).flatMap { try? VaultHeader(encoded: $0).vaultID }
            try? database.close()
        }
        guard found == vault else {
            throw VaultError(.unusablePath, "\(path) exists and is not a backup of this vault: choose another name")
        }
    }

    /// Removes temporary copies that killed programs left behind, after they are too old to be in use.
    func removeAbandonedDrafts() {
        for name in names() where name.hasPrefix(Self.draftPrefix) {
            var status = stat()
            let path = folder + "/" + name
            guard unsafe lstat(path, &status) == 0, time(nil) - status.st_mtim.tv_sec > 3600 else { continue }
            _ = unsafe unlink(path)
        }
    }

    /// Removes old dated copies of this vault, but never the newest one.
    ///
    /// - Returns: The removed files.
    func prune(keeping count: Int) -> [String] {
        guard isDated else { return [] }
        let own = SmallFile.name(path)
        let others = Self.dated(names().filter { $0 != own && $0.hasPrefix(prefix) })
        return others.dropFirst(max(0, count - 1)).compactMap { name, _ in
            let path = folder + "/" + name
            guard unsafe unlink(path) == 0 else { return nil }
            _ = unsafe unlink(Self.secretKey(of: path))
            return path
        }
    }

    private func names() -> [String] { Self.names(in: folder) }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// The newest dated copy of each vault in a folder, by the beginning of its name.
    ///
    /// The latest copy is first.
    static func newest(in folder: String) -> [(prefix: String, path: String)] {
        var found: [(prefix: String, path: String)] = []
        for (name, _) in dated(names(in: folder)) {
            let prefix = String(name.prefix(14))
            if !found.contains(where: { $0.prefix == prefix }) { found.append((prefix, folder + "/" + name)) }
        }
        return found
    }

    /// The beginning of the names of a vault's dated copies, such as `ward-3d82e260-`.
    static func prefix(of vault: VaultID) -> String { "ward-\(Hex.encode(vault.bytes.prefix(4)))-" }

    /// The dated names, the latest first.
    private static func dated(_ names: [String]) -> [(name: String, number: Int)] {
        let found = names.compactMap { name in
            // The form of a name: ward-3d82e260-20261122-031937.db. Further copies in the same second end in -2 and so on.
            name.wholeMatch(of: /ward-[0-9a-f]{8}-([0-9]{8}-[0-9]{6})(?:-([0-9]{1,6}))?\.db/)
                .map { (name: name, date: $0.1, number: $0.2.flatMap { Int($0) } ?? 1) }
        }
        return found.sorted { ($0.date, $0.number) > ($1.date, $1.number) }.map { ($0.name, $0.number) }
    }

    /// The number is higher than all numbers of the same second.
    ///
    /// If a number were used again, the newest copy would look like the oldest.
    private static func freeName(_ base: String) -> String {
        let taken = names(in: SmallFile.folder(base)).filter { $0.hasPrefix(SmallFile.name(base)) }
        let last = dated(taken).first?.number ?? 0
        let names = sequence(first: last + 1) { $0 + 1 }.lazy.map { base + ($0 == 1 ? "" : "-\($0)") + ".db" }
        return names.first { !FileManager.default.fileExists(atPath: $0) } ?? base + ".db"
    }

    /// A time in the form for file names, in UTC.
    static func date(_ seconds: Int64) -> String {
        let text = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
        let digits = text.filter(\.isNumber)
        return "\(digits.prefix(8))-\(digits.dropFirst(8))"
    }
}
