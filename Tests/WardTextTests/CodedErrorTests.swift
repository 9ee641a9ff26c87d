import Testing
import WardText

@Suite struct `Errors with a code` {
    private struct SampleError: CodedError {
        struct Code: ErrorCode {
            let name: String
            static let tooLong = Self(name: "too_long")
            static let tooShort = Self(name: "too_short")
        }
        let code: Code
        let detail: String
        let offset: Int
    }

    private struct BareError: CodedError {
        struct Code: ErrorCode { let name: String }
        let code: Code
    }

    @Test func `are equal when their codes are, whatever else they say`() {
        let one = SampleError(code: .tooLong, detail: "9 bytes", offset: 0)
        let other = SampleError(code: .tooLong, detail: "8 bytes", offset: 1)
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != SampleError(code: .tooShort, detail: "9 bytes", offset: 0))
        #expect(Set([one, other]).count == 1)
    }

    @Test func `show the code, and the detail where there is one`() {
        #expect("\(SampleError(code: .tooLong, detail: "9 bytes", offset: 0))" == "too_long: 9 bytes")
        #expect("\(SampleError(code: .tooLong, detail: "", offset: 0))" == "too_long")
        #expect("\(BareError(code: .init(name: "locked")))" == "locked")
        #expect("\(SampleError.Code.tooShort)" == "too_short")
    }
}
