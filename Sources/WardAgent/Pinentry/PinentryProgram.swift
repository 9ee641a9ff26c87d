internal import Foundation

/// Finds the program that asks the person, as GnuPG would.
public enum PinentryProgram {
    /// The program: `WARD_PINENTRY`, else what `gpg-agent.conf` names, else `pinentry` on the path.
    ///
    /// - Parameter environment: The agent's environment.
    /// - Returns: A path that can be run; `nil` where there is none.
    public static func find(in environment: [String: String]) -> String? {
        if let chosen = environment["WARD_PINENTRY"], !chosen.isEmpty { return runnable(chosen, environment) }
        if let configured = configured(environment), let path = runnable(configured, environment) { return path }
        return runnable("pinentry", environment)
    }

    /// What GnuPG was told to use.
    private static func configured(_ environment: [String: String]) -> String? {
        let home = environment["GNUPGHOME"] ?? environment["HOME"].map { $0 + "/.gnupg" }
        guard let home, let text = try? String(contentsOfFile: home + "/gpg-agent.conf", encoding: .utf8) else {
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
