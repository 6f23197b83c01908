import { describe, expect, test } from 'vitest';
import { parseStage } from '#lib/stages.ts';
import { corsOrigins } from '#test/stages/full-stage.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { plainStage } from '#test/stages/plain-stage.ts';
import { functionsOf, ofType, synthesise } from '../synth.ts';

const { api: gateway } = await synthesise({ stage: otherStage, buffered: true });

describe('a stage that allows pages to use keys', () => {
  test('names the origins in the environment of its functions', () => {
    const functions = [...functionsOf(gateway).values()];
    const variables = functions.map(({ Properties }) => Properties['Environment'] as { Variables: object });
    expect(functions.length).toBeGreaterThan(50);
    for (const { Variables } of variables) expect(Variables).toMatchObject({ CORS_ORIGINS: corsOrigins.join(',') });
  });

  test('adds the header to errors of a gateway without an edge, which contain no data', () => {
    const responses = ofType(gateway, 'AWS::ApiGateway::GatewayResponse');
    expect(responses.length).toBeGreaterThan(10);
    for (const [, { Properties }] of responses)
      expect(Properties['ResponseParameters']).toHaveProperty(
        ['gatewayresponse.header.Access-Control-Allow-Origin'],
        "'*'",
      );
  });
});

describe('a stage that allows no pages to use keys', () => {
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
