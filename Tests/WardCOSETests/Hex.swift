import WardTesting

/// Bytes written in code; a typing error shows at once.
func hex(_ text: String) -> [UInt8] {
    TestVectors.bytes(hex: text)!
}
