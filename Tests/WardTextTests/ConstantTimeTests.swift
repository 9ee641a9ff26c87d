import Testing
import WardText

@Suite struct `Comparing in constant time` {
    @Test func `strings are equal when every byte is`() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(isEqualInConstantTime(bytes, bytes))
        #expect(isEqualInConstantTime([], []))
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << bit
                #expect(!isEqualInConstantTime(bytes, other))
            }
        }
        #expect(!isEqualInConstantTime(bytes, Array(bytes.dropLast())))
        #expect(!isEqualInConstantTime(Array(bytes.dropLast()), bytes))
        #expect(!isEqualInConstantTime([], [0]))
    }
}
