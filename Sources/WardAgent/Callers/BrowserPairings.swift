internal import Foundation
internal import WardAgentClient
internal import WardFolders
internal import WardText
internal import WardVault
internal import WardWebAuthn

/// The browsers that the person connected.
///
/// They are in a file that only its owner can read. It is read each time, and always written completely.
struct BrowserPairings: Sendable {
    /// The maximum number of browsers.
    static let limit = 32
    private static let maximumSize = 65_536

    let path: String

    /// The path `$XDG_CONFIG_HOME/ward/browsers.json`, or `~/.config/ward/browsers.json`.
    static func ownFile(_ environment: [String: String]) -> String {
        BaseFolders(environment: environment).config + "/ward/browsers.json"
    }

    /// Throws if the person did not connect this browser and extension.
    ///
    /// - Throws: `AgentError` with `notPaired`, or `failed` if the file cannot be read.
    func check(_ browser: BrowserIdentity) throws(AgentError) {
        guard try read().contains(browser) else {
            throw AgentError(
                .notPaired,
                "this browser is not connected to Ward yet. Connect it in the menu of Ward's extension"
            )
        }
    }

    /// The connected browsers; none if there is no file.
    ///
    /// - Throws: `AgentError` with `failed` if the file cannot be read, or if other users have access to it.
    func read() throws(AgentError) -> [BrowserIdentity] {
        guard let bytes = try PrivateFile.contents(path, limit: Self.maximumSize) else { return [] }
        guard let browsers = try? Self.list(bytes) else {
            throw AgentError(
                .failed,
                "\(path) is not a valid list of browsers: remove it and connect the browsers again"
            )
        }
        return browsers
    }

    /// Whether another extension of the same browser is connected.
    func hasOtherExtension(_ browser: BrowserIdentity) throws(AgentError) -> Bool {
        try read().contains { $0.path == browser.path && $0.extensionID != browser.extensionID }
    }

    /// Adds a browser.
    ///
    /// - Throws: `AgentError` with `notPaired` if another extension of this browser is connected, `invalidValue` if there are too
    ///   many browsers, or `failed` if the file cannot be read or written.
    func add(_ browser: BrowserIdentity) throws(AgentError) {
        var browsers = try read()
        guard !browsers.contains(browser) else { return }
        guard !browsers.contains(where: { $0.path == browser.path }) else { throw Self.otherExtension(browser) }
        guard browsers.count < Self.limit else {
            throw AgentError(
                .invalidValue,
                "\(Self.limit) browsers are connected, and more are not possible: ward browser forget removes one"
            )
        }
        browsers.append(browser)
        try write(browsers)
    }

    /// The error for a second extension of a browser.
    static func otherExtension(_ browser: BrowserIdentity) -> AgentError {
        AgentError(
            .notPaired,
            "another extension of \(browser.name) is connected to Ward. To connect this one, first remove the other one: "
                + "ward browser forget \(browser.path)"
        )
    }

    /// Removes the browsers with a name or a path.
    ///
    /// - Returns: The removed browsers.
    /// - Throws: `AgentError` with `itemMissing` if no connected browser has it, or `failed` if the file cannot be read or written.
    func remove(_ name: String) throws(AgentError) -> [BrowserIdentity] {
        let browsers = try read()
        let removed = browsers.filter { $0.path == name || $0.name.lowercased() == name.lowercased() }
        guard !removed.isEmpty else {
            throw AgentError(
                .itemMissing,
                "no browser \(name.cleanedForPrompt) is connected: ward browser status shows them"
            )
        }
        try write(browsers.filter { !removed.contains($0) })
        return removed
    }

    private static func list(_ bytes: [UInt8]) throws -> [BrowserIdentity] {
        let members = try JSONMembers(try JSONValue(bytes), in: "the file").array("browsers")
        guard members.count <= limit else { throw AgentError(.invalidValue, "there are too many browsers") }
        return try members.map { value in
            let members = try JSONMembers(value, in: "browser")
            let browser = BrowserIdentity(
                path: try members.string("path"),
                extensionID: try members.string("extension")
            )
            guard browser.path.hasPrefix("/"), ExtensionID.isValid(browser.extensionID) else {
                throw AgentError(.invalidValue, "a browser has a path and the ID of an extension")
            }
            return browser
        }
    }

    private func write(_ browsers: [BrowserIdentity]) throws(AgentError) {
        // One browser per line, so that people can read the file.
        let lines = browsers.map { browser -> String in
            let value: JSONValue = ["path": .string(browser.path), "extension": .string(browser.extensionID)]
            return String(decoding: value.serialized, as: UTF8.self)
        }
        do {
            try SmallFile.makeDirectory(SmallFile.folder(path))
            try SmallFile.replace(path, with: Array("{\"browsers\": [\n\(lines.joined(separator: ",\n"))\n]}\n".utf8))
        } catch {
            throw AgentError(.failed, "\(path) cannot be written: \(error.detail)")
        }
    }
}
