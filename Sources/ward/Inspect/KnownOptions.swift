import ArgumentParser
import Foundation
import WardInspection

/// What somebody knows besides the message itself.
struct KnownOptions: ParsableArguments {
    @Option(help: "The RP ID the service uses; without it nothing is verified.")
    var rpId: String?
    @Option(help: "An origin that may answer; repeatable.")
    var origin: [String] = []
    @Option(help: "An origin that may frame the page; repeatable.")
    var topOrigin: [String] = []
    @Option(help: "The challenge that was sent, in base64url.")
    var challenge: String?
    @Option(help: "The credential's public key in COSE form, in base64url or hexadecimal.")
    var publicKey: String?
    @Option(help: "The signature counter of the record.")
    var signCount: UInt32 = 0
    @Option(help: "The backup eligibility of the record: true or false.")
    var backupEligible: Bool?
    @Flag(help: "The person must have been verified.")
    var requireUserVerification = false
    @Flag(help: "The registration was an automatic upgrade: nobody needs to have been there.")
    var conditional = false
    @Option(help: "The FIDO AppID that was sent.")
    var appId: String?
    @Option(help: ArgumentHelp("A certificate that is trusted, PEM or DER; repeatable.", valueName: "file"))
    var trustAnchor: [String] = []
    @Option(help: ArgumentHelp("A BLOB of the FIDO Metadata Service.", valueName: "file"))
    var metadata: String?
    @Option(help: ArgumentHelp("When it is verified: 2026-01-31T12:00:00Z, or seconds since 1970.", valueName: "time"))
    var at: String?
    @Flag(help: "One JSON request a line with these names as fields and \"response\", one answer a line.")
    var lines = false

    /// The same as a request.
    func request() throws -> InspectionRequest {
        var request = InspectionRequest()
        request.rpID = rpId
        request.origins = origin
        request.topOrigins = topOrigin
        request.challenge = try challenge.map { try Material(Array($0.utf8)).bytes }
        request.publicKey = try publicKey.map { try Material(Array($0.utf8)).bytes }
        request.signCount = signCount
        request.backupEligible = backupEligible
        request.requiresUserVerification = requireUserVerification
        request.isConditional = conditional
        request.appID = appId
        request.trustAnchors = try trustAnchor.map { try Material(try Files.read($0)).bytes }
        request.metadata = try metadata.map { try Files.read($0) }
        if let at {
            guard let seconds = Timestamp.seconds(at) else {
                throw ValidationError("--at takes a time like 2026-01-31T12:00:00Z, or seconds since 1970.")
            }
            request.at = seconds
        }
        return request
    }
}

/// How it is shown.
struct OutputOptions: ParsableArguments {
    @Flag(help: "The verdict as JSON, for machines.")
    var json = false
    @Flag(help: "With --json: every step and everything decoded too.")
    var full = false
}

enum Files {
    /// A file's bytes, with a sentence where there is none.
    static func read(_ path: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw ValidationError("\(path) cannot be read.")
        }
    }
}
