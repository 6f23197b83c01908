import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { sessionOriginOf } from '#middleware/browser.ts';

const header = 'cloudfront-viewer-country';

function eventFrom(sourceIp: string, multiValueHeaders: Record<string, string[]> = {}): APIGatewayProxyEvent {
  return { multiValueHeaders, requestContext: { identity: { sourceIp } } } as unknown as APIGatewayProxyEvent;
}

describe('the place of a session', () => {
  it('is the country that the edge names', () => {
    const event = eventFrom('192.0.2.7', { 'CloudFront-Viewer-Country': ['NO'] });
    expect(sessionOriginOf(event, header)).toEqual({ browser: null, system: null, country: 'NO', isLocal: false });
  });

  it('is not what a caller names where there is no edge', () => {
    expect(sessionOriginOf(eventFrom('192.0.2.7', { 'CloudFront-Viewer-Country': ['NO'] }), undefined).country).toBe(
      null,
    );
  });

  it.each([[[]], [['NO', 'SE']], [['no']], [['Norway']], [['ZZ']], [['XX']], [['<b>']], [['']]])(
    'is unknown where the header has %j',
    (values) => {
      expect(sessionOriginOf(eventFrom('192.0.2.7', { [header]: values }), header).country).toBe(null);
    },
  );

  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('is this machine for %s', (sourceIp) => {
    expect(sessionOriginOf(eventFrom(sourceIp), undefined).isLocal).toBe(true);
  });

  it.each(['192.0.2.127', '::127', '2001:db8::1', ''])('is not this machine for “%s”', (sourceIp) => {
    expect(sessionOriginOf(eventFrom(sourceIp), undefined).isLocal).toBe(false);
  });
});
