import Foundation

let isJSON = CommandLine.arguments.contains("--json")
let only = CommandLine.arguments.dropFirst().first { !$0.hasPrefix("--") }

// For callgrind: `WardBenchmarks --repeat NAME COUNT` runs one figure's own half and nothing else; take the difference of two
// counts.
if let index = CommandLine.arguments.firstIndex(of: "--repeat"), CommandLine.arguments.count > index + 2 {
    let name = CommandLine.arguments[index + 1]
    let count = Int(CommandLine.arguments[index + 2]) ?? 0
    for figure in try Measurement.all() where figure.name == name { figure.subject(count) }
    exit(0)
}

func rounded(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

if !isJSON {
    print("One core each; both columns measured in turns in this run. Ratio is ours to the limit: 1.00 is the limit itself.")
    print("")
}
for figure in try Measurement.all() where only == nil || figure.name.hasPrefix(only ?? "") {
    let result = figure.run(rounds: 41, batch: 400)
    if isJSON {
        print(
            "{\"name\":\"\(figure.name)\",\"value\":\(rounded(result.value, 3)),\"unit\":\"us\","
                + "\"limit\":\(rounded(result.limit, 3)),\"ratio\":\(rounded(result.ratio, 3))}"
        )
    } else {
        print("\(figure.title)")
        print(
            "  ours   \(rounded(result.value, 2)) µs  \(rounded(1e6 / result.value, 0)) per second\n"
                + "  limit  \(rounded(result.limit, 2)) µs  \(rounded(1e6 / result.limit, 0)) per second"
                + "  (\(figure.limitTitle))\n"
                + "  ratio  \(rounded(result.ratio, 3))"
                + (figure.bound.map { "  (promised: at most \(rounded($0, 2)))" } ?? "")
        )
    }
}
