import { isIP } from 'node:net';
import type { Environment } from '#contract/platform/environment.ts';
import { ServiceError } from '../../shared/service-error.ts';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

export type Targets = Environment['WEBHOOK_TARGETS'];

/** Names of hosts that are nobody's on the internet (RFC 6761, RFC 6762, RFC 8375, RFC 9476, ICANN's `internal`). */
const innerNames = ['localhost', 'local', 'internal', 'home.arpa', 'alt', 'invalid', 'test', 'onion'];

/** Whether a connection may be made to an address. */
export function isAllowedAddress(address: string, targets: Targets): boolean {
  return isPublicAddress(address) || (targets === 'public and loopback' && isLoopbackAddress(address));
}

/**
 * Refuses (400) a URL that deliveries cannot go to, as far as the URL shows it; which address its host has is checked with every connection.
 * URLs are parsed as they are when they are called, so an address is recognised in every spelling.
 */
export function checkTarget(text: string, targets: Targets): void {
  const url = unwritten.test(text) ? null : URL.parse(text);
  const rule = url ? brokenRule(url, targets) : 'must be a full URL, such as https://example.com/hook';
  if (rule !== undefined) throw new ServiceError('INVALID_FORMAT', `url ${rule}.`);
}

/** `URL` takes it out or escapes it. */
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
