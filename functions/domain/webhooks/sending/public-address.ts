import { BlockList, isIP } from 'node:net';

/** Ranges of IPv4 that are no public hosts (IANA IPv4 Special-Purpose Address Registry), and multicast and what is reserved. */
const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/**
 * Of IPv6 only global unicast is public, so neither loopback, unique local and link-local addresses nor those that wrap an IPv4 address (mapped,
 * compatible, NAT64); of that not what IANA keeps for protocols, among it Teredo, nor documentation and 6to4.
 */
const globalUnicast = ['2000::/3'];
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const [ipv4, unicast, ipv6] = [listOf(specialIpv4, 'ipv4'), listOf(globalUnicast, 'ipv6'), listOf(specialIpv6, 'ipv6')];
const loopback = listOf(['127.0.0.0/8'], 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a host at an address (in the form of a socket or of DNS) may be one of the internet, and no other's neighbour. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !ipv4.check(address, 'ipv4');
  // A zone names an interface of this machine.
  return version === 6 && !address.includes('%') && unicast.check(address, 'ipv6') && !ipv6.check(address, 'ipv6');
}

/** Also in the form `::ffff:127.0.0.1`. */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
