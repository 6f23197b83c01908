import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Environment } from '#contract/environment.ts';

/**
 * The network a request came from: an IPv4 address or the /64 of an IPv6 address; undefined where networks are not
 * limited. Behind `TRUSTED_PROXIES` proxies it is the entry of X-Forwarded-For that the first of them wrote.
 */
export function networkOf(
  event: APIGatewayProxyEvent,
  { NETWORK_LIMITS, TRUSTED_PROXIES }: Pick<Environment, 'NETWORK_LIMITS' | 'TRUSTED_PROXIES'>,
): string | undefined {
  if (NETWORK_LIMITS === 'off') return undefined;
  const forwarded = Object.entries(event.headers ?? {}).find(([name]) => name.toLowerCase() === 'x-forwarded-for')?.[1];
  const hops = [...(forwarded?.split(',') ?? []), event.requestContext.identity.sourceIp];
  const address = (hops.at(-1 - TRUSTED_PROXIES) ?? event.requestContext.identity.sourceIp).trim();
  return address.includes(':') ? firstGroups(address) : address;
}

function firstGroups(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head.split(':').filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ?? '').split(':')].slice(0, 4).join(':');
}
