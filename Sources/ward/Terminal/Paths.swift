import ArgumentParser
import Foundation
import WardFolders

enum Paths {
    /// A path with the home folder as `~`.
    static func short(_ path: String) -> String {
        let home = BaseFolders.ofThisProcess.home
        return path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path
    }

    /// An absolute path, because the agent has another working folder.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}
