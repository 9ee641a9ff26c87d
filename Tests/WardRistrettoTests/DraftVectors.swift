import WardText

@testable import WardRistretto

/// The numbers of draft-irtf-cfrg-cpace-21, appendix B.3: CPace over ristretto255 with SHA-512.
enum DraftVectors {
    static let code = Array("Password".utf8)
    static let channel = bytes("0b415f696e69746961746f720b425f726573706f6e646572")
    static let session = bytes("7e4b4791d6a8ef019b936c79fb7f2c57")
    static let inputs = CPace.Inputs(code: code, channel: channel, session: session)

    static let generatorString =
        bytes("11435061636552697374726574746f3235350850617373776f726464")
        + [UInt8](repeating: 0, count: 100)
        + bytes("180b415f696e69746961746f720b425f726573706f6e646572107e4b4791d6a8ef019b936c79fb7f2c57")
    static let generator = bytes("222b6b195fe84b1652badb6f6a3ae3d24341e7306967f0b8115b40d5698c7e56")

    static let ya = bytes("da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08")
    static let ada = Array("ADa".utf8)
    static let shareA = bytes("d6bac480f2c386c394efc7c47adb9925dcd2630b64f240c50f8d0eec482b9157")
    static let yb = bytes("d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d")
    static let adb = Array("ADb".utf8)
    static let shareB = bytes("3ea7e0b19560d7c0b0f5734f63b955286dfa8232b5ebe63324e2d9e7433f7258")
    static let product = bytes("80b69a8a76457ab6a4d7f887a4bf6b55a2f80ac19c333f917a05fc9887c8b40f")
    static let intermediate = bytes(
        "b69effbf61b51d56401c0f65601abe428de8206feaaf0e32198896dcae7b35cd"
            + "2b38950a39dfd5d4a79164614c2984f7daa460b588c1e80c3fa2068af7900447"
    )

    static let scalar = bytes("7cd0e075fa7955ba52c02759a6c90dbbfc10e6d40aea8d283e407d88cf538a05")
    static let element = bytes("2c3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c")
    static let multiple = bytes("7c13645fe790a468f62c39beb7388e541d8405d1ade69d1778c5fe3e7f6b600e")
    static let noElement = bytes("2b3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c")

    static func bytes(_ text: String) -> [UInt8] { Hex.decode(text) ?? [] }

    static func secret(_ bytes: [UInt8]) throws -> SecretBytes {
        var bytes = bytes
        return try SecretBytes(wiping: &bytes)
    }

    static func party(_ role: CPace.Role) throws -> CPace {
        try CPace(
            role,
            inputs,
            associatedData: role == .initiator ? ada : adb,
            scalar: secret(role == .initiator ? ya : yb)
        )
    }
}
