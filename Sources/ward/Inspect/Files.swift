import ArgumentParser
import Foundation

enum Files {
    /// A file's bytes, with a sentence where there is none.
    static func read(_ path: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw ValidationError("\(path) cannot be read.")
        }
    }
}
