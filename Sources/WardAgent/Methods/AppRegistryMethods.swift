internal import Foundation
internal import Logging
internal import WardAgentClient

/// Registers apps.
struct AppRegistryMethods: Sendable {
    let policy: AppPolicy
    let logger: Logger

    /// Lists the registered apps, and whether their files have changed.
    func listApps() async -> ListApps.Result {
        let contents = policy.registry.read()
        var apps: [AppRecord] = []
        for app in contents.administrators {
            apps.append(AppRecord(app, state: await state(of: app), isAdministrators: true))
        }
        for app in contents.own { apps.append(AppRecord(app, state: await state(of: app), isAdministrators: false)) }
        apps += contents.flatpaks.map { AppRecord($0) }
        return ListApps.Result(apps: apps, problems: contents.problems)
    }

    /// Shows what a registration would trust: the file at a path, and its digest.
    ///
    /// - Throws: `AgentError` with `itemMissing` for a path without a program, `invalidValue` for one that is not a program.
    func check(_ method: CheckApp) async throws -> CheckApp.Result {
        let (path, digest) = try await resolve(method.path)
        return CheckApp.Result(path: path, digest: digest, isInterpreter: Interpreters.include(path))
    }

    /// Registers a program as an app, so that it may request sign-ins.
    func add(_ method: AddApp, _ program: ManagerProgram) async throws -> AppRecord {
        let (path, digest) = try await resolve(method.path)
        guard method.digest == nil || method.digest == digest else {
            throw AgentError(.conflict, "\(path) changed after its digest was computed: run the command again")
        }
        guard method.allowsInterpreter || !Interpreters.include(path) else {
            throw AgentError(
                .invalidValue,
                "\(path) is an interpreter, so every script that it runs would count as this app: build the app as a program, "
                    + "or add --force"
            )
        }
        let app = RegisteredApp(
            identifier: method.identifier,
            name: method.displayName,
            path: path,
            digest: digest,
            domains: method.domains
        )
        try policy.registry.add(app)
        logger.notice(
            "an app was registered",
            metadata: ["id": "\(app.identifier)", "by": "\(program.peer.description)"]
        )
        return AppRecord(app, state: .ok, isAdministrators: false)
    }

    /// Gives domains to a Flatpak.
    func add(_ method: AddFlatpakApp, _ program: ManagerProgram) async throws -> AppRecord {
        let flatpak = FlatpakDomains(identifier: method.identifier, domains: method.domains)
        try policy.registry.add(flatpak)
        logger.notice(
            "a Flatpak was given domains",
            metadata: ["id": "\(flatpak.identifier)", "by": "\(program.peer.description)"]
        )
        return AppRecord(flatpak)
    }

    /// Removes apps from this person's registry.
    func remove(_ method: RemoveApp, _ program: ManagerProgram) async throws -> RemoveApp.Result {
        let (removed, flatpaks) = try policy.registry.remove(method.app)
        logger.notice("an app was removed", metadata: ["by": "\(program.peer.description)"])
        var apps: [AppRecord] = []
        for app in removed { apps.append(AppRecord(app, state: await state(of: app), isAdministrators: false)) }
        apps += flatpaks.map { AppRecord($0) }
        return RemoveApp.Result(apps: apps)
    }

    // MARK: Files

    private func state(of app: RegisteredApp) async -> AppRecord.State {
        guard let file = Descriptor.open(app.path), file.status?.isFile == true else { return .missing }
        return await policy.digests.digest(of: file) == app.digest ? .ok : .changed
    }

    /// The program at a path, with all links resolved, and its digest.
    private func resolve(_ given: String) async throws -> (path: String, digest: String) {
        guard given.hasPrefix("/"), given.utf8.count < 4096 else {
            throw AgentError(.invalidValue, "the program's path must be absolute: it must begin with /")
        }
        let path = unsafe realpath(given, nil).map { resolved in
            defer { unsafe free(resolved) }
            return unsafe String(cString: resolved)
        }
        guard let path, let file = Descriptor.open(path) else {
            throw AgentError(.itemMissing, "there is no readable program at \(given)")
        }
        guard file.status?.isFile == true, unsafe access(path, X_OK) == 0 else {
            throw AgentError(.invalidValue, "\(path) is not a program that you may run")
        }
        // For a script, the kernel runs its interpreter. So the agent could not distinguish one script from another.
        guard file.beginning(4) == [0x7f, 0x45, 0x4c, 0x46] else {
            throw AgentError(
                .invalidValue,
                "\(path) is a script: its interpreter runs other scripts too, so the script cannot be identified"
            )
        }
        guard let digest = await policy.digests.digest(of: file) else {
            throw AgentError(.failed, "\(path) cannot be read completely, or has more than 2 GiB")
        }
        return (path, digest)
    }
}

extension AppRecord {
    init(_ app: RegisteredApp, state: State, isAdministrators: Bool) {
        self.init(
            identifier: app.identifier,
            displayName: app.name,
            path: app.path,
            digest: app.digest,
            domains: app.domains,
            state: state,
            isAdministrators: isAdministrators
        )
    }
}

extension stat {
    fileprivate var isFile: Bool { st_mode & S_IFMT == S_IFREG }
}
