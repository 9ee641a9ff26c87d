internal import CLibXML

/// What the head of a site's page says about the site's name and icons.
package struct SitePage: Encodable, Hashable, Sendable {
    /// A picture that the page names.
    package struct Icon: Encodable, Hashable, Sendable {
        /// The address, relative to the page.
        package var href: String
        /// The value of the attribute `sizes`, such as `32x32`.
        package var sizes: String
        /// The media type, or an empty text.
        package var type: String
        /// Whether it is meant for the home screen of a phone: it is large and has no transparent parts.
        package var isForTouch: Bool
    }

    /// `og:site_name`, see [The Open Graph protocol](https://ogp.me).
    package var siteName: String?
    /// `application-name`, see [HTML](https://html.spec.whatwg.org/multipage/semantics.html#meta-application-name).
    package var applicationName: String?
    /// The title.
    package var title: String?
    /// The address of the [web application manifest](https://www.w3.org/TR/appmanifest/), relative to the page.
    package var manifest: String?
    /// The address to which the others are relative, if it is not the address of the page.
    package var base: String?
    /// The icons, in the order of the page.
    package var icons: [Icon] = []

    /// The maximum size of a page, in bytes; what follows is not read: 1 MiB.
    package static let maximumSize = 1 << 20
    /// The maximum length of a text, in bytes.
    private static let maximumText = 2048
    /// The maximum number of icons.
    private static let maximumIcons = 32
    /// The maximum number of parts of a page.
    private static let maximumNodes = 200_000

    /// Reads a page.
    ///
    /// Errors in the page are not errors here: a browser shows such pages too.
    ///
    /// - Parameter bytes: The page, or its beginning.
    package init(_ bytes: [UInt8]) {
        let bytes = Array(bytes.prefix(Self.maximumSize))
        // Pages that are UTF-8 do not always say so. For other pages the library looks for what they say.
        let isUTF8 = (0...3).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
        let options =
            HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
            | HTML_PARSE_NONET.rawValue | HTML_PARSE_COMPACT.rawValue
        let document = unsafe bytes.withUnsafeBytes { buffer in
            unsafe htmlReadMemory(
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(clamping: buffer.count),
                nil,
                isUTF8 ? "UTF-8" : nil,
                Int32(bitPattern: options)
            )
        }
        guard let document = unsafe document else { return }
        defer { unsafe xmlFreeDoc(document) }
        unsafe read(document)
    }

    /// Visits all elements in their order, without recursion.
    @unsafe private mutating func read(_ document: xmlDocPtr) {
        var node = unsafe xmlDocGetRootElement(document)
        var count = 0
        while let current = unsafe node, count < Self.maximumNodes {
            count += 1
            if unsafe current.pointee.type == XML_ELEMENT_NODE { unsafe read(element: current) }
            if let child = unsafe current.pointee.children, unsafe current.pointee.type == XML_ELEMENT_NODE {
                unsafe node = unsafe child
                continue
            }
            var next: xmlNodePtr? = unsafe current
            while let here = unsafe next, unsafe here.pointee.next == nil {
                unsafe next = unsafe here.pointee.parent
                if let above = unsafe next, unsafe above.pointee.type != XML_ELEMENT_NODE { unsafe next = nil }
            }
            unsafe node = unsafe next?.pointee.next
        }
    }

    @unsafe private mutating func read(element: xmlNodePtr) {
        switch unsafe Self.text(element.pointee.name) {
        case "meta":
            guard let content = unsafe Self.attribute("content", of: element) else { return }
            let name = unsafe (Self.attribute("property", of: element) ?? Self.attribute("name", of: element))?
                .lowercased()
            if name == "og:site_name" { siteName = siteName ?? content }
            if name == "application-name" { applicationName = applicationName ?? content }
        case "title":
            // A picture in the page can have a title of its own.
            let isOfPage = unsafe element.pointee.parent.map { unsafe Self.text($0.pointee.name) != "svg" } ?? true
            guard title == nil, isOfPage else { return }
            title = unsafe Self.take(xmlNodeGetContent(element))
        case "base":
            let href = unsafe Self.attribute("href", of: element)
            base = base ?? href
        case "link":
            guard let href = unsafe Self.attribute("href", of: element) else { return }
            let words = (unsafe Self.attribute("rel", of: element) ?? "").lowercased().split(separator: " ")
            if words.contains("manifest") { manifest = manifest ?? href }
            let isForTouch = words.contains { $0.hasPrefix("apple-touch-icon") }
            guard isForTouch || words.contains("icon"), icons.count < Self.maximumIcons else { return }
            let sizes = unsafe Self.attribute("sizes", of: element) ?? ""
            let type = unsafe Self.attribute("type", of: element) ?? ""
            icons.append(Icon(href: href, sizes: sizes, type: type, isForTouch: isForTouch))
        default: break
        }
    }

    @unsafe private static func attribute(_ name: String, of element: xmlNodePtr) -> String? {
        unsafe take(xmlGetProp(element, name))
    }

    /// Takes a text of the library, without space around it.
    @unsafe private static func take(_ text: UnsafeMutablePointer<xmlChar>?) -> String? {
        guard let text = unsafe text else { return nil }
        defer { unsafe ward_xml_free(text) }
        let clean = unsafe Self.text(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return clean.isEmpty ? nil : clean
    }

    /// At most ``maximumText`` bytes of a text of the library.
    @unsafe private static func text(_ text: UnsafePointer<xmlChar>?) -> String {
        guard let text = unsafe text else { return "" }
        let count = unsafe min(Int(xmlStrlen(text)), maximumText)
        return unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }
}
