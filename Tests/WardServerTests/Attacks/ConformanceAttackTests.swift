import Testing
import WardServer
import WardTesting

/// The FIDO conformance API adds a passkey to any account.
@Suite struct `The conformance API` {
    @Test(arguments: ["example.com", "login.example.com"])
    func `is refused at a real domain, unless nothing outlives the service`(rpID: String) throws {
        var configuration = ServerConfiguration(rpID: rpID, servesFIDOConformance: true)
        let error = #expect(throws: ServerConfigurationError.self) { try configuration.validate() }
        #expect(error?.description.contains("conformance") == true && error?.description.contains(rpID) == true)
        #expect(throws: ServerConfigurationError.self) {
            try WardServer(configuration: configuration, store: MemoryAccountStore(), logger: .silent)
        }
        configuration.storeIsInMemory = true
        try configuration.validate()
        configuration.servesFIDOConformance = false
        configuration.storeIsInMemory = false
        try configuration.validate()
    }

    @Test func `is served at localhost`() throws {
        try ServerConfiguration(servesFIDOConformance: true).validate()
    }
}
