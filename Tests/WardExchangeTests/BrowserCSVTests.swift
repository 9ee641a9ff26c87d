import Testing
import WardVault

@testable import WardExchange

@Suite struct `CSV files of browsers and Apple Passwords` {
    @Test func `Apple Passwords`() throws {
        let (format, file) = try CSVSample.read(
            #"""
            Title,URL,Username,Password,Notes,OTPAuth
            example.com (ada),https://example.com/,ada,"p,w""",note,otpauth://totp/Example:ada?secret=JBSWY3DPEHPK3PXP&issuer=Example
            Wiki,,,only,,
            """#
        )
        #expect(format == "apple" && file.items.count == 2 && file.notices.isEmpty)
        let first = try #require(file.items.first)
        #expect(first.title == "example.com" && first.username == "ada" && first.password?.value == "p,w\"")
        #expect(first.sites.map(\.text) == ["https://example.com/"] && first.notes == "note")
        #expect(first.codes.first?.issuer == "Example" && first.codes.first?.secret.revealed.count == 10)
        #expect(file.items[1].title == "Wiki" && file.items[1].password?.value == "only")
    }

    @Test func `Chrome, with the address of an app`() throws {
        let (format, file) = try CSVSample.read(
            #"""
            name,url,username,password,note
            example.com,https://example.com/login,ada,pw,remember
            App,android://aGFzaA==@com.example.app/,ada,pw2,

            """#
        )
        #expect(format == "chrome" && file.items.count == 2)
        #expect(file.items[0].notes == "remember" && file.items[0].title == "example.com")
        #expect(file.items[1].sites.map(\.target) == [.androidApp("com.example.app")])
        let old = try CSVSample.read("name,url,username,password\nA,https://a.example,x,y\n")
        #expect(old.format == "chrome" && old.file.items.first?.notes.isEmpty == true)
    }

    @Test func `A Chrome file that stops in the middle is refused`() throws {
        let header = "name,url,username,password,note\n"
        let whole = header + "A,https://a.example,x,secret,\nB,https://b.example,x,\"se,cret\",\n"
        #expect(try CSVSample.read(whole).file.items.count == 2)
        let chrome = try #require(ImportFormat.named("chrome"))
        for count in whole.utf8.count - 50..<whole.utf8.count {
            let cut = String(decoding: whole.utf8.prefix(count), as: UTF8.self)
            guard let file = try? chrome.contents(of: CSVSample.source(cut)) else { continue }
            #expect(cut.hasSuffix("secret,\n") && file.items.count == 1, "\(cut)")
        }
    }

    @Test func `Firefox, with times and without its internal values`() throws {
        let (format, file) = try CSVSample.read(
            #"""
            "url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged"
            "https://example.com","ada","pw",,"https://example.com","{1}","1500000000000","1600000000000","1700000000000"
            "https://router.lan","admin","pw2","Router",,"{2}","1500000000000","1600000000000","1500000000000"
            "chrome://FirefoxAccounts","x","key",,,"{3}","1500000000000","1600000000000","1500000000000"
            """#
        )
        #expect(format == "firefox" && file.items.count == 2)
        #expect(file.items[0].createdAt == 1_500_000_000 && file.items[0].password?.changedAt == 1_700_000_000)
        #expect(file.items[0].fields.isEmpty && file.items[0].title == "example.com")
        let realm = try #require(file.items[1].fields.first)
        #expect(realm.label == "HTTP realm" && realm.value.text == "Router")
        #expect(file.notices.map(\.place) == ["row 4", "column guid", "column timeLastUsed"])
    }

    @Test func `A file with unknown columns is read by their names, and nothing is lost`() throws {
        let (format, file) = try CSVSample.read(
            "Login name;Web site;Password;E-mail;Blood type;2FA\nada;example.com;pw;ada@example.com;AB;JBSWY3DPEHPK3PXP\n"
        )
        let item = try #require(file.items.first)
        #expect(format == "csv" && item.username == "ada" && item.password?.value == "pw" && item.codes.count == 1)
        #expect(
            item.fields == [Field(label: "E-mail", text: "ada@example.com"), Field(label: "Blood type", text: "AB")]
        )
    }

    @Test func `A secret of a code that is not understood is kept`() throws {
        let header = "title,url,username,password,notes,otpauth\n"
        let file = try CSVSample.read(header + "A,https://a.example,x,y,,not a secret!\n").file
        let field = try #require(file.items.first?.fields.first)
        #expect(field.value.text == "not a secret!" && field.isConcealed && file.notices.first?.outcome == .kept)
    }

    @Test(arguments: ["a,b\n1,2\n", "username\nada\n", ""])
    func `Other tables are not recognized`(text: String) {
        #expect(throws: ImportError.self) { try ImportFormat.of(CSVSample.source(text)) }
    }

    @Test func `A row with too few or too many columns is named`() {
        for (text, code) in [
            ("name,url,username,password\na,b\nc,d,e,f\n", ImportError.Code.malformed),
            ("name,url,username,password\na,b,c,d,e\n", .malformed), ("name,url,username,password\na,b,c", .truncated),
        ] {
            let error = #expect(throws: ImportError.self) { try CSVSample.read(text) }
            #expect(error?.code == code && error?.detail.contains("row 2") == true)
        }
    }
}
