import { describe, expect, test } from 'vitest';
import { live, parseStage } from '#lib/stages.ts';
import { plainStage } from '#test/stages/plain-stage.ts';
import { functionsOf, ofType, synthesise } from '../synth.ts';
import { distributionOf } from './distribution.ts';

const corsOrigins = ['https://app.example.com', 'http://localhost:3000'];
const listed = corsOrigins.join(',');

describe('a stage with pages that may use keys', () => {
  test('names the origins in the environment of its functions', async () => {
    const { api } = await synthesise({ stage: parseStage({ ...plainStage, corsOrigins }) });
    const functions = [...functionsOf(api).values()];
    const variables = functions.map(({ Properties }) => Properties['Environment'] as { Variables: object });
    expect(functions.length).toBeGreaterThan(50);
    for (const { Variables } of variables) expect(Variables).toMatchObject({ CORS_ORIGINS: listed });
  });

  test('adds the headers at the edge to errors of the gateway and the firewall, for the inference APIs only', async () => {
    const { api } = await synthesise({ stage: parseStage({ ...live, corsOrigins }) });
    const policies = new Map(ofType(api, 'AWS::CloudFront::ResponseHeadersPolicy'));
    const corsOf = ({ ResponseHeadersPolicyId: id }: { readonly ResponseHeadersPolicyId: { Ref: string } }) =>
      (policies.get(id.Ref)!.Properties['ResponseHeadersPolicyConfig'] as { CorsConfig?: object }).CorsConfig;
    const found = distributionOf(api).toApi.map((behaviour) => [behaviour.PathPattern, corsOf(behaviour)] as const);
    const allowing = found.filter(([, cors]) => cors);
    expect(allowing.map(([path]) => path)).toEqual(
      found.map(([path]) => path).filter((path) => !path?.startsWith('/api')),
    );
    expect(allowing.length).toBeGreaterThanOrEqual(2);
    for (const [, cors] of allowing)
      expect(cors).toEqual({
        AccessControlAllowCredentials: false,
        AccessControlAllowHeaders: { Items: ['*'] },
        AccessControlAllowMethods: { Items: ['GET', 'POST', 'DELETE', 'OPTIONS'] },
        AccessControlAllowOrigins: { Items: corsOrigins },
        AccessControlExposeHeaders: { Items: ['*'] },
        AccessControlMaxAgeSec: 7200,
        // The functions' own headers stay.
        OriginOverride: false,
      });
  });

  test('adds the header to errors of a gateway without an edge, which contain no data', async () => {
    const { api } = await synthesise({ stage: parseStage({ ...plainStage, corsOrigins }) });
    const responses = ofType(api, 'AWS::ApiGateway::GatewayResponse');
    expect(responses.length).toBeGreaterThan(10);
    for (const [, { Properties }] of responses)
      expect(Properties['ResponseParameters']).toHaveProperty(
        ['gatewayresponse.header.Access-Control-Allow-Origin'],
        "'*'",
      );
  });
});

describe('a stage without', () => {
  test('has no cross-origin headers anywhere', async () => {
    const { api } = await synthesise();
    expect(JSON.stringify(api.resources)).not.toMatch(
      /CORS_ORIGINS|AccessControlAllowOrigins|Access-Control-Allow-Origin/,
    );
  });

  test.each([
    ['a path', ['https://app.example.com/']],
    ['upper case', ['https://App.example.com']],
    ['no scheme', ['app.example.com']],
    ['a wildcard within', ['https://*.example.com']],
    ['a comma', ['https://a.example,https://b.example']],
    ['null', ['null']],
    ['21 origins', Array.from({ length: 21 }, (_, index) => `https://a${index}.example`)],
  ])('is not deployed with an origin with %s', (_, origins) => {
    expect(() => parseStage({ ...plainStage, corsOrigins: origins })).toThrow(
      /corsOrigins(\.0)? must (be an origin|have at most 20)/,
    );
  });
});
