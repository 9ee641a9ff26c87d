import Foundation
import WardFolders

/// A folder in memory that only this user can enter, for a file with secrets.
///
/// Editors leave copies beside a file, so the folder is wiped as a whole.
struct PrivateFolder {
    private let path: String
    private static let prefix = "ward-edit-"
    private static let maximumSize = 4 << 20

    /// Creates the folder in `$XDG_RUNTIME_DIR`, and wipes folders of programs that were killed.
    ///
    /// - Throws: ``Failure`` when there is no such place.
    init() throws(Failure) {
        var status = stat()
        guard let place = BaseFolders.ofThisProcess.runtime,
            unsafe stat(place, &status) == 0, status.st_uid == getuid(), status.st_mode & 0o077 == 0
        else {
            throw Failure(
                .unavailable,
                "XDG_RUNTIME_DIR is not a private folder, so an editor would leave secrets on the disk. Leave out --editor"
            )
        }
        Self.sweep(place)
        path = "\(place)/\(Self.prefix)\(getpid())-\(UUID().uuidString.prefix(8).lowercased())"
        guard unsafe mkdir(path, 0o700) == 0 else {
            throw Failure(.unavailable, "Cannot make a folder in \(place). Check its free space")
        }
    }

    /// Writes a file with mode 0600.
    ///
    /// It replaces an existing file.
    ///
    /// - Returns: Its path.
    func write(_ text: String, to name: String) throws(Failure) -> String {
        let file = path + "/" + name
        WipedFile.erase(file)
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(.unavailable, "Cannot write \(file)") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do { try handle.write(contentsOf: Data(text.utf8)) } catch {
            throw Failure(.unavailable, "Cannot write \(file): there is no free space")
        }
        return file
    }

    /// Reads a file back.
    func read(_ name: String) throws(Failure) -> String {
        let descriptor = unsafe open(path + "/" + name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(.denied, "The editor removed the file. Nothing was changed") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? handle.read(upToCount: Self.maximumSize) ?? Data(),
            let text = String(validating: data, as: UTF8.self)
        else { throw Failure(.usage, "The file is not text in UTF-8. Nothing was changed") }
        return text
    }

    /// Overwrites and removes all files in the folder.
    func wipe() { Self.wipe(path) }

    private static func wipe(_ folder: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let path = folder + "/" + name
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR { wipe(path) } else { WipedFile.erase(path) }
        }
        _ = unsafe rmdir(folder)
    }

    private static func sweep(_ place: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [] where name.hasPrefix(prefix) {
            let number = name.dropFirst(prefix.count).prefix { $0.isNumber }
            if let pid = pid_t(number), kill(pid, 0) != 0, errno == ESRCH { wipe(place + "/" + name) }
        }
    }
}
