import Foundation
import WardTerminal
import WardText

/// Refuses unknown settings.
///
/// Otherwise a setting with a wrong name would be ignored without a message.
enum SettingNames {
    /// Variables that begin with `WARD_` and belong to other programs: the credential manager, and Ward's build, tests and
    /// measurements.
    ///
    /// Every other variable that begins with `WARD_` must be a setting of the service.
    private static let othersVariables: Set = [
        // ward(1)
        "WARD_CLIPBOARD_SECONDS", "WARD_IDLE_LOCK", "WARD_MANAGERS", "WARD_OPEN_LIMIT", "WARD_PINENTRY", "WARD_PORTALS",
        "WARD_PORTAL_NAME", "WARD_TPM", "WARD_VAULT",
        // make
        "WARD_CHROMIUM", "WARD_DATA", "WARD_DIFFERENTIAL", "WARD_FIREFOX", "WARD_MODELS", "WARD_NO_INSTALL",
        "WARD_PYTHON",
        "WARD_SCHEMA_EXAMPLES", "WARD_SERVER_BIN", "WARD_THOROUGH", "WARD_VECTORS", "WARD_WRITE_VECTORS",
    ]
    private static let othersPrefixes = ["WARD_BENCH_", "WARD_FUZZ_", "WARD_MERGE_", "WARD_MUTANT", "WARD_TEST_"]

    /// - Throws: ``SettingsError`` for a variable that begins with `WARD_` and is nobody's.
    static func check(environment: [String: String]) throws(SettingsError) {
        let settings = Setting.allCases.map(\.variable)
        let unknown = environment.keys.filter { name in
            name.hasPrefix("WARD_") && !settings.contains(name) && !othersVariables.contains(name)
                && !othersPrefixes.contains(where: name.hasPrefix)
        }
        guard let name = unknown.min() else { return }
        let meant = nearest(String(name.dropFirst("WARD_".count))).flatMap(Setting.init(rawValue:))?.variable
        throw SettingsError(
            "the variable \(ShownText.clean(String(name.prefix(64)))) is not a setting: \(hint(meant))"
        )
    }

    /// - Throws: ``SettingsError`` for a file that is not an object of settings, each of them once.
    static func check(file path: String) throws(SettingsError) {
        guard let content = FileManager.default.contents(atPath: path) else {
            throw SettingsError("--config: \(path) cannot be read")
        }
        let members: [JSONValue.Member]?
        do {
            members = try JSONValue([UInt8](content)).objectValue
        } catch {
            throw SettingsError("--config: \(path) cannot be read as JSON: \(error)")
        }
        guard let members else { throw SettingsError("--config: \(path) must be a JSON object of settings") }
        let settings = Setting.allCases.map(\.rawValue)
        guard let name = members.map(\.name).first(where: { !settings.contains($0) }) else { return }
        throw SettingsError(
            "--config: \(path): \"\(ShownText.clean(String(name.prefix(64))))\" is not a setting: \(hint(nearest(name)))"
        )
    }

    private static func nearest(_ name: String) -> String? {
        NearestName.of(name, among: Setting.allCases.map(\.rawValue))
    }

    private static func hint(_ nearest: String?) -> String {
        nearest.map { "write \($0), or remove it" } ?? "ward-server serve --help lists the settings"
    }
}

extension Setting {
    /// The name of the environment variable for a setting.
    var variable: String { "WARD_" + rawValue.uppercased().replacing("-", with: "_") }
}
