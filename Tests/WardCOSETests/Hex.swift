import WardTesting

func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Bytes written in code; a typing error shows at once.
func hex(_ text: String) -> [UInt8] {
    TestVectors.bytes(hex: text)!
}
