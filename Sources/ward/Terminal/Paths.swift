import ArgumentParser
import Foundation
import WardFolders

enum Paths {
    /// A path with the home folder as `~`.
    static func short(_ path: String) -> String {
        let home = BaseFolders.ofThisProcess.home
        return path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path
    }

    /// Refuses what is neither a folder nor the address of a server.
    ///
    /// - Throws: `ValidationError` that says what to write.
    static func check(place: String) throws {
        guard !place.isEmpty else { throw ValidationError("The place is empty. Name a folder, or a server: https://…") }
        // The name of a server without its scheme would be a folder that is not there.
        guard place.contains("/") || !place.contains(".") || FileManager.default.fileExists(atPath: absolute(place))
        else {
            throw ValidationError("There is no folder \(place) here. For the server of this name: https://\(place)")
        }
    }

    /// Refuses a folder that is not there, before the person types secrets; the agent looks again.
    ///
    /// - Throws: ``Failure`` as the agent says it.
    static func check(folder path: String) throws(Failure) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        throw Failure(
            .unavailable,
            "\(short(path)) is not there. Connect its drive, or choose another folder.",
            code: "folder_missing"
        )
    }

    /// An absolute path, because the agent has another working folder.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
