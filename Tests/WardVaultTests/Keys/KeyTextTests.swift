import Testing
import WardVault

@Suite struct `Keys on paper` {
    @Test func `a key survives being written down and typed`() async throws {
        let fixture = try VaultFixture()
        let (vault, recoveryKey) = try await fixture.createWithKey()
        let secretKey = try await vault.secretKey()
        try await vault.close()
        #expect(recoveryKey.text.count == 36 + 8)
        #expect(recoveryKey.text.split(separator: "-").allSatisfy { $0.count == 4 })
        #expect(secretKey.text.count == 30 + 5)
        for typed in Self.typings(recoveryKey.text) {
            #expect(try RecoveryKey(text: typed).text == recoveryKey.text)
        }
        for typed in Self.typings(secretKey.text) { #expect(try SecretKey(text: typed).text == secretKey.text) }
    }

    /// The same text as people type it.
    private static func typings(_ text: String) -> [String] {
        let loose = text.replacing("0", with: "O").replacing("1", with: "l")
        return [
            text, text.lowercased(), text.replacing("-", with: ""), text.replacing("-", with: " "),
            "  " + text.replacing("-", with: " – ") + "\n", loose, text.replacing("1", with: "I"),
        ]
    }

    @Test func `every mistyped letter and every swapped pair is noticed`() async throws {
        let fixture = try VaultFixture()
        let (vault, key) = try await fixture.createWithKey()
        try await vault.close()
        let letters = Array(key.text.filter { $0 != "-" })
        var accepted = 0
        for index in letters.indices {
            for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where other != letters[index] {
                var typed = letters
                typed[index] = other
                if (try? RecoveryKey(text: String(typed))) != nil { accepted += 1 }
            }
            guard index > 0, letters[index] != letters[index - 1] else { continue }
            var typed = letters
            typed.swapAt(index, index - 1)
            if (try? RecoveryKey(text: String(typed))) != nil { accepted += 1 }
        }
        // Twenty bits of checksum: one in a million passes, so one of these thousand may, once in a thousand runs.
        #expect(accepted <= 1)
    }

    @Test func `what is wrong is named`() async throws {
        let fixture = try VaultFixture()
        let (vault, key) = try await fixture.createWithKey()
        let secretKey = try await vault.secretKey()
        try await vault.close()
        func code(_ text: String) -> KeyTextError.Code? {
            do {
                _ = try RecoveryKey(text: text)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code("") == .length)
        #expect(code(String(key.text.dropLast())) == .length)
        #expect(code(key.text + "0") == .length)
        #expect(code(key.text.dropLast() + "U") == .character)
        #expect(code(key.text.dropLast() + "é") == .character)
        #expect(code(secretKey.text) == .length)
        #expect(code(String(repeating: "0", count: 36)) == .checksum)
        #expect(code(String(repeating: "0", count: 1_000_000)) == .length)
        #expect("\(key) \(secretKey)" == "RecoveryKey SecretKey")
    }
}
