import Testing
@testable import WardAgent

@Suite(.agents, .serialized, .enabled(if: TPMFixture.isThere, "swtpm and tpm2-tools are not installed"))
struct `Secrets that the TPM keeps` {
    private let secret = [UInt8](1...32)
    private let pin = TPM.Rule.pin([UInt8](repeating: 7, count: 32))
    private let otherPIN = TPM.Rule.pin([UInt8](repeating: 8, count: 32))

    private func run(_ tpm: TPM, more: UInt64 = 60_000) throws -> TPM.Rule {
        let now = try tpm.clock()
        return .run(resets: now.resets, until: now.milliseconds + more)
    }

    @Test func `open with the PIN, and with no other`() throws {
        let fixture = try TPMFixture()
        let tpm = try TPM(fixture.name)
        let sealed = try tpm.seal(secret, pin)
        #expect(try tpm.unseal(sealed, pin) == secret)
        #expect(throws: TPMError.wrongPIN) { try tpm.unseal(sealed, otherPIN) }
        let rule = try run(tpm)
        #expect(throws: TPMError.otherState) { try tpm.unseal(sealed, rule) }
    }

    @Test func `stay shut when the TPM locks itself, for the right PIN too`() throws {
        let fixture = try TPMFixture()
        let sealed = try TPM(fixture.name).seal(secret, pin)
        var heard: [TPMError] = []
        for _ in 0..<40 where heard.last != .lockedOut {
            // A conversation of its own each time, as an agent that is killed and started anew.
            do { _ = try TPM(fixture.name).unseal(sealed, otherPIN) } catch { heard.append(error) }
        }
        #expect(heard.last == .lockedOut && heard.dropLast().allSatisfy { $0 == .wrongPIN })
        #expect(throws: TPMError.lockedOut) { try TPM(fixture.name).unseal(sealed, pin) }
        try fixture.reset()
        #expect(throws: TPMError.lockedOut, "a reboot forgives nothing") {
            try TPM(fixture.name).unseal(sealed, pin)
        }
    }

    @Test func `of this run are gone with the next one, and those of a PIN are not`() throws {
        let fixture = try TPMFixture()
        let (rule, ofRun, ofPIN) = try { () throws in
            let tpm = try TPM(fixture.name)
            let rule = try run(tpm)
            let sealed = (try tpm.seal(secret, rule), try tpm.seal(secret, pin))
            #expect(try tpm.unseal(sealed.0, rule) == secret)
            return (rule, sealed.0, sealed.1)
        }()
        try fixture.reset()
        let next = try TPM(fixture.name)
        #expect(throws: TPMError.otherState) { try next.unseal(ofRun, rule) }
        #expect(try next.unseal(ofPIN, pin) == secret)
        let lie = try run(next)
        #expect(throws: TPMError.otherState, "a file that was changed") { try next.unseal(ofRun, lie) }
    }

    @Test func `of this run are gone when their time is over`() throws {
        let fixture = try TPMFixture()
        let tpm = try TPM(fixture.name)
        let now = try tpm.clock()
        let over = TPM.Rule.run(resets: now.resets, until: now.milliseconds)
        let sealed = try tpm.seal(secret, over)
        #expect(throws: TPMError.otherState) { try tpm.unseal(sealed, over) }
        let longer = TPM.Rule.run(resets: now.resets, until: now.milliseconds + 60_000)
        #expect(throws: TPMError.otherState, "a file that was changed") { try tpm.unseal(sealed, longer) }
    }

    @Test func `stay shut when the machine starts in another way`() throws {
        let fixture = try TPMFixture()
        let sealed = try TPM(fixture.name).seal(secret, pin)
        try fixture.measureSomethingElse()
        #expect(throws: TPMError.otherState) { try TPM(fixture.name).unseal(sealed, pin) }
    }

    @Test func `stay shut in another TPM, and when a byte was changed`() throws {
        let (here, there) = (try TPMFixture(), try TPMFixture())
        let tpm = try TPM(here.name)
        let sealed = try tpm.seal(secret, pin)
        #expect(throws: TPMError.foreign) { try TPM(there.name).unseal(sealed, pin) }
        for index in stride(from: 0, to: sealed.count, by: 17) {
            var spoiled = sealed
            spoiled[index] ^= 0x40
            #expect(throws: TPMError.self, "byte \(index)") { try tpm.unseal(spoiled, pin) }
        }
        #expect(throws: TPMError.self) { try tpm.unseal([], pin) }
        #expect(throws: TPMError.self) { try tpm.unseal(Array(sealed.prefix(100)), pin) }
    }

    @Test(arguments: ["device:/dev/no-such-tpm", "swtpm:path=/nowhere", "/tmp/evil.so", "cmd:/bin/sh", ""])
    func `a TPM that is not there is an error, and a name cannot load something else`(name: String) {
        #expect(throws: TPMError.unreachable) { try TPM(name) }
    }
}
