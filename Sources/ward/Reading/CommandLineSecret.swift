import Foundation

/// A secret that another program put on the command line, because it can start this one in no other way.
enum CommandLineSecret {
    /// Wipes the arguments that begin with a text from this process's memory, where other programs can read them.
    ///
    /// What Swift has read from them before stays as it is.
    static func wipe(beginningWith prefix: String) {
        _ = CommandLine.arguments
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = unsafe CommandLine.unsafeArgv[index],
                unsafe strncasecmp(argument, prefix, prefix.utf8.count) == 0
            else { continue }
            unsafe memset(argument, 0, strlen(argument))
        }
    }
}
