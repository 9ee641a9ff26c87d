import Crypto
import Testing
import WardCOSE

@Suite struct `Keys in the form of certificates` {
    @Test func `RSA keys are written as OpenSSL writes them, whatever the padding`() throws {
        let material = COSEKey.Material.rsa(n: OpenSSLFixture.modulus, e: [1, 0, 1])
        for algorithm in [COSEAlgorithmIdentifier.rs256, .rs384, .rs512, .ps256, .ps384, .ps512] {
            let key = try COSEKey(algorithm: algorithm, material: material)
            #expect(try key.subjectPublicKeyInfo() == OpenSSLFixture.rsaInfo)
        }
    }

    @Test func `a modulus with a full first byte is written as a positive number`() throws {
        var modulus = [UInt8](repeating: 0xa5, count: 256)
        modulus[255] |= 1
        let info = try COSEKey(algorithm: .rs256, material: .rsa(n: modulus, e: [1, 0, 1])).subjectPublicKeyInfo()
        let beginning = hex("30820122300d06092a864886f70d01010105000382010f003082010a0282010100a5a5")
        #expect(info.count == 294 && info.starts(with: beginning))
        _ = try VerificationKey(.rs256, subjectPublicKeyInfo: info)
    }

    @Test func `points and Ed25519 keys are written as OpenSSL writes them`() throws {
        func point(_ info: [UInt8], _ curve: COSEKey.Curve) -> COSEKey.Material {
            let numbers = info.suffix(2 * curve.coordinateLength)
            return .ec2(
                curve: curve,
                x: Array(numbers.prefix(curve.coordinateLength)),
                y: Array(numbers.suffix(curve.coordinateLength))
            )
        }
        let ed25519 = COSEKey.Material.okp(curve: .ed25519, x: OpenSSLFixture.ed25519Info.suffix(32))
        let fixtures: [(COSEAlgorithmIdentifier, COSEKey.Material, [UInt8])] = [
            (.es256, point(OpenSSLFixture.p256Info, .p256), OpenSSLFixture.p256Info),
            (.esp256, point(OpenSSLFixture.p256Info, .p256), OpenSSLFixture.p256Info),
            (.es384, point(OpenSSLFixture.p384Info, .p384), OpenSSLFixture.p384Info),
            (.es512, point(OpenSSLFixture.p521Info, .p521), OpenSSLFixture.p521Info),
            (.edDSA, ed25519, OpenSSLFixture.ed25519Info), (.ed25519, ed25519, OpenSSLFixture.ed25519Info),
        ]
        for (algorithm, material, info) in fixtures {
            #expect(try COSEKey(algorithm: algorithm, material: material).subjectPublicKeyInfo() == info)
        }
    }

    /// Python's cryptography wrote these beginnings.
    @Test func `ML-DSA keys name their parameter set`() throws {
        let beginnings: [(COSEAlgorithmIdentifier, [UInt8])] = [
            (.mlDSA65, hex("308207b2300b0609608648016503040312038207a100")),
            (.mlDSA87, hex("30820a32300b060960864801650304031303820a2100")),
        ]
        for (algorithm, beginning) in beginnings {
            let key = try COSEPrivateKey.generate(algorithm).publicKey
            guard case .akp(let publicKey) = key.material else { throw COSEError(.malformed) }
            #expect(try key.subjectPublicKeyInfo() == beginning + publicKey)
        }
    }

    @Test(arguments: [COSEAlgorithmIdentifier.es256, .es384, .es512, .edDSA])
    func `a key made here comes back from its certificate form`(algorithm: COSEAlgorithmIdentifier) throws {
        let made = try COSEPrivateKey.generate(algorithm)
        let key = try VerificationKey(algorithm, subjectPublicKeyInfo: made.publicKey.subjectPublicKeyInfo())
        #expect(try key.isValid(signature: made.sign([1, 2]), for: [1, 2]))
    }

    @Test func `numbers that are not a key have no such form`() throws {
        let ones = [UInt8](repeating: 1, count: 32)
        let noPoint = try COSEKey(algorithm: .es256, material: .ec2(curve: .p256, x: ones, y: ones))
        #expect(throws: COSEError(.pointNotOnCurve)) { try noPoint.subjectPublicKeyInfo() }
    }
}
