import Foundation
import WardExchange
import WardFolders
import WardVault

/// A profile of a browser on this machine that has saved passwords.
struct BrowserProfile {
    let browser: KnownBrowser
    /// The folder of the profile.
    let path: String

    /// The name of the folder, which `--profile` takes.
    var name: String { URL(fileURLWithPath: path).lastPathComponent }

    private static func fileName(_ browser: KnownBrowser) -> String {
        browser.isGecko ? FirefoxProfile.fileName : ChromiumProfile.fileName
    }

    /// Finds the profile to import.
    ///
    /// - Parameters:
    ///   - browser: The browser.
    ///   - named: The name or the path of the profile, if the person gave one.
    /// - Returns: The profile.
    /// - Throws: ``Failure`` with `missing` if there is none, and `ambiguous` with the names if there are several.
    static func find(_ browser: KnownBrowser, named: String?) throws(Failure) -> BrowserProfile {
        let file = fileName(browser)
        func hasFile(_ folder: String) -> Bool { FileManager.default.fileExists(atPath: folder + "/" + file) }
        if let named, named.contains("/") {
            let path = URL(fileURLWithPath: named).standardizedFileURL.path
            guard hasFile(path) else {
                throw Failure(.missing, "\(named) has no file \(file) with passwords of \(browser.title)")
            }
            return BrowserProfile(browser: browser, path: path)
        }
        let bases = browser.profileFolders(BaseFolders(environment: ProcessInfo.processInfo.environment))
        let all = bases.flatMap { base in
            ((try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []).sorted().map { base + "/" + $0 }
        }
        let found = all.filter(hasFile).map { BrowserProfile(browser: browser, path: $0) }
        guard !found.isEmpty else {
            throw Failure(.missing, "\(browser.title) has no saved passwords in \(bases.joined(separator: ", "))")
        }
        let candidates = named.map { name in found.filter { $0.name == name } } ?? found
        guard let profile = candidates.first else {
            let (name, names) = (named ?? "", Self.choices(found))
            throw Failure(.missing, "\(browser.title) has no profile \(name) with saved passwords. It has: \(names)")
        }
        guard candidates.count == 1 else {
            throw Failure(
                .ambiguous,
                "\(browser.title) has several profiles with saved passwords. Choose with --profile: \(Self.choices(candidates))"
            )
        }
        return profile
    }

    /// What `--profile` takes for each profile: its name, or its path if two have the same name.
    private static func choices(_ profiles: [BrowserProfile]) -> String {
        let names = Dictionary(grouping: profiles, by: \.name)
        return profiles.map { Table.clean(names[$0.name]?.count == 1 ? $0.name : $0.path) }.joined(separator: ", ")
    }

    /// Reads the passwords.
    ///
    /// - Parameters:
    ///   - passphrase: The primary password of Firefox, if the person was asked for it.
    ///   - now: The time of the import, in seconds since 1970.
    /// - Returns: An item for each password, and notices about the rest.
    /// - Throws: ``ImportError``.
    func contents(passphrase: SecretText?, now: Int64) throws(ImportError) -> ImportedFile {
        let content = try bytes()
        guard browser.isGecko else {
            return try ChromiumProfile.contents(of: content, now: now) { () throws(ImportError) in
                try keyringSecrets()
            }
        }
        return try FirefoxProfile.contents(
            in: path,
            logins: content,
            libraries: browser.nssLibraries,
            source: ImportSource(name: name, bytes: [], passphrase: passphrase, now: now)
        )
    }

    /// The file with the passwords, at a moment when the browser is not writing.
    private func bytes() throws(ImportError) -> [UInt8] {
        let file = path + "/" + Self.fileName(browser)
        for _ in 0..<20 {
            // The journal has the beginning of a change while it is written.
            let journals = [file + "-journal", file + "-wal"].map {
                (try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int) ?? 0
            }
            if browser.isGecko || journals.allSatisfy({ $0 == 0 }) {
                guard let handle = FileHandle(forReadingAtPath: file),
                    let content = try? handle.readAll(atMost: ImportSource.maximumSize)
                else {
                    let text = "the file cannot be read, or has more than \(ImportSource.maximumSize >> 20) MiB"
                    throw ImportError(.tooLarge, text)
                }
                return content
            }
            usleep(100_000)
        }
        throw ImportError(.unsupported, "\(browser.title) is writing its passwords. Close it and try again")
    }

    /// The secrets that the browser keeps in the keyring of the desktop.
    private func keyringSecrets() throws(ImportError) -> [SecretText] {
        guard let program = ProgramPath.find("secret-tool") else {
            throw ImportError(
                .unsupported,
                "the passwords are encrypted with a key from the keyring, and secret-tool, which asks the keyring, is not "
                    + "installed: sudo apt install libsecret-tools"
            )
        }
        return browser.keyringNames.compactMap { name in
            // The keyring may ask the person to unlock it.
            let words = ["lookup", "xdg:schema", "chrome_libsecret_os_crypt_password_v2", "application", name]
            guard let child = try? Child(program, words) else { return nil }
            _ = child.write([])
            guard let secret = child.read(limit: 4096, seconds: 300) else {
                child.kill()
                return nil
            }
            guard child.succeeds(seconds: 5), !secret.isEmpty else { return nil }
            return SecretText(String(decoding: secret, as: UTF8.self))
        }
    }
}
