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
    print(
        "One core each; both columns measured in turns in this run. Ratio is ours to the limit: 1.00 is the limit itself."
    )
    print("")
}
for figure in try Measurement.all() where only == nil || figure.name.hasPrefix(only ?? "") {
    let result = figure.run(rounds: figure.operations == nil ? 101 : 21, batch: 100)
    if isJSON {
        print(
            "{\"name\":\"\(figure.name)\",\"value\":\(rounded(result.value, 3)),\"unit\":\"\(result.unit)\","
                + "\"limit\":\(rounded(result.limit, 3)),\"ratio\":\(rounded(result.ratio, 3))}"
        )
        continue
    }
    print(figure.title)
    for (label, value, note) in [("ours ", result.value, ""), ("limit", result.limit, "  (\(figure.limitTitle))")] {
        let perSecond = result.unit == "us" ? 1e6 / value : value
        let time = result.unit == "us" ? "\(rounded(value, 2)) µs  " : ""
        print("  \(label)  \(time)\(rounded(perSecond, 0)) per second\(note)")
    }
    let promise = figure.bound.map {
        "  (promised: at \(figure.operations == nil ? "most" : "least") \(rounded($0, 2)))"
    }
    print("  ratio  \(rounded(result.ratio, 3))\(promise ?? "")")
}
