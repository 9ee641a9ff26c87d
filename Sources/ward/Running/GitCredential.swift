import Foundation

/// A credential in Git's form: `name=value` lines (gitcredentials(7), git-credential(1)).
struct GitCredential {
    /// The host, with the port if there is one.
    let host: String
    /// Whether the protocol is https.
    let isSecure: Bool
    let username: String?
    let password: String?
    private let path: String

    /// - Returns: `nil` for protocols other than https and http, and without a host.
    init?(_ text: String) {
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            values[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        guard let scheme = values["protocol"], scheme == "https" || scheme == "http", let host = values["host"],
            !host.isEmpty
        else { return nil }
        (self.host, isSecure, path) = (host, scheme == "https", values["path"] ?? "")
        (username, password) = (values["username"], values["password"])
    }

    /// The address of the site.
    var address: String { (isSecure ? "https://" : "http://") + host + (path.isEmpty ? "" : "/" + path) }
}
