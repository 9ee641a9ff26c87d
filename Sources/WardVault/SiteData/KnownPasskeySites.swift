/// Well-known sites that support passkeys, as of November 2026.
///
/// The list counts until `ward update-data` has downloaded the whole one. Each site says in its own help that an account can have a
/// passkey.
enum KnownPasskeySites {
    /// The domains.
    ///
    /// A domain stands for the hosts below it too.
    static let domains: Set<String> = [
        "1password.com", "adobe.com", "amazon.ca", "amazon.co.jp", "amazon.co.uk", "amazon.com", "amazon.com.au",
        "amazon.de",
        "amazon.es", "amazon.fr", "amazon.in", "amazon.it", "apple.com", "atlassian.com", "bestbuy.com", "binance.com",
        "bitbucket.org", "bitwarden.com", "canva.com", "cloudflare.com", "codeberg.org", "coinbase.com", "cvs.com",
        "discord.com",
        "docusign.com", "ebay.com", "ebay.de", "ebay.co.uk", "facebook.com", "fastmail.com", "gandi.net", "gemini.com",
        "github.com", "gitlab.com", "godaddy.com", "google.com", "grab.com", "hyatt.com", "intuit.com", "kayak.com",
        "kraken.com",
        "linkedin.com", "live.com", "mercari.com", "microsoft.com", "nintendo.com", "nvidia.com", "paypal.com",
        "playstation.com",
        "porkbun.com", "revolut.com", "robinhood.com", "roblox.com", "shopify.com", "stripe.com", "synology.com",
        "target.com",
        "tiktok.com", "twitter.com", "uber.com", "vercel.com", "walmart.com", "whatsapp.com", "x.com", "yahoo.co.jp",
        "yahoo.com",
        "zoho.com",
    ]
}
