import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { sessionOriginOf, userAgentOf } from '#middleware/session-origin.ts';
import { processorMs } from '#test/attacks/hostile-texts.ts';

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)';
const android = 'Mozilla/5.0 (Linux; Android 15; Pixel 9)';

/** As sent by the browsers. */
const headers: [browser: string | null, system: string | null, header: string][] = [
  ['Chrome', 'Windows', `${windows} ${webkit} Chrome/150.0.0.0 Safari/537.36`],
  ['Chrome', 'Linux', `Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/150.0.0.0 Safari/537.36`],
  ['Chrome', 'ChromeOS', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/150.0.0.0 Safari/537.36`],
  ['Chrome', 'Android', `${android} ${webkit} Chrome/150.0.0.0 Mobile Safari/537.36`],
  ['Chrome', 'iOS', `${iphone} AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/150.0 Mobile/15E148 Safari/604.1`],
  ['Edge', 'Windows', `${windows} ${webkit} Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0`],
  ['Edge', 'Android', `${android} ${webkit} Chrome/150.0.0.0 Mobile Safari/537.36 EdgA/150.0.0.0`],
  ['Opera', 'macOS', `${mac} ${webkit} Chrome/149.0.0.0 Safari/537.36 OPR/130.0.0.0`],
  ['Samsung Internet', 'Android', `${android} ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`],
  ['Firefox', 'macOS', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0'],
  ['Firefox', 'iOS', `${iphone} AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/145.0 Mobile/15E148 Safari/604.1`],
  ['Safari', 'macOS', `${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15`],
  [
    'Safari',
    'iPadOS',
    'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  ],
  ['curl', null, 'curl/8.14.1'],
  ['Python', null, 'python-requests/2.32.4'],
  ['Node.js', null, 'node'],
  ['Go', null, 'Go-http-client/2.0'],
  [null, 'Windows', 'An unheard-of browser (Windows NT 11.0)'],
  [null, null, 'an unheard-of program/1.0'],
];

describe('the device of a User-Agent header', () => {
  it.each(headers)('is %s on %s: %s', (browser, system, header) => {
    expect(userAgentOf(header)).toEqual({ browser, system });
  });

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['longer than any browser’s', `Firefox/1 ${'x'.repeat(512)}`],
    ['of several lines', 'Firefox/1\r\nset-cookie: session=x'],
    ['not of ASCII', 'Firefox/1 – Windows'],
    ['of direction characters', 'Firefox/1 \u202ewindows'],
  ])('is unknown if the header is %s', (_, header) => {
    expect(userAgentOf(header)).toEqual({ browser: null, system: null });
  });

  it('is always one of the known names, whatever else the header contains', () => {
    const hostile = '<img src=x onerror=alert(1)> Firefox/1 (Windows; "><script>steal()</script>)';
    expect(userAgentOf(hostile)).toEqual({ browser: 'Firefox', system: 'Windows' });
  });

  it('is found in bounded CPU time, even in a repetitive header', async () => {
    const ms = await processorMs(() => {
      for (let turn = 0; turn < 1000; turn++) userAgentOf('Version/1 '.repeat(51));
    });
    expect(ms).toBeLessThan(1000);
  });
});

const header = 'cloudfront-viewer-country';

function eventFrom(sourceIp: string, multiValueHeaders: Record<string, string[]> = {}): APIGatewayProxyEvent {
  return { multiValueHeaders, requestContext: { identity: { sourceIp } } } as unknown as APIGatewayProxyEvent;
}

describe('the location of a session', () => {
  it('is the country from the edge', () => {
    const event = eventFrom('192.0.2.7', { 'CloudFront-Viewer-Country': ['NO'] });
    expect(sessionOriginOf(event, header)).toEqual({ browser: null, system: null, country: 'NO', isLocal: false });
  });

  it('ignores a country from the caller if there is no edge', () => {
    expect(sessionOriginOf(eventFrom('192.0.2.7', { 'CloudFront-Viewer-Country': ['NO'] }), undefined).country).toBe(
      null,
    );
  });

  it.each([[[]], [['NO', 'SE']], [['no']], [['Norway']], [['ZZ']], [['XX']], [['<b>']], [['']]])(
    'is unknown if the country header contains %j',
    (values) => {
      expect(sessionOriginOf(eventFrom('192.0.2.7', { [header]: values }), header).country).toBe(null);
    },
  );

  it('is this machine for loopback addresses only', () => {
    const own = ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'];
    const all = [...own, '192.0.2.127', '::127', '2001:db8::1', ''];
    expect(all.filter((sourceIp) => sessionOriginOf(eventFrom(sourceIp), undefined).isLocal)).toEqual(own);
  });
});
