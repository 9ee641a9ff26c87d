import ArgumentParser
import Foundation

/// The options for printing an inspection.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false
    @Flag(help: "With --json: also print every step and the decoded message.")
    var full = false
}
