import Testing
import WardCBOR
import WardCTAP
import WardWebAuthn

@Suite struct `Extensions` {
    @Test func `typed values come back as they were set`() throws {
        var extensions = CTAPExtensions()
        #expect(extensions.bytes == nil && extensions.isEmpty)
        extensions.set(credProtect: .userVerificationOptionalWithCredentialIDList)
        extensions.set(prfInput: PRFExtensionInput(eval: Sample.salts, evalByCredential: [Sample.id: Sample.salts]))
        extensions.set(largeBlobInput: .init(read: true))
        #expect(try extensions.credProtect() == .userVerificationOptionalWithCredentialIDList)
        #expect(try extensions.prfInput()?.eval == Sample.salts)
        #expect(try extensions.prfInput()?.evalByCredential == [Sample.id: Sample.salts])
        #expect(try extensions.largeBlobInput() == LargeBlobInputs(read: true))
        #expect(extensions.identifiers == [.credProtect, .prf, .largeBlob])
        extensions[.prf] = nil
        #expect(try extensions.prfInput() == nil)
        #expect(try extensions.flag(.hmacSecret) == nil)
    }

    @Test func `outputs come back as they were set`() throws {
        var outputs = CTAPExtensions()
        let results = PRFInputs.Values(first: Sample.hash, second: Sample.salts.first)
        outputs.set(prfOutput: PRFOutputs(enabled: true, results: results))
        outputs.set(largeBlobOutput: LargeBlobOutputs(supported: true, blob: [1], written: false))
        outputs.set(isDiscoverable: true)
        #expect(try outputs.prfOutput() == PRFOutputs(enabled: true, results: results))
        #expect(try outputs.largeBlobOutput() == LargeBlobOutputs(supported: true, blob: [1], written: false))
        #expect(try outputs.isDiscoverable() == true)
        #expect(try CTAPExtensions().prfOutput() == nil)
        #expect(try CTAPExtensions().isDiscoverable() == nil)
    }

    @Test func `order means nothing`() {
        let one: CTAPExtensions = [.prf: 1, .credProtect: 2]
        let other: CTAPExtensions = [.credProtect: 2, .prf: 1]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        let on: AuthenticatorOptions = [.residentKey: true, .alwaysUv: false]
        let swapped: AuthenticatorOptions = [.alwaysUv: false, .residentKey: true]
        #expect(on == swapped && on.hashValue == swapped.hashValue)
        #expect(on[.clientPIN] == nil)
    }

    @Test func `salts have 32 bytes each`() {
        #expect(PRFSalts(first: [1]) == nil)
        #expect(PRFSalts(first: Sample.hash, second: [1]) == nil)
        #expect(PRFSalts(joined: [UInt8](repeating: 0, count: 48)) == nil)
        #expect(PRFSalts(joined: Sample.salts.joined) == Sample.salts)
        #expect(PRFSalts(joined: Sample.hash)?.second == nil)
        let inputs = PRFInputs.Values(first: [1], second: [2])
        #expect(PRFSalts(hashing: inputs).joined == inputs.salts.flatMap { $0 })
        #expect(PRFSalts(hashing: .init(first: [1])).second == nil)
    }

    @Test func `inputs by credential go first`() {
        let own = PRFSalts(first: Sample.hash)!
        let input = PRFExtensionInput(eval: Sample.salts, evalByCredential: [Sample.id: own])
        #expect(input.salts(for: Sample.id) == own)
        #expect(input.salts(for: CredentialID([1])!) == Sample.salts)
    }

    @Test(
        arguments: [
            ([.credProtect: 0], .invalidParameter), ([.credProtect: 4], .invalidParameter),
            ([.credProtect: "1"], .cborUnexpectedType), ([.prf: true], .cborUnexpectedType),
            ([.prf: ["eval": 1]], .cborUnexpectedType), ([.prf: ["eval": [:]]], .missingParameter),
            ([.prf: ["eval": ["first": .bytes([1])]]], .invalidLength),
            ([.prf: ["evalByCredential": true]], .cborUnexpectedType),
            ([.prf: ["evalByCredential": ["!": 1]]], .invalidParameter),
            ([.largeBlob: 1], .cborUnexpectedType), ([.largeBlob: ["read": 1]], .cborUnexpectedType),
            ([.hmacSecret: 1], .cborUnexpectedType), ([.hmacSecretMC: [:]], .missingParameter),
            ([.hmacSecretMC: [1: [:]]], .missingParameter),
        ] as [(CTAPExtensions, CTAPStatus)]
    )
    func `an input of the wrong form is refused where it is read`(extensions: CTAPExtensions, status: CTAPStatus) {
        #expect(throws: status) {
            _ = try extensions.credProtect()
            _ = try extensions.prfInput()
            _ = try extensions.largeBlobInput()
            _ = try extensions.flag(.hmacSecret)
            _ = try extensions.hmacSecretInput(.hmacSecretMC)
        }
    }
}
