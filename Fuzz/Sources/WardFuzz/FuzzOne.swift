import Foundation
import WardTesting

/// The parser under search: `WARD_FUZZ_TARGET`, by the names of ``ParserProperty``.
private let property: ParserProperty = {
    let name = ProcessInfo.processInfo.environment["WARD_FUZZ_TARGET"] ?? ""
    guard let property = ParserProperty(rawValue: name) else {
        let names = ParserProperty.allCases.map(\.rawValue).joined(separator: ", ")
        FileHandle.standardError.write(Data("WARD_FUZZ_TARGET is one of \(names)\n".utf8))
        exit(2)
    }
    return property
}()

/// What libFuzzer calls; a broken property stops the process, which is what it looks for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    do {
        try property.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}
