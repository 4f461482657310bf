// Decides which network addresses are private to this machine or its network. Pure.
import { BlockList, isIP } from "node:net";

/** The IPv4 blocks that are not public, with their prefix lengths, and one public address that serves cloud metadata. */
const PRIVATE_4: readonly (readonly [block: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Within what is allocated for public use: Teredo, benchmarks and ORCHIDs; the last two are for documentation. */
const PRIVATE_6: readonly (readonly [block: string, bits: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
];

/** IPv4, also mapped into IPv6; the IPv6 block that is allocated for public use, and the well-known NAT64 prefix. */
const PUBLIC = new BlockList();
PUBLIC.addSubnet("0.0.0.0", 0, "ipv4");
PUBLIC.addSubnet("2000::", 3, "ipv6");
PUBLIC.addSubnet("64:ff9b::", 96, "ipv6");

const PRIVATE = new BlockList();
for (const [block, bits] of PRIVATE_6) PRIVATE.addSubnet(block, bits, "ipv6");
for (const [block, bits] of PRIVATE_4) {
  PRIVATE.addSubnet(block, bits, "ipv4");
  PRIVATE.addSubnet(`64:ff9b::${block}`, 96 + bits, "ipv6");
  // 6to4 embeds IPv4 after its prefix.
  const hex = block.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
  PRIVATE.addSubnet(
    `2002:${hex[0] ?? ""}${hex[1] ?? ""}:${hex[2] ?? ""}${hex[3] ?? ""}::`,
    16 + bits,
    "ipv6",
  );
}

/**
 * Whether a tool must not connect to the address: loopback, private, link-local (cloud metadata) or reserved addresses, and
 * text that is not an address. An IPv6 address with an embedded IPv4 address is judged by the embedded address.
 */
export function isPrivateAddress(address: string): boolean {
  const [plain = ""] = address.split("%");
  const family = isIP(plain);
  if (family === 0) return true;
  const name = family === 4 ? "ipv4" : "ipv6";
  return !PUBLIC.check(plain, name) || PRIVATE.check(plain, name);
}
