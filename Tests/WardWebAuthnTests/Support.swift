import Testing
import WardTesting

/// One row of a table of cases.
struct Case<Input: Sendable, Expected: Sendable>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let input: Input
    let expected: Expected

    init(_ testDescription: String, _ input: Input, _ expected: Expected) {
        self.testDescription = testDescription
        self.input = input
        self.expected = expected
    }
}

extension Case where Input == String {
    /// A row whose input says what it is.
    init(_ input: String, _ expected: Expected) {
        self.init(input.isEmpty ? "nothing" : input.debugDescription, input, expected)
    }
}

/// Bytes written in code; a typing error shows at once.
func hex(_ text: String) -> [UInt8] {
    TestVectors.bytes(hex: text)!
}

/// A text's bytes.
func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Chance that repeats: the same seed throws the same numbers.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number below the limit.
    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}

/// Every way in which bytes are damaged in one place.
enum Damage {
    /// Each byte changed by each mask, left out, or doubled, and every beginning that is not the whole.
    static func everywhere(in bytes: [UInt8], masks: [UInt8] = [0x01, 0x80, 0xff]) -> [[UInt8]] {
        var damaged: [[UInt8]] = []
        for index in bytes.indices {
            for mask in masks {
                var copy = bytes
                copy[index] ^= mask
                damaged.append(copy)
            }
            var without = bytes
            without.remove(at: index)
            damaged.append(without)
            var doubled = bytes
            doubled.insert(bytes[index], at: index)
            damaged.append(doubled)
            damaged.append(Array(bytes[..<index]))
        }
        return damaged
    }
}
