import ArgumentParser
import Foundation

/// How an inspection is printed.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false
    @Flag(help: "With --json: every step and the decoded message.")
    var full = false
}
