import { isIP } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Environment } from '#contract/platform/environment.ts';

/** Returns an IPv4 address or the /64 of an IPv6 address; undefined without network limits. */
export function networkOf(
  event: APIGatewayProxyEvent,
  { NETWORK_LIMITS, TRUSTED_PROXIES }: Pick<Environment, 'NETWORK_LIMITS' | 'TRUSTED_PROXIES'>,
): string | undefined {
  return NETWORK_LIMITS === 'off' ? undefined : networkOfAddress(addressOf(event, TRUSTED_PROXIES));
}

/** Returns the client address without a port; undefined if a trusted proxy wrote an invalid entry. */
export function callerAddressOf(
  event: APIGatewayProxyEvent,
  { TRUSTED_PROXIES }: Pick<Environment, 'TRUSTED_PROXIES'>,
): string | undefined {
  const address = addressOf(event, TRUSTED_PROXIES);
  return isIP(address) === 0 ? undefined : address;
}

/** Uses the X-Forwarded-For entry of the first trusted proxy. API Gateway may append its client. */
function addressOf(event: APIGatewayProxyEvent, trustedProxies: number): string {
  const { sourceIp } = event.requestContext.identity;
  const header = Object.entries(event.headers ?? {}).find(([name]) => name.toLowerCase() === 'x-forwarded-for')?.[1];
  const forwarded = (header ?? '').split(',').map((hop) => hop.trim());
  const hops = forwarded.at(-1) === sourceIp ? forwarded : [...forwarded, sourceIp];
  const address = hops.at(-1 - trustedProxies) || sourceIp;
  const bare = address.replace(/^\[([^\]]*)\](:\d+)?$/, '$1').replace(/%.*$/, '');
  return /^[\d.]+(:\d+)?$/.test(bare) && bare.includes('.') ? bare.replace(/:\d+$/, '') : bare;
}

function networkOfAddress(bare: string): string {
  if (/^[\d.]+$/.test(bare)) return bare;
  const hostname = URL.parse(`http://[${bare}]`)?.hostname;
  if (hostname === undefined) return bare;
  const groups = expanded(hostname.slice(1, -1));
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? ipv4Of(groups.slice(6)) : groups.slice(0, 4).join(':');
}

/** Requires the normalized form of URLs. */
function expanded(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const [before, after] = [head.split(':').filter(Boolean), (tail ?? '').split(':').filter(Boolean)];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
}

function ipv4Of(groups: readonly string[]): string {
  const bytes = groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return bytes.join('.');
}
