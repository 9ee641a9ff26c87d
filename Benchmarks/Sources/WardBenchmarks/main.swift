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

// Minutes and gigabytes: only when it is asked for.
if let argument = CommandLine.arguments.first(where: { $0.hasPrefix("--accounts=") }) {
    guard let count = Int(argument.dropFirst("--accounts=".count)), (512...100_000_000).contains(count) else {
        FileHandle.standardError.write(Data("--accounts takes a number from 512 to 100000000\n".utf8))
        exit(64)
    }
    try AccountsFigure.run(accounts: count) { $0.print(asJSON: isJSON) }
    exit(0)
}

let isWanted: @Sendable (String) -> Bool = { [only] in only == nil || $0.hasPrefix(only ?? "") }

if !isJSON {
    print(
        """
        One core each; both columns measured in turns in this run. Ratio is ours to the limit: 1.00 is the limit itself.

        """
    )
}
for measurement in try Measurement.all() where isWanted(measurement.name) {
    measurement.figure().print(asJSON: isJSON)
}
try await ManagerFigures.run(isWanted: isWanted) { $0.print(asJSON: isJSON) }
try await SyncFigures.run(isWanted: isWanted) { $0.print(asJSON: isJSON) }
try await TenDevicesFigure.run(isWanted: isWanted) { $0.print(asJSON: isJSON) }
try await DayFigure.run(isWanted: isWanted) { $0.print(asJSON: isJSON) }
try await ServiceFigures.run(isWanted: isWanted) { $0.print(asJSON: isJSON) }
