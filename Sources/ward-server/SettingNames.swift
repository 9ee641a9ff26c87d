import Foundation
import WardText

/// Refuses settings that do not exist: a misspelt one would be ignored, and the service would run without it.
enum SettingNames {
    /// Variables that begin with `WARD_` and belong to other programs: the credential manager, and Ward's own build, tests
    /// and measurements.
    ///
    /// Every other variable that begins with `WARD_` is a setting of the service, or an error.
    private static let othersVariables: Set = [
        // ward(1)
        "WARD_CLIPBOARD_SECONDS", "WARD_IDLE_LOCK", "WARD_MANAGERS", "WARD_OPEN_LIMIT", "WARD_PINENTRY", "WARD_TPM",
        "WARD_VAULT",
        // make
        "WARD_CHROMIUM", "WARD_DATA", "WARD_DIFFERENTIAL", "WARD_MODELS", "WARD_NO_INSTALL", "WARD_PYTHON",
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
        throw SettingsError("the variable \(clean(name)) is not a setting: \(hint(name, among: settings))")
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
        throw SettingsError("--config: \(path): \"\(clean(name))\" is not a setting: \(hint(name, among: settings))")
    }

    private static func hint(_ name: String, among settings: [String]) -> String {
        let nearest = settings.min { distance(name, $0) < distance(name, $1) }
        guard let nearest, distance(name, nearest) <= max(1, nearest.count / 3) else {
            return "ward-server serve --help lists the settings"
        }
        return "write \(nearest), or remove it"
    }

    /// A name from outside as it may stand in a terminal.
    private static func clean(_ name: String) -> String {
        String(
            name.unicodeScalars.prefix(64).map {
                $0.isASCII && $0.value > 0x1f && $0.value != 0x7f ? Character($0) : "?"
            }
        )
    }

    /// How many characters have to be added, removed or changed, upper and lower case and `_` and `-` alike.
    private static func distance(_ first: String, _ second: String) -> Int {
        func folded(_ text: String) -> [UInt8] { text.lowercased().utf8.prefix(64).map { $0 == 0x5f ? 0x2d : $0 } }
        let (first, second) = (folded(first), folded(second))
        var row = Array(0...second.count)
        for (line, byte) in first.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, other) in second.enumerated() {
                let above = row[column + 1]
                row[column + 1] = min(min(above, row[column]) + 1, diagonal + (byte == other ? 0 : 1))
                diagonal = above
            }
        }
        return row.last ?? 0
    }
}

extension Setting {
    /// The name of the setting's variable.
    var variable: String { "WARD_" + rawValue.uppercased().replacing("-", with: "_") }
}
