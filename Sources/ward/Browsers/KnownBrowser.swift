import ArgumentParser
import Foundation
import WardFolders

/// A browser that Ward's extension works in.
enum KnownBrowser: String, CaseIterable, ExpressibleByArgument {
    case chromium, chrome, brave, edge, vivaldi, firefox, librewolf

    /// The name for people.
    var title: String {
        switch self {
        case .chromium: "Chromium"
        case .chrome: "Google Chrome"
        case .brave: "Brave"
        case .edge: "Microsoft Edge"
        case .vivaldi: "Vivaldi"
        case .firefox: "Firefox"
        case .librewolf: "LibreWolf"
        }
    }

    /// Whether the browser takes Firefox's extensions.
    var isGecko: Bool { self == .firefox || self == .librewolf }

    /// The folder of this person's host manifests.
    func userFolder(_ folders: BaseFolders) -> String {
        switch self {
        case .firefox: folders.home + "/.mozilla/native-messaging-hosts"
        case .librewolf: folders.home + "/.librewolf/native-messaging-hosts"
        default: "\(folders.config)/\(profile)/NativeMessagingHosts"
        }
    }

    /// The folder of the host manifests for all users; `nil` if the browser documents none.
    var systemFolder: String? {
        switch self {
        case .chromium: "/etc/chromium/native-messaging-hosts"
        case .chrome: "/etc/opt/chrome/native-messaging-hosts"
        case .edge: "/etc/opt/edge/native-messaging-hosts"
        case .firefox: "/usr/lib/mozilla/native-messaging-hosts"
        case .librewolf: "/usr/lib/librewolf/native-messaging-hosts"
        case .brave, .vivaldi: nil
        }
    }

    /// Whether the browser is installed as a program of the system, or was used by this person.
    func isThere(_ folders: BaseFolders) -> Bool {
        let used =
            isGecko
            ? "\(folders.home)/.\(self == .firefox ? "mozilla/firefox" : "librewolf")" : "\(folders.config)/\(profile)"
        return programs.contains { ProgramPath.find($0) != nil } || FileManager.default.fileExists(atPath: used)
    }

    /// A package of the browser that cannot start programs of the system: where it was found, and what to do.
    func sandboxed(_ folders: BaseFolders) -> Sandboxed? {
        let flatpaks = ["/var/lib/flatpak/app", folders.data + "/flatpak/app"]
        if let place = flatpaks.map({ "\($0)/\(flatpak)" }).first(where: FileManager.default.fileExists) {
            return Sandboxed(
                browser: self,
                kind: "Flatpak",
                place: place,
                removal: "flatpak uninstall \(flatpak)"
            )
        }
        if let place = ["/snap", "/var/lib/snapd/snap"].map({ "\($0)/\(snap)" }).first(
            where: FileManager.default.fileExists
        ) {
            return Sandboxed(browser: self, kind: "Snap", place: place, removal: "sudo snap remove \(snap)")
        }
        return nil
    }

    /// The folders that can have profiles of the browser: of the program of the system, of its Flatpak and of its Snap.
    func profileFolders(_ folders: BaseFolders) -> [String] {
        let sandboxes = [folders.home + "/.var/app/\(flatpak)", folders.home + "/snap/\(snap)/common"]
        switch self {
        case .firefox:
            return [folders.home + "/.mozilla/firefox", folders.config + "/mozilla/firefox"]
                + sandboxes.flatMap { [$0 + "/.mozilla/firefox", $0 + "/config/mozilla/firefox"] }
        case .librewolf:
            return [folders.home + "/.librewolf", folders.config + "/librewolf/librewolf"]
                + sandboxes.map { $0 + "/.librewolf" }
        default:
            return [folders.config + "/" + profile] + [
                sandboxes[0] + "/config/" + profile, sandboxes[1] + "/" + profile,
            ]
        }
    }

    /// Where NSS can be: the browser's own fits its profiles best.
    var nssLibraries: [String] {
        ["firefox-esr", "firefox", "librewolf"].map { "/usr/lib/\($0)/libnss3.so" }
            .filter { FileManager.default.fileExists(atPath: $0) } + ["libnss3.so"]
    }

    /// The names under which the browser keeps its secret in the keyring.
    ///
    /// Edge and Vivaldi use names of the browsers that they are made from.
    var keyringNames: [String] {
        switch self {
        case .edge: ["msedge", "chromium", "chrome"]
        case .vivaldi: ["vivaldi", "chrome", "chromium"]
        default: [rawValue]
        }
    }

    private var profile: String {
        switch self {
        case .chromium: "chromium"
        case .chrome: "google-chrome"
        case .brave: "BraveSoftware/Brave-Browser"
        case .edge: "microsoft-edge"
        case .vivaldi: "vivaldi"
        case .firefox, .librewolf: ""
        }
    }

    private var programs: [String] {
        switch self {
        case .chromium: ["chromium", "chromium-browser"]
        case .chrome: ["google-chrome", "google-chrome-stable"]
        case .brave: ["brave", "brave-browser"]
        case .edge: ["microsoft-edge", "microsoft-edge-stable"]
        case .vivaldi: ["vivaldi", "vivaldi-stable"]
        case .firefox: ["firefox", "firefox-esr"]
        case .librewolf: ["librewolf"]
        }
    }

    private var flatpak: String {
        switch self {
        case .chromium: "org.chromium.Chromium"
        case .chrome: "com.google.Chrome"
        case .brave: "com.brave.Browser"
        case .edge: "com.microsoft.Edge"
        case .vivaldi: "com.vivaldi.Vivaldi"
        case .firefox: "org.mozilla.firefox"
        case .librewolf: "io.gitlab.librewolf-community"
        }
    }

    private var snap: String { self == .edge ? "microsoft-edge" : rawValue }

    /// How to install the browser as a program of the system.
    fileprivate var installation: String {
        switch self {
        case .chromium: "sudo apt install chromium"
        case .firefox: "sudo apt install firefox-esr"
        case .chrome: "the .deb file from https://www.google.com/chrome"
        case .brave: "the package from https://brave.com/linux"
        case .edge: "the .deb file from https://www.microsoft.com/edge"
        case .vivaldi: "the .deb file from https://vivaldi.com/download"
        case .librewolf: "the package from https://librewolf.net/installation"
        }
    }
}

/// A browser in a sandbox, which cannot start `ward-browser`.
struct Sandboxed {
    let browser: KnownBrowser
    /// `Flatpak` or `Snap`.
    let kind: String
    /// The folder where it was found.
    let place: String
    /// The command that removes it.
    let removal: String

    /// What is wrong, and what to do.
    var advice: String {
        "\(browser.title) at \(place) is a \(kind): its sandbox cannot start ward-browser. Use \(browser.title) as a program of "
            + "the system instead: \(browser.installation), then ward browser install --browser \(browser.rawValue). To remove "
            + "the \(kind): \(removal)"
    }
}
