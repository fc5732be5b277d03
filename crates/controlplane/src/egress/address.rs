//! Which addresses are publicly reachable, by the registries of special-purpose addresses
//! (<https://www.iana.org/assignments/iana-ipv4-special-registry/>, `iana-ipv6-special-registry`, RFC 6890).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks that are not part of the Internet: network and prefix length.
const PRIVATE_V4: [([u8; 4], u32); 16] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    // Includes the metadata service of clouds, 169.254.169.254.
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    // A public address, but the one where Azure serves metadata to its virtual machines.
    ([168, 63, 129, 16], 32),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

/// Parts of the global unicast block 2000::/3 that are not hosts of the Internet.
const PRIVATE_V6: [(u128, u32); 3] = [
    // IETF protocol assignments, including Teredo (2001::/32).
    (0x2001_0000 << 96, 23),
    // Documentation.
    (0x2001_0db8 << 96, 32),
    (0x3fff_0000 << 96, 20),
];

/// Whether an address is reached over the Internet and is the same everywhere.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !PRIVATE_V4.iter().any(|(network, length)| {
        let network = u128::from(u32::from(Ipv4Addr::from(*network)));
        within(u128::from(u32::from(address)), network, 32, *length)
    })
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(embedded) = embedded(address) {
        return is_public_v4(embedded);
    }
    let bits = u128::from(address);
    within(bits, 0x2000 << 112, 128, 3)
        && !PRIVATE_V6
            .iter()
            .any(|(network, length)| within(bits, *network, 128, *length))
}

/// Whether two addresses of `width` bits share their first `length` bits.
fn within(address: u128, network: u128, width: u32, length: u32) -> bool {
    let rest = width.saturating_sub(length);
    address.checked_shr(rest) == network.checked_shr(rest)
}

/// Returns the IPv4 address embedded in an IPv6 address: mapped (RFC 4291 section 2.5.5.2), translated (NAT64, RFC 6052
/// section 2.1) or tunnelled (6to4, RFC 3056 section 2).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let pair = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => pair(high, low),
        _ => None,
    }
}

/// Parses a host as the URL Standard does (<https://url.spec.whatwg.org/#concept-ipv4-parser>): one to four numbers,
/// each decimal, octal or hexadecimal, the last one filling the remaining bytes. Returns `None` for a name, and an
/// error for a host that ends like an address but isn't one.
pub(super) fn ipv4(host: &str) -> Option<Result<Ipv4Addr, ()>> {
    let last = host.rsplit('.').next().unwrap_or_default();
    let ends_in_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit())
        || is_hexadecimal(last) && number(last).is_some();
    ends_in_number.then(|| numbers(host).ok_or(()))
}

fn numbers(host: &str) -> Option<Ipv4Addr> {
    let mut parts = host.split('.').map(number).collect::<Option<Vec<_>>>()?;
    let last = parts.pop()?;
    if parts.len() > 3 || parts.iter().any(|part| *part > 255) {
        return None;
    }
    let mut address = 0_u64;
    for part in &parts {
        address = address.checked_shl(8)? | part;
    }
    let bits = 32_u32.checked_sub(u32::try_from(parts.len()).ok()?.checked_mul(8)?)?;
    if last.checked_shr(bits)? != 0 {
        return None;
    }
    let address = address.checked_shl(bits)? | last;
    u32::try_from(address).ok().map(Ipv4Addr::from)
}

fn is_hexadecimal(text: &str) -> bool {
    text.starts_with("0x") || text.starts_with("0X")
}

fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (text.get(2..)?, 16),
        Some(start) if start.starts_with('0') => (text, 8),
        _ => (text, 10),
    };
    if radix == 16 && digits.is_empty() {
        return Some(0);
    }
    let plain = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    plain
        .then(|| u64::from_str_radix(digits, radix).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(text: &str) -> bool {
        is_public(text.parse().unwrap())
    }

    #[test]
    fn internet_addresses_are_public() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:0808:0808::1",
        ] {
            assert!(public(text), "{text}");
        }
    }

    #[test]
    fn local_private_and_cloud_addresses_are_not_public() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.0",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.0.0",
            "169.254.169.254",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.0",
            "192.168.255.255",
            "198.18.0.0",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "168.63.129.16",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.0",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "::ffff:a9fe:a9fe",
            "::ffff:0:127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:4136:e378::1",
            "2001:db8::1",
            "2002:7f00:0001::",
            "2002:a9fe:a9fe::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!public(text), "{text}");
        }
    }

    #[test]
    fn every_spelling_of_an_ipv4_address_is_read() {
        for (host, address) in [
            ("127.0.0.1", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("017700000001", "127.0.0.1"),
            ("0x7f000001", "127.0.0.1"),
            ("0X7F.1", "127.0.0.1"),
            ("127.1", "127.0.0.1"),
            ("0177.0.0.01", "127.0.0.1"),
            ("127.0.1", "127.0.0.1"),
            ("127.65535", "127.0.255.255"),
            ("0xa9fea9fe", "169.254.169.254"),
            ("169.254.0xa9fe", "169.254.169.254"),
            ("0", "0.0.0.0"),
            ("0x", "0.0.0.0"),
            ("1.0x", "1.0.0.0"),
            ("4294967295", "255.255.255.255"),
            ("8.8.8.8", "8.8.8.8"),
        ] {
            assert_eq!(ipv4(host), Some(Ok(address.parse().unwrap())), "{host}");
        }
    }

    #[test]
    fn malformed_numeric_hosts_are_errors() {
        for host in [
            "256.0.0.1",
            "1.2.3.256",
            "1.2.3.4.5",
            "4294967296",
            "127.0.65536",
            "1.16777216",
            "08",
            "1.2.3.09",
            "a.1",
            "1..1",
            "0xg.1",
            "a.0x1",
            "99999999999999999999999",
        ] {
            assert_eq!(ipv4(host), Some(Err(())), "{host}");
        }
    }

    #[test]
    fn host_names_are_not_addresses() {
        for host in ["example.com", "1.example", "0xg", "a.0xg", "1e1", "x1"] {
            assert_eq!(ipv4(host), None, "{host}");
        }
    }
}
