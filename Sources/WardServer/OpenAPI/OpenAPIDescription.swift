import Foundation
import Hummingbird

/// The OpenAPI 3.1 description of the API, from the file beside this one.
package struct OpenAPIDescription: Sendable {
    /// The text as it is served.
    package let json: [UInt8]

    /// Reads the file from the module's resources.
    ///
    /// - Throws: ``ServerStartError`` if the file was not installed with the program.
    package init() throws {
        guard let file = Bundle.module.url(forResource: "openapi", withExtension: "json"),
            let data = try? Data(contentsOf: file)
        else { throw ServerStartError("the file openapi.json is missing from the program's resources") }
        json = Array(data)
    }

    func add(to router: WardRouter) {
        router.get("/api/v1/openapi.json") { _, _ in Response.json(json) }
    }
}
