import Foundation
import Testing
import WardTesting
import WardText
import WardVault

/// The published vectors of RFC 4226, appendix D, and RFC 6238, appendix B.
private struct CodeVectors: Decodable {
    struct Counting: Decodable {
        struct Case: Decodable {
            let counter: UInt64
            let code6: String
        }
        let secret: String
        let vectors: [Case]
    }
    struct Clock: Decodable {
        struct Case: Decodable {
            let time: Int64
            let algorithm: String
            let code8: String
        }
        let secrets: [String: String]
        let vectors: [Case]
    }
    struct Link: Decodable {
        let uri, secretHex, issuer, account, algorithm: String
        let digits, period: Int
    }
    struct Text: Decodable {
        let bytes, text: String
    }
    let hotp: Counting
    let totp: Clock
    let otpauthExamples: [Link]
    let base32: [Text]

    static func load() throws -> CodeVectors {
        let url = try #require(TestVectors.url("otp/hotp-totp.json"))
        return try JSONDecoder().decode(CodeVectors.self, from: Data(contentsOf: url))
    }
}

@Suite struct `Verification codes` {
    @Test(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
    func `counting codes are those of RFC 4226`() throws {
        let vectors = try CodeVectors.load().hotp
        for vector in vectors.vectors {
            let code = try OneTimePassword(.hotp(counter: vector.counter), secret: bytes(hex: vectors.secret))
            #expect(code.code(at: 0).text == vector.code6)
            #expect(code.code(at: 0).secondsLeft == nil)
        }
        #expect(vectors.vectors.count == 10)
    }

    @Test(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
    func `codes by the clock are those of RFC 6238`() throws {
        let vectors = try CodeVectors.load().totp
        let algorithms: [String: OneTimePassword.Algorithm] = ["sha1": .sha1, "sha256": .sha256, "sha512": .sha512]
        for vector in vectors.vectors {
            let code = try OneTimePassword(
                secret: bytes(hex: #require(vectors.secrets[vector.algorithm])),
                algorithm: #require(algorithms[vector.algorithm]),
                digits: 8
            )
            #expect(code.code(at: vector.time).text == vector.code8)
        }
        #expect(vectors.vectors.count == 18)
    }

    @Test(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
    func `base32 is that of RFC 4648`() throws {
        for vector in try CodeVectors.load().base32 {
            #expect(Base32.decode(vector.text) == bytes(hex: vector.bytes))
            #expect(Base32.encode(bytes(hex: vector.bytes)) == vector.text.filter { $0 != "=" })
        }
    }

    @Test(.enabled(if: TestVectors.areAvailable, "needs the vectors' folder"))
    func `the published links mean what their authors say`() throws {
        for example in try CodeVectors.load().otpauthExamples {
            let code = try OneTimePassword(example.uri)
            #expect(code.secret.revealed == bytes(hex: example.secretHex))
            #expect(code.issuer == example.issuer)
            #expect(code.account == example.account)
            #expect(code.algorithm.name == example.algorithm)
            #expect(code.digits == example.digits)
            #expect(code.kind == .totp(period: example.period))
        }
    }

    @Test func `time left counts down to one and starts again`() throws {
        let code = try OneTimePassword(.totp(period: 45), secret: [1, 2, 3])
        #expect(code.code(at: 0).secondsLeft == 45)
        #expect(code.code(at: 44).secondsLeft == 1)
        #expect(code.code(at: 45).secondsLeft == 45)
        #expect(code.code(at: 44).text == code.code(at: 0).text)
        #expect(code.code(at: 45).text != code.code(at: 0).text)
    }

    @Test func `times before 1970 and far ahead are not a trap`() throws {
        let code = try OneTimePassword(.totp(period: 1), secret: [1])
        #expect(code.code(at: .min).text == code.code(at: 0).text)
        #expect(code.code(at: .max).text.count == 6)
        #expect(try OneTimePassword(.hotp(counter: .max), secret: [1], digits: 8).code(at: 0).text.count == 8)
    }

    @Test func `Steam's codes have its five characters`() throws {
        // Computed with an independent implementation (Python hmac over the same alphabet).
        let code = try OneTimePassword("steam://JBSWY3DPEHPK3PXP")
        #expect(code.code(at: 1_700_000_000).text == "2KM2P")
        #expect(code.code(at: 1_700_000_000).secondsLeft == 10)
        #expect(code.digits == 5)
    }

    @Test(arguments: [
        (0, 6, 30, OneTimePasswordError.Code.secret), (2000, 6, 30, .secret), (10, 5, 30, .digits),
        (10, 9, 30, .digits), (10, 6, 0, .period), (10, 6, -1, .period),
    ])
    func `parts that no code has are refused`(
        length: Int,
        digits: Int,
        period: Int,
        expected: OneTimePasswordError.Code
    ) {
        #expect(throws: OneTimePasswordError(expected, "")) {
            try OneTimePassword(
                .totp(period: period),
                secret: [UInt8](repeating: 7, count: length),
                digits: digits
            )
        }
    }

    @Test func `a secret never prints`() throws {
        let code = try OneTimePassword(secret: Array("very secret".utf8))
        var dumped = ""
        dump(code, to: &dumped)
        #expect(!"\(code) \(code.secret) \(dumped)".contains("118"))
        #expect(!dumped.contains("very"))
    }
}
