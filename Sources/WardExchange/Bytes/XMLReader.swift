internal import CExpat

/// What an XML document tells to the code that reads it.
protocol XMLHandler: AnyObject {
    /// An element begins; it is the last of the path.
    func begin(_ path: [String], _ attributes: [String: String]) throws(ImportError)
    /// An element ends, with the text since its last child.
    func end(_ path: [String], _ text: [UInt8]) throws(ImportError)
}

/// Reads XML with expat, one element at a time, without keeping a tree.
///
/// A document type is refused, so there are no entities besides the five of XML, and nothing outside of the document is read.
enum XMLReader {
    /// The size of a step, in bytes.
    private static let step = 1 << 18

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - bytes: The document, in UTF-8.
    ///   - maximumDepth: The maximum number of elements inside of each other.
    ///   - handler: What is told about each element.
    /// - Throws: ``ImportError`` with `malformed` or `tooLarge`, or what the handler throws.
    static func read(_ bytes: ArraySlice<UInt8>, maximumDepth: Int, to handler: any XMLHandler) throws(ImportError) {
        guard let parser = unsafe XML_ParserCreate("UTF-8") else {
            throw ImportError(.tooLarge, "there is no memory to read XML")
        }
        defer { unsafe XML_ParserFree(parser) }
        let state = unsafe State(handler, parser, maximumDepth)
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(state).toOpaque())
        unsafe XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
            unsafe State.of(data).fail(ImportError(.malformed, "the XML has a document type, which is not allowed"))
        }
        unsafe XML_SetElementHandler(
            parser,
            { data, name, attributes in unsafe State.of(data).begin(name, attributes) },
            { data, _ in unsafe State.of(data).end() }
        )
        unsafe XML_SetCharacterDataHandler(parser) { data, text, count in
            unsafe State.of(data).add(UnsafeBufferPointer(start: text, count: Int(count)))
        }

        try withExtendedLifetime(state) { () throws(ImportError) in
            var offset = bytes.startIndex
            repeat {
                let end = min(bytes.endIndex, offset + step)
                let status = unsafe bytes[offset..<end].withUnsafeBytes { part in
                    unsafe XML_Parse(
                        parser,
                        part.baseAddress?.assumingMemoryBound(to: CChar.self),
                        Int32(part.count),
                        end == bytes.endIndex ? 1 : 0
                    )
                }
                if let error = state.error { throw error }
                guard status == XML_STATUS_OK else {
                    let line = unsafe XML_GetCurrentLineNumber(parser)
                    throw ImportError(.malformed, "the XML is malformed in line \(line)")
                }
                offset = end
            } while offset < bytes.endIndex
        }
    }

    /// What the callbacks of one document share.
    ///
    /// Its parser is used only while it lives.
    @safe private final class State {
        private(set) var error: ImportError?
        private let handler: any XMLHandler
        private let parser: XML_Parser
        private let maximumDepth: Int
        private var path: [String] = []
        private var text: [UInt8] = []

        init(_ handler: any XMLHandler, _ parser: XML_Parser, _ maximumDepth: Int) {
            self.handler = handler
            unsafe self.parser = parser
            self.maximumDepth = maximumDepth
        }

        static func of(_ data: UnsafeMutableRawPointer?) -> State {
            // Set above, for as long as the parser lives.
            guard let data = unsafe data else { preconditionFailure("the parser has no state") }
            return unsafe Unmanaged<State>.fromOpaque(data).takeUnretainedValue()
        }

        func fail(_ error: ImportError) {
            if self.error == nil { self.error = error }
            _ = unsafe XML_StopParser(parser, 0)
        }

        func begin(_ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
            guard error == nil, let name = unsafe name else { return }
            guard path.count < maximumDepth else {
                return fail(
                    ImportError(.tooLarge, "the XML has more than \(maximumDepth) elements inside of each other")
                )
            }
            path.append(unsafe String(cString: name))
            text.removeAll(keepingCapacity: true)
            var attributes: [String: String] = [:]
            var index = 0
            while let list = unsafe list, let key = unsafe list[index], let value = unsafe list[index + 1] {
                attributes[unsafe String(cString: key)] = unsafe String(cString: value)
                index += 2
            }
            do { try handler.begin(path, attributes) } catch { fail(error) }
        }

        func end() {
            guard error == nil else { return }
            do { try handler.end(path, text) } catch { fail(error) }
            text.removeAll(keepingCapacity: true)
            path.removeLast()
        }

        func add(_ characters: UnsafeBufferPointer<CChar>) {
            guard error == nil else { return }
            unsafe text.append(contentsOf: characters.lazy.map { UInt8(bitPattern: $0) })
        }
    }
}
