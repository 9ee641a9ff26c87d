internal import Foundation
internal import WardAgentClient
internal import WardFolders

/// Finds the pinentry program, as GnuPG does.
public enum PinentryProgram {
    /// The program to use: the one that a manager program named, otherwise `WARD_PINENTRY`, otherwise the one in
    /// `gpg-agent.conf`, otherwise `pinentry` on the path.
    ///
    /// - Parameters:
    ///   - environment: The agent's environment.
    ///   - said: The path from the person's own `ward`, never from an app.
    /// - Returns: The path of an executable program.
    /// - Throws: `AgentError` with `promptMissing`. A configured program that cannot run is named, and no other one is
    ///   used.
    static func find(in environment: [String: String], said: String? = nil) throws(AgentError) -> String {
        if let said, !said.isEmpty {
            guard isOwnProgram(said) else { throw unusable(said) }
            return said
        }
        if let chosen = environment["WARD_PINENTRY"], !chosen.isEmpty {
            guard let path = runnable(chosen, environment) else { throw unusable(chosen) }
            return path
        }
        if let configured = configured(environment), let path = runnable(configured, environment) { return path }
        guard let path = runnable("pinentry", environment) else {
            throw AgentError(
                .promptMissing,
                "no pinentry is installed, so the agent cannot show prompts: install pinentry-curses or pinentry-gnome3, or "
                    + "use --passphrase-fd"
            )
        }
        return path
    }

    /// The value that `ward` sends for its own `WARD_PINENTRY`: the full path if the program exists, otherwise the
    /// variable's value; empty if the variable is not set.
    public static func said(in environment: [String: String]) -> String {
        guard let chosen = environment["WARD_PINENTRY"], !chosen.isEmpty else { return "" }
        return runnable(chosen, environment) ?? chosen
    }

    private static func unusable(_ name: String) -> AgentError {
        AgentError(
            .promptMissing,
            "WARD_PINENTRY names \(name.pathForPrompt), which cannot be run: set it to a pinentry, such as "
                + "/usr/bin/pinentry-curses, or unset it and run ward agent --stop"
        )
    }

    /// Whether a program belongs to root or this user, and nobody else can change it.
    private static func isOwnProgram(_ path: String) -> Bool {
        var status = stat()
        guard path.hasPrefix("/"), unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == 0 || status.st_uid == getuid(), status.st_mode & 0o022 == 0
        else { return false }
        return unsafe access(path, X_OK) == 0
    }

    /// The program in GnuPG's configuration.
    private static func configured(_ environment: [String: String]) -> String? {
        let home = environment["GNUPGHOME"] ?? BaseFolders(environment: environment).home + "/.gnupg"
        guard let text = try? String(contentsOfFile: home + "/gpg-agent.conf", encoding: .utf8) else {
            return nil
        }
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
            guard words.count == 2, words[0] == "pinentry-program" || words[0] == "--pinentry-program" else { continue }
            return words[1].trimmingCharacters(in: .whitespaces)
        }
        return nil
    }

    private static func runnable(_ name: String, _ environment: [String: String]) -> String? {
        if name.hasPrefix("/") { return FileManager.default.isExecutableFile(atPath: name) ? name : nil }
        let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return folders.map { $0 + "/" + name }.first {
            $0.hasPrefix("/") && FileManager.default.isExecutableFile(atPath: $0)
        }
    }
}
