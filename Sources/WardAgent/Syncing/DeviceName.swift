internal import Foundation
internal import WardAgentClient

/// The name that a device gives itself.
enum DeviceName {
    /// The length of a name, in bytes.
    private static let longest = 200

    /// The host name without its domain.
    static var ofThisMachine: String {
        let host = ProcessInfo.processInfo.hostName.split(separator: ".").first.map { String($0).printable } ?? ""
        return host.isEmpty || host.utf8.count > longest ? "Device" : host
    }

    /// The operating system, such as `Debian GNU/Linux 12 (bookworm)`.
    static var ofThisSystem: String {
        let name = ProcessInfo.processInfo.operatingSystemVersionString.printable
        return name.isEmpty || name.utf8.count > longest ? "Linux" : name
    }

    /// A name that a person chose.
    ///
    /// - Throws: `AgentError` with `invalidValue`.
    static func checked(_ name: String) throws(AgentError) -> String {
        let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...longest).contains(name.utf8.count), name.printable == name else {
            throw AgentError(
                .invalidValue,
                "The name of a device has 1 to \(longest) bytes, and no invisible characters. Choose another name"
            )
        }
        return name
    }
}
