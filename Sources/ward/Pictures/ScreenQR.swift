import Foundation
import WardAgent

/// Reads the QR codes on the screen.
enum ScreenQR {
    /// The texts of the QR codes in a picture of the screen, which is removed again.
    ///
    /// - Returns: At least one text.
    /// - Throws: ``Failure`` that says what to do.
    static func texts() throws -> [String] {
        let start = Date()
        Terminal.note("The desktop takes a picture of the screen. Choose the part with the QR code.")
        let path: String
        do throws(ScreenPicture.Problem) {
            path = try ScreenPicture.take()
        } catch {
            let instead = "Save a screenshot, and name it: ward scan picture.png"
            switch error {
            case .unavailable:
                throw Failure(.unavailable, "No program of this desktop takes pictures of the screen. \(instead)")
            case .cancelled: throw Failure(.denied, "No picture was taken. \(instead)")
            case .failed: throw Failure(.failed, "The desktop gave no picture of the screen. \(instead)")
            }
        }
        defer { remove(path, since: start) }
        return try QRReader.texts(at: path)
    }

    /// Removes the picture, which can show more than the QR code, but no file that was there before.
    private static func remove(_ path: String, since start: Date) {
        let values = try? FileManager.default.attributesOfItem(atPath: path)
        guard values?[.type] as? FileAttributeType == .typeRegular,
            let made = values?[.modificationDate] as? Date, made > start.addingTimeInterval(-2),
            (try? FileManager.default.removeItem(atPath: path)) != nil
        else { return Terminal.note("The picture is still there: \(Table.clean(path))") }
    }
}
