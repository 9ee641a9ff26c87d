import Foundation
import Testing
import WardTesting
import WardWebAuthn

@Suite struct `Identifiers and challenges` {
    @Test func `a credential id has 1 to 1,023 bytes`() {
        #expect(CredentialID([]) == nil)
        #expect(CredentialID([7])?.bytes == [7])
        #expect(CredentialID([UInt8](repeating: 1, count: 1_023)) != nil)
        #expect(CredentialID([UInt8](repeating: 1, count: 1_024)) == nil)
        #expect(CredentialID(base64URL: "Bw")?.bytes == [7])
        #expect(CredentialID(base64URL: "Bw==") == nil && CredentialID(base64URL: "") == nil)
        #expect(CredentialID([251, 255])?.description == "-_8")
    }

    @Test func `bug class 34: a user handle has 1 to 64 bytes, and an empty one does not count`() {
        #expect(UserHandle([]) == nil)
        #expect(UserHandle([1])?.base64URL == "AQ")
        #expect(UserHandle([UInt8](repeating: 1, count: 64)) != nil)
        #expect(UserHandle([UInt8](repeating: 1, count: 65)) == nil)
        #expect(UserHandle.random(TestEffects().effects).bytes.count == 64)
        #expect(UserHandle.random() != UserHandle.random())
    }

    @Test func `a challenge has at least 16 bytes and is made of 32`() {
        #expect(Challenge([UInt8](repeating: 1, count: 15)) == nil)
        #expect(Challenge([UInt8](repeating: 1, count: 16)) != nil)
        #expect(Challenge([UInt8](repeating: 1, count: 1_024)) != nil)
        #expect(Challenge([UInt8](repeating: 1, count: 1_025)) == nil)
        #expect(Challenge.random().bytes.count == 32)
        #expect(Challenge.random() != Challenge.random())
    }

    @Test func `live effects give the time and as many bytes as asked for`() {
        let effects = Effects.live
        #expect(abs(effects.now() - Int64(Date().timeIntervalSince1970)) <= 2)
        #expect(effects.randomBytes(0).isEmpty && effects.randomBytes(-1).isEmpty)
        #expect(effects.randomBytes(32).count == 32)
        #expect(Set(effects.randomBytes(4_096)).count > 200)
    }

    @Test(arguments: Array(1...17) + [255, 256, 257, 512, 513]) func `live effects draw each byte`(count: Int) {
        let draws = (0..<64).map { _ in Effects.live.randomBytes(count) }
        #expect(draws.allSatisfy { $0.count == count })
        #expect((0..<count).allSatisfy { position in Set(draws.map { $0[position] }).count > 8 })
    }
}

@Suite struct `AAGUIDs` {
    @Test func `the text form is lower case with four hyphens, and either case is read`() {
        let text = "cd8c395c-26ed-eede-653b-00797d03ca3c"
        let aaguid = AAGUID(text)
        #expect(aaguid?.bytes == hex("cd8c395c26edeede653b00797d03ca3c"))
        #expect(aaguid?.description == text)
        #expect(AAGUID(text.uppercased()) == aaguid)
        #expect(AAGUID.zero.description == "00000000-0000-0000-0000-000000000000")
        #expect(AAGUID([UInt8](repeating: 0, count: 16)) == .zero)
    }

    static let refused: [String] = [
        "", "cd8c395c26edeede653b00797d03ca3c", "cd8c395c-26ed-eede-653b-00797d03ca3",
        "cd8c395c-26ed-eede-653b-00797d03ca3c0",
        "{cd8c395c-26ed-eede-653b-00797d03ca3c}", "cd8c395c-26ed-eede-653b-00797d03ca3g",
        "cd8c395-c26ed-eede-653b-00797d03ca3c",
        "cd8c395c-26ed-eede-653b--0797d03ca3c", "+d8c395c-26ed-eede-653b-00797d03ca3c",
        "cd8c395c_26ed_eede_653b_00797d03ca3c",
        "ＣＤc3-26ed-eede-653b-00797d03ca3c", "cd8c395c-26ed-eede-653b-00797d03ca3c ",
    ]

    @Test(arguments: refused)
    func `every other text is refused`(text: String) {
        #expect(AAGUID(text) == nil)
    }

    @Test func `only sixteen bytes are one`() {
        #expect(AAGUID([UInt8](repeating: 0, count: 15)) == nil)
        #expect(AAGUID([UInt8](repeating: 0, count: 17)) == nil)
    }
}
