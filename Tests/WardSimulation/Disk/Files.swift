import CPowerCut
import Foundation
import WardVault

/// The files of machines, which are in memory.
enum Files {
    /// The folder of a machine of a world.
    static func folder(_ world: Int32, _ machine: Int) -> String {
        unsafe String(cString: power_cut_folder()) + "\(world)/\(machine)"
    }

    static func world(_ world: Int32) -> String {
        unsafe String(cString: power_cut_folder()) + "\(world)"
    }

    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// The names in a folder, sorted; none if it is not there.
    static func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    static func read(_ path: String) -> [UInt8]? {
        (try? SmallFile.read(path, limit: 1 << 30)) ?? nil
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let file = unsafe fopen(path, "w")
        guard let file = unsafe file else { throw SimulationError("cannot write \(path)") }
        defer { unsafe fclose(file) }
        guard unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw SimulationError("cannot write \(path)")
        }
    }

    /// All files below a folder with their contents, and all folders.
    static func tree(_ folder: String) -> (files: [String: [UInt8]], folders: [String]) {
        var files: [String: [UInt8]] = [:]
        var folders = [folder]
        var rest = [folder]
        while let next = rest.popLast() {
            for name in names(next) {
                let path = next + "/" + name
                if let bytes = read(path) {
                    files[path] = bytes
                } else {
                    folders.append(path)
                    rest.append(path)
                }
            }
        }
        return (files, folders)
    }
}

/// A schedule cannot go on.
struct SimulationError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
