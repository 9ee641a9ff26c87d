import Foundation
import WardVault

/// A folder with data of sites that is removed after the test.
final class SiteDataFolder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("ward-\(UUID().uuidString)").path

    init(_ files: [SiteDataFile: String]) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (file, text) in files {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + file.rawValue))
        }
    }

    var data: SiteData { SiteData(folder: path) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
