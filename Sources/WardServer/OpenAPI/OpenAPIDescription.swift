import Foundation
import Hummingbird

/// The OpenAPI 3.1 description of the API, from the file beside this one.
package struct OpenAPIDescription: Sendable {
    /// The text as it is served.
    package let json: [UInt8]

    /// Reads the file from the module's resources.
    ///
    /// - Parameter name: `openapi`, `openapi-admin` for the admin API, or `openapi-admin-page` for the calls of the admin page.
    /// - Throws: ``ServerStartError`` if the file was not installed with the program.
    package init(_ name: String = "openapi") throws {
        guard let file = Bundle.module.url(forResource: name, withExtension: "json"),
            let data = try? Data(contentsOf: file)
        else { throw ServerStartError("the file \(name).json is missing from the program's resources") }
        json = Array(data)
    }

    func add(to router: WardRouter, at path: RouterPath = "/api/v1/openapi.json") {
        router.get(path) { _, _ in Response.json(json) }
    }
}
