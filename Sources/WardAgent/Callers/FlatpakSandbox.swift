internal import Foundation
internal import WardAgentClient
internal import WardText

/// Finds out by its sandbox which Flatpak app a process belongs to.
///
/// Flatpak writes `/.flatpak-info` into the root of the sandbox, and programs inside cannot change the file. But a program
/// *outside* can make a root of its own with such a file. So the sandbox must also be one of the running instances that Flatpak
/// lists in `$XDG_RUNTIME_DIR/.flatpak`. No sandbox can write to that folder.
struct FlatpakSandbox: Sendable {
    /// The folder where Flatpak lists its running instances: `$XDG_RUNTIME_DIR/.flatpak`.
    let instances: String?

    private static let maximumSize = 65_536

    /// The app's identifier, or `nil` if the root of the process has no such file.
    ///
    /// - Throws: `AgentError` with `appUnknown` for a file that no sandbox's maker put there.
    func identifier(
        of process: PeerProcess,
        _ snapshot: PeerProcess.Snapshot,
        own: PeerProcess.Snapshot
    ) throws(AgentError) -> String? {
        guard let root = process.openRoot(), let rootStatus = root.status else { return nil }
        // If the process has the same root as every program, the file identifies no sandbox.
        guard FileIdentity(rootStatus) != FileIdentity(path: "/") else { return nil }
        guard let file = Descriptor.open(".flatpak-info", in: root.number, flags: O_NOFOLLOW) else {
            // Flatpak writes neither links nor files without read permission.
            guard errno == ENOENT else { throw refusal("its .flatpak-info is not a file") }
            return nil
        }
        guard let status = file.status, status.st_mode & S_IFMT == S_IFREG else {
            throw refusal("its .flatpak-info is not a file")
        }
        guard snapshot.mounts != own.mounts else { throw refusal("a folder with a .flatpak-info is not a sandbox") }
        guard let bytes = file.contents(limit: Self.maximumSize), let text = String(validating: bytes, as: UTF8.self)
        else { throw refusal("its .flatpak-info cannot be read") }
        let settings = KeyFile(text)
        guard let name = settings["Application", "name"], AppIdentifier.isValid(name),
            let instance = settings["Instance", "instance-id"],
            (1...20).contains(instance.utf8.count), instance.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw refusal("its .flatpak-info does not contain the app and the instance") }
        guard let first = firstProcess(of: instance), PeerProcess(first)?.snapshot?.mounts == snapshot.mounts else {
            throw refusal("Flatpak has no running sandbox with this instance")
        }
        return name
    }

    /// The first process that Flatpak started in a sandbox, with its number outside the sandbox.
    private func firstProcess(of instance: String) -> Int32? {
        guard let instances,
            let file = Descriptor.open("\(instances)/\(instance)/bwrapinfo.json", flags: O_NOFOLLOW),
            let bytes = file.contents(limit: Self.maximumSize), let information = try? JSONValue(bytes)
        else { return nil }
        return information["child-pid"]?.integerValue.flatMap { Int32(exactly: $0) }
    }

    private func refusal(_ reason: String) -> AgentError {
        AgentError(.appUnknown, "the program says that it is a Flatpak app, but \(reason)")
    }
}

/// The groups, names and values of a [key file](https://specifications.freedesktop.org/desktop-entry-spec/latest/basic-format.html).
struct KeyFile: Sendable {
    private var values: [String: [String: String]] = [:]

    /// Reads a text.
    ///
    /// Lines that do not belong in a key file are ignored. If a name has two values, the first is used.
    init(_ text: String) {
        var group = ""
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("#") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                group = String(line.dropFirst().dropLast())
                continue
            }
            guard let sign = line.firstIndex(of: "=") else { continue }
            let name = line[..<sign].trimmingCharacters(in: .whitespaces)
            let value = line[line.index(after: sign)...].trimmingCharacters(in: .whitespaces)
            values[group, default: [:]][name] = values[group]?[name] ?? value
        }
    }

    subscript(group: String, name: String) -> String? { values[group]?[name] }
}

/// The identifiers by which domains list apps: `com.example.shiny`, `A1B2C3D4E5.com.example.shiny`.
enum AppIdentifier {
    /// Whether a text is two or more names separated by periods.
    ///
    /// A name has letters, digits, hyphens and underscores. The text has at most 255 bytes.
    static func isValid(_ text: String) -> Bool {
        let names = text.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
        guard text.utf8.count <= 255, names.count >= 2 else { return false }
        return names.allSatisfy { name in
            !name.isEmpty
                && name.allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
                    default: false
                    }
                }
        }
    }
}
