package import AuthenticationServices

/// A text field of a toolkit.
@MainActor
package final class Field: AutoFillTextField {
    package var text = ""
    package var textContentType: TextContentType?
    package var domain: String?

    package init(_ type: TextContentType?) { textContentType = type }
}
