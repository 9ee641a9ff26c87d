/// A picture that the head of every page names, for browsers, home screens and credential managers.
struct PageIconLink: Sendable {
    let rel: String
    /// The path below the assets.
    let path: String
    let mediaType: String
    /// The size, such as `192x192`; `any` for a drawing, `nil` for a picture whose size is not known.
    let sizes: String?

    private init(_ path: String, _ mediaType: String, edge: Int? = nil, isForTouch: Bool = false) {
        self.path = path
        self.mediaType = mediaType
        rel = isForTouch ? "apple-touch-icon" : "icon"
        sizes = edge.map { "\($0)x\($0)" } ?? (mediaType == "image/svg+xml" ? "any" : nil)
    }

    /// The pictures of a brand.
    ///
    /// Pages of a service with a logo or icon of its own never name Ward's.
    static func links(of brand: PageBrand) -> [Self] {
        let logo = brand.logo.map { ("icons/\($0.name)", $0.mediaType, PageIcon.edge(of: $0)) }
        var own: [Self] = []
        if let (path, type, edge) = logo { own.append(Self(path, type, edge: edge)) }
        let icon = brand.icon.map { ("icons/\(PageIcon.name)", $0.edge) }
        if let (path, edge) = icon { own.append(Self(path, "image/png", edge: edge)) }
        let touch = icon ?? logo.flatMap { path, _, edge in edge.map { (path, $0) } }
        if let (path, edge) = touch { own.append(Self(path, "image/png", edge: edge, isForTouch: true)) }
        guard own.isEmpty else { return own }
        return [
            Self("icons/ward.svg", "image/svg+xml"), Self("icons/ward-192.png", "image/png", edge: 192),
            Self("icons/ward-512.png", "image/png", edge: 512),
            Self("icons/ward-180.png", "image/png", edge: 180, isForTouch: true),
        ]
    }

    /// The values of the template.
    var values: [String: String] {
        var values = ["rel": rel, "path": path, "type": mediaType]
        values["sizes"] = sizes
        return values
    }
}
