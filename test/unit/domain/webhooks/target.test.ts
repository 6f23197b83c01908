import { describe, expect, it } from 'vitest';
import { checkTarget, isAllowedAddress, isLoopbackAddress, isPublicAddress } from '#domain/webhooks/target.ts';
import { listed } from '#test/listed.ts';

const refusal = (url: string, targets: 'public' | 'public and loopback' = 'public'): string => {
  try {
    checkTarget(url, targets);
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
};

/** Loopback, private, link-local and metadata addresses, as a caller may write them. */
const innerSpellings = listed(`
  https://127.0.0.1/ https://127.1/ https://2130706433/ https://0x7f000001/ https://0x7f.0.0.1/ https://0177.0.0.1/
  https://017700000001/ https://127.0.0.1./ https://１２７.０.０.１/ https://127。0。0。1/ https://%31%32%37.0.0.1/
  https://[::1]/ https://[0:0:0:0:0:0:0:1]/ https://[::ffff:127.0.0.1]/ https://[::ffff:7f00:1]/
  https://[::127.0.0.1]/ https://[64:ff9b::169.254.169.254]/ https://[64:ff9b:1::a00:1]/ https://[2002:7f00:1::]/
  https://[2001:0:7f00:1::]/ https://[fe80::1]/ https://[fd00:ec2::254]/ https://[::]/ https://0/
  https://169.254.169.254/latest/meta-data/ https://0xa9fea9fe/ https://10.0.0.1/ https://172.16.0.1/
  https://192.168.1.1/ https://100.64.0.1/ https://224.0.0.1/ https://255.255.255.255/ https://localhost/
  https://LOCALHOST./ https://localhost../ https://example..com/ https://api.localhost/ https://printer.local/
  https://vault.internal/ https://intranet/
`);

describe('the URL of a webhook', () => {
  it.each(innerSpellings)('is refused with an internal host: %s', (url) => {
    expect(refusal(url)).toBe('url must point to a public host.');
  });

  const full = 'url must be a full URL, such as https://example.com/hook.';
  const noUser = 'url must have no user name or password.';
  it.each([
    ['ftp://example.com/', 'url must begin with https://.'],
    ['http://example.com/', 'url must begin with https://.'],
    ['javascript:alert(1)', 'url must begin with https://.'],
    ['//example.com/', full],
    ['example.com', full],
    ['https://', full],
    ['https://exam ple.com/', full],
    [' https://example.com/', full],
    ['https://example.com/\npath', full],
    ['https://user@example.com/', noUser],
    ['https://user:password@example.com/', noUser],
    ['https://:password@example.com/', noUser],
    ['https://example.com\\@127.0.0.1/', 'taken'],
    ['https://127.0.0.1\\@example.com/', 'url must point to a public host.'],
    ['https://example.com/a/path?with=query', 'taken'],
    ['https://example.com:8443/', 'taken'],
    ['https://93.184.215.14/', 'taken'],
    ['https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/', 'taken'],
    ['https://münchen.example.com/', 'taken'],
    ['https://nolocal/', 'url must point to a public host.'],
    ['https://notlocal.example/', 'taken'],
  ])('%j is checked: %s', (url, expected) => {
    expect(refusal(url)).toBe(expected);
  });

  it('may be on loopback, even without TLS, if the service runs on one machine', () => {
    const here = ['http://127.0.0.1:3000/hook', 'http://localhost:3000/', 'http://[::1]:3000/', 'https://127.0.0.9/'];
    expect(here.map((url) => refusal(url, 'public and loopback'))).toEqual(here.map(() => 'taken'));
    const inner = ['http://10.0.0.1/', 'https://192.168.1.1/', 'http://example.com/', 'https://vault.internal/'];
    expect(inner.filter((url) => refusal(url, 'public and loopback') === 'taken')).toEqual([]);
  });
});

describe('an IP address', () => {
  const notPublic = listed(`
    0.0.0.0 10.255.255.255 100.127.255.255 127.0.0.1 169.254.169.254 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1
    192.168.0.1 198.19.255.255 198.51.100.1 203.0.113.1 239.255.255.250 240.0.0.1 255.255.255.255 :: ::1
    ::ffff:8.8.8.8 ::ffff:127.0.0.1 ::8.8.8.8 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2001:10::1
    2002:808:808::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2606:4700::1%eth0
    localhost 127.1
  `);
  it.each([...notPublic, ''])('is not public: %j', (address) => {
    expect([isPublicAddress(address), isAllowedAddress(address, 'public')]).toEqual([false, false]);
  });

  const publicOnes = listed(`
    1.1.1.1 8.8.8.8 99.255.255.255 100.128.0.1 172.32.0.1 192.0.1.1 223.255.255.255
    2606:4700::1111 2a00:1450:4001:82f::200e
  `);
  it.each(publicOnes)('is public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it('is on loopback in its IPv4 and its IPv6 forms', () => {
    const own = ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1'];
    expect([...own, '8.8.8.8', '10.0.0.1', '::', '::2'].filter(isLoopbackAddress)).toEqual(own);
  });
});
