internal import Foundation
internal import WardAgentClient
internal import WardFolders
internal import WardVault

/// The registered apps: first those that the administrator registered, then those that the person registered.
struct AppRegistry: Sendable {
    /// The administrator's folder.
    ///
    /// Each `.json` file in it belongs to root, and no other user may write to it.
    let folder: String
    /// The person's file, which only this person may read.
    let file: String

    /// The path of the administrator's folder on every machine.
    static let administratorFolder = "/etc/ward/apps.d"
    private static let maximumSize = 262_144
    private static let maximumFiles = 256

    init(folder: String = administratorFolder, file: String) {
        self.folder = folder
        self.file = file
    }

    /// The path `$XDG_CONFIG_HOME/ward/apps.json`, or `~/.config/ward/apps.json`.
    static func ownFile(_ environment: [String: String]) -> String {
        BaseFolders(environment: environment).config + "/ward/apps.json"
    }

    /// The contents of the files, and the problems of files that were ignored.
    struct Contents: Sendable {
        var administrators: [RegisteredApp] = []
        var own: [RegisteredApp] = []
        /// The domains that the person gave to Flatpaks.
        var flatpaks: [FlatpakDomains] = []
        /// The problems as sentences.
        ///
        /// A file with a problem is ignored completely.
        var problems: [String] = []

        /// The app with this path.
        ///
        /// If the administrator and the person both registered it, the administrator's entry is used.
        func app(at path: String) -> RegisteredApp? {
            (administrators + own).first { $0.path == path }
        }

        /// The domains that the person gave to a Flatpak.
        func domains(ofFlatpak identifier: String) -> [String] {
            flatpaks.first { $0.identifier == identifier }?.domains ?? []
        }
    }

    /// Reads all files.
    ///
    /// A file with a problem is ignored, and the result names the problem.
    func read() -> Contents {
        var contents = Contents()
        readAdministrators(&contents)
        do {
            (contents.own, contents.flatpaks) = try readOwn()
        } catch {
            contents.problems.append(error.message)
        }
        return contents
    }

    // MARK: The administrator's

    private func readAdministrators(_ contents: inout Contents) {
        guard let opened = Descriptor.open(folder, flags: O_DIRECTORY | O_NOFOLLOW) else {
            if errno != ENOENT { contents.problems.append("\(folder) cannot be read") }
            return
        }
        guard let status = opened.status, Self.isAdministrators(status) else {
            contents.problems.append(
                "\(folder) must belong to root, and nobody else may write to it: it is ignored"
            )
            return
        }
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
        for name in names.prefix(Self.maximumFiles) {
            guard let file = Descriptor.open(name, in: opened.number, flags: O_NOFOLLOW), let status = file.status,
                status.st_mode & S_IFMT == S_IFREG, Self.isAdministrators(status)
            else {
                contents.problems.append(
                    "\(folder)/\(name) must be a file of root's that nobody else may write to: it is ignored"
                )
                continue
            }
            guard let bytes = file.contents(limit: Self.maximumSize), let apps = try? RegisteredApp.list(bytes) else {
                contents.problems.append("\(folder)/\(name) is not a list of apps: it is ignored")
                continue
            }
            contents.administrators += apps
        }
    }

    private static func isAdministrators(_ status: stat) -> Bool {
        status.st_uid == 0 && status.st_mode & 0o022 == 0
    }

    // MARK: The person's

    private func readOwn() throws(AgentError) -> (apps: [RegisteredApp], flatpaks: [FlatpakDomains]) {
        guard let bytes = try PrivateFile.contents(file, limit: Self.maximumSize) else { return ([], []) }
        guard let apps = try? RegisteredApp.list(bytes), let flatpaks = try? RegisteredApp.flatpaks(bytes) else {
            throw AgentError(
                .failed,
                "\(self.file) is not a valid list of apps: correct it, or remove it and add the apps again"
            )
        }
        return (apps, flatpaks)
    }

    /// Adds an app to the person's file.
    ///
    /// It replaces an app with the same path.
    ///
    /// - Throws: `AgentError` with `invalidValue` when the administrator has said something about that path, or `failed`
    ///   when the file cannot be read or written.
    func add(_ app: RegisteredApp) throws(AgentError) {
        try app.check()
        guard !read().administrators.contains(where: { $0.path == app.path || $0.identifier == app.identifier }) else {
            throw AgentError(
                .invalidValue,
                "the administrator has registered \(app.path) or \(app.identifier) in \(folder), and only that entry is used"
            )
        }
        var (apps, flatpaks) = try readOwn()
        apps.removeAll { $0.path == app.path }
        guard apps.count < 256 else {
            throw AgentError(
                .invalidValue,
                "256 apps are registered, and more are not possible: "
                    + "remove some first"
            )
        }
        apps.append(app)
        try write(apps, flatpaks)
    }

    /// Sets the domains of a Flatpak.
    ///
    /// They replace the domains that it has.
    ///
    /// - Throws: `AgentError` with `invalidValue`, or `failed` when the file cannot be read or written.
    func add(_ flatpak: FlatpakDomains) throws(AgentError) {
        try flatpak.check()
        var (apps, flatpaks) = try readOwn()
        flatpaks.removeAll { $0.identifier == flatpak.identifier }
        guard flatpaks.count < 256 else {
            throw AgentError(.invalidValue, "256 Flatpaks have domains, and more are not possible: remove some first")
        }
        flatpaks.append(flatpak)
        try write(apps, flatpaks)
    }

    /// Removes apps from the person's file, by identifier or path.
    ///
    /// - Returns: What was taken out.
    /// - Throws: `AgentError` with `itemMissing` when there is none, or as ``add(_:)``.
    func remove(_ name: String) throws(AgentError) -> (apps: [RegisteredApp], flatpaks: [FlatpakDomains]) {
        let (apps, flatpaks) = try readOwn()
        let removed = apps.filter { $0.identifier == name || $0.path == name }
        let removedFlatpaks = flatpaks.filter { $0.identifier == name }
        guard !removed.isEmpty || !removedFlatpaks.isEmpty else {
            let isAdministrators = read().administrators.contains { $0.identifier == name || $0.path == name }
            throw AgentError(
                .itemMissing,
                isAdministrators
                    ? "the administrator registered \(name) in \(folder): only they can remove it"
                    : "no app \(name.prefix(255)) is registered: ward apps list shows them"
            )
        }
        try write(apps.filter { !removed.contains($0) }, flatpaks.filter { !removedFlatpaks.contains($0) })
        return (removed, removedFlatpaks)
    }

    private func write(_ apps: [RegisteredApp], _ flatpaks: [FlatpakDomains]) throws(AgentError) {
        do {
            try SmallFile.makeDirectory(SmallFile.folder(file))
            try SmallFile.replace(file, with: RegisteredApp.file(apps, flatpaks))
        } catch {
            throw AgentError(.failed, "\(file) cannot be written: \(error.detail)")
        }
    }
}
