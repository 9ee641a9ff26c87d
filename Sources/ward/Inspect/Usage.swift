import ArgumentParser
import Foundation

/// A usage error: exit status 2 and one sentence.
struct Usage: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
