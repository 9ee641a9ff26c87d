import HTTPTypes
import Hummingbird

/// The methods of each path: for status 405, and for the test that compares the routes with the OpenAPI description.
package struct RouteTable: Sendable {
    /// A path template and its methods.
    package struct Entry: Sendable {
        /// The template, such as `/api/v1/account/passkeys/{id}`.
        package let template: String
        /// The methods, sorted.
        package let methods: [String]
        fileprivate let components: [Substring]
    }

    /// All templates, in the order they were added.
    package let entries: [Entry]

    /// Reads a router's routes.
    ///
    /// Paths with `GET` also have `HEAD`.
    package init(_ router: WardRouter) {
        var methods: [String: Set<String>] = [:]
        var order: [String] = []
        for route in router.routes {
            let template = route.path.description
            if methods[template] == nil { order.append(template) }
            methods[template, default: []].insert(route.method.rawValue)
            if route.method == .get { methods[template, default: []].insert("HEAD") }
        }
        entries = order.map { template in
            Entry(
                template: template,
                methods: (methods[template] ?? []).sorted(),
                components: template.split(separator: "/")
            )
        }
    }

    /// The template, if a route has it.
    ///
    /// For requests without a route, the framework uses a name of its own.
    func route(_ template: String?) -> String? { entries.first { $0.template == template }?.template }

    /// The methods of a path, or `nil` if the path is unknown.
    func methods(for path: String) -> [String]? {
        let components = path.split(separator: "/")
        return entries.first { $0.matches(components) }?.methods
    }
}

extension RouteTable.Entry {
    fileprivate func matches(_ path: [Substring]) -> Bool {
        for (index, component) in components.enumerated() {
            if component == "**" { return path.count > index }
            guard index < path.count else { return false }
            if component != "*", !component.hasPrefix("{"), component != path[index] { return false }
        }
        return path.count == components.count
    }
}
