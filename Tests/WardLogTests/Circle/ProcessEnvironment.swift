import Foundation

/// The environment of the tests.
enum ProcessEnvironment {
    static func has(_ name: String) -> Bool { ProcessInfo.processInfo.environment[name] != nil }
}
