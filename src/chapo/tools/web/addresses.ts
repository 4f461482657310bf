// Decides which network addresses are private to this machine or its network. Pure.

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

/**
 * Whether a tool must not connect to the address: loopback, private, link-local (cloud metadata) or reserved addresses, and
 * text that is not an address. An IPv6 address with an embedded IPv4 address is judged by the embedded address.
 */
export function isPrivateAddress(address: string): boolean {
  const four = readFour(address);
  if (four !== undefined) return isPrivateFour(four);
  const six = readSix(address);
  return six === undefined || isPrivateSix(six);
}

function isPrivateFour(address: number): boolean {
  return PRIVATE_4.some(([block, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor((readFour(block) ?? 0) / size);
  });
}

/** `groups`: the eight groups of the address. */
function isPrivateSix(groups: readonly number[]): boolean {
  const [a = 0, b = 0, c = 0] = groups;
  const last = (groups[6] ?? 0) * 65_536 + (groups[7] ?? 0);
  const zeros = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  // Mapped ::ffff:a.b.c.d, and the well-known NAT64 prefix.
  if (zeros(0, 5) && groups[5] === 0xffff) return isPrivateFour(last);
  if (a === 0x64 && b === 0xff9b && zeros(2, 6)) return isPrivateFour(last);
  // Only 2000::/3 is allocated for public use.
  if (a < 0x2000 || a > 0x3fff) return true;
  // 6to4 embeds IPv4 after its prefix; Teredo, benchmarks and ORCHIDs share 2001::/23; the last two are for documentation.
  if (a === 0x2002) return isPrivateFour(b * 65_536 + c);
  return (a === 0x2001 && b < 0x200) || (a === 0x2001 && b === 0xdb8) || (a === 0x3fff && b < 0x1000);
}

/** Reads a dotted quad as a number; `undefined` for any other text. */
function readFour(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** Reads the eight groups of an IPv6 address; `undefined` for any other text. */
function readSix(text: string): number[] | undefined {
  const [plain = ""] = text.split("%");
  const carried = /^(.*:)([\d.]+)$/.exec(plain);
  const four = carried === null ? undefined : readFour(carried[2] ?? "");
  const written =
    carried === null || four === undefined
      ? plain
      : `${carried[1] ?? ""}${Math.floor(four / 65_536).toString(16)}:${(four % 65_536).toString(16)}`;
  const [head = "", tail, ...more] = written.split("::");
  const [first, second] = [readGroups(head), tail === undefined ? [] : readGroups(tail)];
  if (more.length > 0 || first === undefined || second === undefined) return undefined;
  const missing = 8 - first.length - second.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...first, ...Array.from({ length: missing }, () => 0), ...second];
}

function readGroups(text: string): number[] | undefined {
  if (text === "") return [];
  const groups = text.split(":");
  return groups.every((group) => /^[\da-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined;
}
