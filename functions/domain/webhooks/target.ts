import { BlockList, isIP } from 'node:net';
import type { Environment } from '#contract/platform/environment.ts';
import { ServiceError } from '../shared/service-error.ts';

export type Targets = Environment['WEBHOOK_TARGETS'];

/** Host names that are not on the public internet (RFC 6761, RFC 6762, RFC 8375, RFC 9476, ICANN's `internal`). */
const innerNames = ['localhost', 'local', 'internal', 'home.arpa', 'alt', 'invalid', 'test', 'onion'];

export function isAllowedAddress(address: string, targets: Targets): boolean {
  return isPublicAddress(address) || (targets === 'public and loopback' && isLoopbackAddress(address));
}

/**
 * Throws 400 for a forbidden URL; the resolved address is checked on every connection. Parses like the connection, so
 * that every spelling of an address is recognized.
 */
export function checkTarget(text: string, targets: Targets): void {
  const url = unwritten.test(text) ? null : URL.parse(text);
  const rule = url ? brokenRule(url, targets) : 'must be a full URL, such as https://example.com/hook';
  if (rule !== undefined) throw new ServiceError('INVALID_FORMAT', `url ${rule}.`);
}

/** `URL` removes or escapes these characters. */
const unwritten = /[\s\p{Cc}]/u;

function brokenRule(url: URL, targets: Targets): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isHere = targets === 'public and loopback' && (host === 'localhost' || isLoopbackAddress(host));
  const hasScheme = url.protocol === 'https:' || (isHere && url.protocol === 'http:');
  if (!hasScheme) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must have no user name or password';
  if (isHere) return undefined;
  const isPublic = isIP(host) === 0 ? isPublicName(host) : isPublicAddress(host);
  return isPublic ? undefined : 'must point to a public host';
}

function isPublicName(host: string): boolean {
  const isWhole = host.includes('.') && !host.split('.').includes('');
  return isWhole && !innerNames.some((name) => host === name || host.endsWith(`.${name}`));
}

/** Non-public IPv4 ranges (IANA IPv4 Special-Purpose Address Registry), including multicast and reserved ones. */
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
 * Only global unicast is public in IPv6, except IANA protocol assignments (including Teredo), documentation and 6to4.
 */
const globalUnicast = ['2000::/3'];
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const [ipv4, unicast, ipv6] = [listOf(specialIpv4, 'ipv4'), listOf(globalUnicast, 'ipv6'), listOf(specialIpv6, 'ipv6')];
const loopback = listOf(['127.0.0.0/8'], 'ipv4');
loopback.addAddress('::1', 'ipv6');

export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !ipv4.check(address, 'ipv4');
  // A zone refers to an interface of this machine.
  return version === 6 && !address.includes('%') && unicast.check(address, 'ipv6') && !ipv6.check(address, 'ipv6');
}

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
