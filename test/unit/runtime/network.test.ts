import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { callerAddressOf, networkOf } from '#runtime/network.ts';
import { listed } from '#test/listed.ts';

const on = (TRUSTED_PROXIES = 0) => ({ NETWORK_LIMITS: 'on', TRUSTED_PROXIES }) as const;

/** An event from API Gateway, which adds the connecting address to X-Forwarded-For. */
const eventFrom = (sourceIp: string, forwardedBefore?: string) =>
  ({
    headers: { 'X-Forwarded-For': forwardedBefore ? `${forwardedBefore}, ${sourceIp}` : sourceIp },
    requestContext: { identity: { sourceIp } },
  }) as unknown as APIGatewayProxyEvent;

/** An event from other gateways, with or without the caller's header. */
const bareEventFrom = (sourceIp: string, forwarded?: string) => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { headers, requestContext: { identity: { sourceIp } } } as unknown as APIGatewayProxyEvent;
};

const networkFrom = (address: string) => networkOf(bareEventFrom(address), on());

describe('the network of a request', () => {
  it('is undefined if networks are not limited', () => {
    expect(networkOf(eventFrom('203.0.113.7'), { NETWORK_LIMITS: 'off', TRUSTED_PROXIES: 0 })).toBeUndefined();
  });

  it('is the whole IPv4 address', () => {
    expect(networkFrom('203.0.113.7')).toBe('203.0.113.7');
    expect(networkFrom('203.0.113.8')).not.toBe(networkFrom('203.0.113.7'));
  });

  const spellings = listed(`
    2001:db8:1:2::1 2001:db8:1:2:3:4:5:6 2001:DB8:1:2:FFFF:: 2001:0db8:0001:0002:0000:0000:0000:0001
    2001:db8:1:2::203.0.113.7 [2001:db8:1:2::9] [2001:db8:1:2::9]:443 2001:db8:1:2::9%eth0
  `);
  it.each(spellings)('is the first half of an IPv6 address, in any notation: %s', (address) => {
    expect(networkFrom(address)).toBe(networkFrom('2001:db8:1:2::'));
  });

  it.each(['2001:db8:1:3::1', '2001:db8:1::2', '2001:db8::1:2:0:0:1', '::1', '203.0.113.7'])(
    'differs for %s',
    (address) => {
      expect(networkFrom(address)).not.toBe(networkFrom('2001:db8:1:2::1'));
    },
  );

  it('fills in the omitted zeros', () => {
    expect(networkFrom('2001:db8::1')).toBe(networkFrom('2001:db8:0:0:9:9:9:9'));
    expect(networkFrom('::1')).toBe(networkFrom('0:0:0:0:9:9:9:9'));
    expect(networkFrom('::1')).not.toBe(networkFrom('1::'));
  });

  it.each(['::ffff:203.0.113.7', '::FFFF:cb00:7107', '0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7:51234'])(
    'is the IPv4 address behind %s',
    (address) => {
      expect(networkFrom(address)).toBe('203.0.113.7');
    },
  );

  it('ignores the header of a caller if no proxy is trusted', () => {
    expect(networkOf(eventFrom('203.0.113.7', '198.51.100.1'), on())).toBe('203.0.113.7');
    expect(networkOf(bareEventFrom('203.0.113.7', '198.51.100.1'), on())).toBe('203.0.113.7');
  });

  it('is the address that the first trusted proxy saw, whatever the caller sends', () => {
    const [caller, cdn, balancer] = ['203.0.113.7', '130.176.0.1', '10.0.0.1'];
    expect(networkOf(eventFrom(cdn, caller), on(1))).toBe(caller);
    expect(networkOf(eventFrom(cdn, `198.51.100.1, 192.0.2.9,${caller}`), on(1))).toBe(caller);
    expect(networkOf(eventFrom(balancer, `198.51.100.1, ${caller}, ${cdn}`), on(2))).toBe(caller);
    expect(networkOf(bareEventFrom(cdn, caller), on(1))).toBe(caller);
    expect(networkOf(bareEventFrom(cdn, `198.51.100.1, ${caller}`), on(1))).toBe(caller);
  });

  it('is the connecting address if the expected proxy is missing', () => {
    expect(networkOf(eventFrom('203.0.113.7'), on(1))).toBe('203.0.113.7');
    expect(networkOf(bareEventFrom('203.0.113.7'), on(2))).toBe('203.0.113.7');
  });
});

describe('the address of a caller', () => {
  const addressFrom = (event: APIGatewayProxyEvent, TRUSTED_PROXIES = 0) => callerAddressOf(event, { TRUSTED_PROXIES });

  it('is the address that connected to the edge, whatever the caller sends', () => {
    const [caller, edge] = ['2001:db8:1:2::9', '130.176.0.1'];
    expect(addressFrom(eventFrom(edge, caller), 1)).toBe(caller);
    expect(addressFrom(eventFrom(edge, `198.51.100.1, ${caller}`), 1)).toBe(caller);
    expect(addressFrom(eventFrom(caller, '198.51.100.1'))).toBe(caller);
  });

  it.each(['203.0.113.7:51234', '203.0.113.7'])('has no port: %s', (address) => {
    expect(addressFrom(bareEventFrom('130.176.0.1', address), 1)).toBe('203.0.113.7');
  });

  it.each(['unknown', '203.0.113', 'a'.repeat(10_000), '"}{"a":"b'])(
    'is undefined if the proxy sent an invalid value',
    (text) => {
      expect(addressFrom(bareEventFrom('130.176.0.1', text), 1)).toBeUndefined();
    },
  );
});
