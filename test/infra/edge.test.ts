import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { apiReferenceFiles, apiReferencePath } from '#contract/api-reference.ts';
import { planListing } from '#contract/billing/plans.ts';
import { dashboardPages } from '#contract/dashboard-config.ts';
import { allRoutes } from '#contract/routes.ts';
import { errorStatus } from '#contract/shared/errors.ts';
import { live, parseStage } from '#lib/stages.ts';
import { otherStage } from '#test/other-stage.ts';
import { ofType, pathOf, synthesise } from './synth.ts';

interface Behaviour {
  readonly PathPattern?: string;
  readonly TargetOriginId: string;
  readonly CachePolicyId: string;
  readonly ViewerProtocolPolicy: string;
  readonly AllowedMethods?: readonly string[];
  readonly Compress: boolean;
}

interface Origin {
  readonly Id: string;
  readonly OriginPath?: string;
  readonly CustomOriginConfig?: { OriginReadTimeout: number; OriginProtocolPolicy: string };
  readonly OriginAccessControlId?: unknown;
  readonly OriginCustomHeaders?: readonly { HeaderName: string; HeaderValue: unknown }[];
}

const { api } = await synthesise();
const other = await synthesise({ stage: otherStage, buffered: true });
const [[, distribution] = []] = ofType(api, 'AWS::CloudFront::Distribution');
const config = distribution!.Properties['DistributionConfig'] as {
  DefaultCacheBehavior: Behaviour;
  CacheBehaviors: readonly Behaviour[];
  Origins: readonly Origin[];
  CustomErrorResponses?: unknown;
};
const originOf = ({ TargetOriginId }: Behaviour) => config.Origins.find(({ Id }) => Id === TargetOriginId)!;
const toApi = config.CacheBehaviors.filter((behaviour) => originOf(behaviour).CustomOriginConfig);

/** AWS "Managed cache policies". */
const cachingDisabled = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';

describe('the edge', () => {
  test('sends every route of the table to the API, below its stage', () => {
    const patterns = toApi.map(({ PathPattern = '' }) => new RegExp(`^${PathPattern.replace('*', '.*')}$`));
    const lost = allRoutes.filter(({ path }) => !patterns.some((pattern) => pattern.test(path)));
    expect(lost.map(({ path }) => path)).toEqual([]);
    expect(new Set(toApi.map((behaviour) => originOf(behaviour).OriginPath))).toEqual(new Set(['/live']));
  });

  test('caches no response of the API, allows every method, and uses TLS only on both sides', () => {
    for (const behaviour of toApi) {
      expect(behaviour).toMatchObject({
        CachePolicyId: cachingDisabled,
        ViewerProtocolPolicy: 'https-only',
        Compress: false,
      });
      expect(behaviour.AllowedMethods).toEqual(expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']));
      expect(originOf(behaviour).CustomOriginConfig?.OriginProtocolPolicy).toBe('https-only');
    }
  });

  test('has a longer timeout than the gateway for any buffered response', () => {
    const plain = allRoutes.map(
      ({ timeoutSeconds, streaming }) => (streaming ? Math.min(timeoutSeconds, 90) : timeoutSeconds) + 1,
    );
    for (const behaviour of toApi) {
      expect(originOf(behaviour).CustomOriginConfig?.OriginReadTimeout).toBeGreaterThan(Math.max(...plain));
    }
  });

  test('leaves the errors of the API as they are', () => {
    expect(config.CustomErrorResponses).toBeUndefined();
  });

  test('alone reads the bucket, by signed requests', () => {
    const files = originOf(config.DefaultCacheBehavior);
    expect(files.OriginAccessControlId).toBeDefined();
    const [[, bucket] = []] = ofType(api, 'AWS::S3::Bucket');
    expect(bucket!.Properties['PublicAccessBlockConfiguration']).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
  });

  test('sends HSTS for a year, nosniff and a content security policy', () => {
    const policies = ofType(api, 'AWS::CloudFront::ResponseHeadersPolicy').map(([, { Properties }]) => Properties);
    expect(policies).toHaveLength(3);
    for (const { ResponseHeadersPolicyConfig } of policies) {
      expect(ResponseHeadersPolicyConfig).toMatchObject({
        SecurityHeadersConfig: {
          StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, IncludeSubdomains: true },
          ContentTypeOptions: { Override: true },
          ContentSecurityPolicy: {
            ContentSecurityPolicy: expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
          },
        },
      });
    }
  });
});

describe('what runs at the edge', () => {
  const codes = ofType(api, 'AWS::CloudFront::Function').map(([, fn]) => [
    pathOf(fn),
    String(fn.Properties['FunctionCode']),
  ]);
  const run = (name: string, request: object, response = { statusCode: 200 }): any => {
    const [, code] = codes.find(([path]) => path?.split('/').includes(name))!;
    return runInNewContext(`${code}; handler(event)`, {
      event: { request: { headers: {}, ...request }, response, viewer: { ip: '192.0.2.7' } },
    });
  };

  test.each(dashboardPages)('%s is the one document of the dashboard', (uri) => {
    expect(run('Pages', { uri }).uri).toBe('/index.html');
  });

  test.each([
    ...Object.keys(apiReferenceFiles).map((name) => `${apiReferencePath}/${name}`),
    '/config.json',
    '/assets/main-1.js',
  ])('%s is a file', (uri) => {
    expect(run('Pages', { uri }).uri).toBe(uri);
  });

  test('the API reference has its page at its path', () => {
    expect(run('Pages', { uri: apiReferencePath }).uri).toBe(`${apiReferencePath}/index.html`);
  });

  test('a browser that navigates to any other path gets the dashboard with 404, and 200 with any other page', () => {
    const accept = { value: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const unknown = run('Pages', { uri: '/no-such-page', headers: { accept } });
    expect(unknown.uri).toBe('/index.html');
    expect(run('PageStatus', unknown).statusCode).toBe(404);
    const known = run('Pages', { uri: '/keys', headers: { accept, 'x-unknown-page': { value: 'of the caller' } } });
    expect(run('PageStatus', known).statusCode).toBe(200);
    expect(run('PageStatus', unknown, { statusCode: 304 }).statusCode).toBe(304);
  });

  test('any other request of any other path is 404 in the envelope', () => {
    const response = run('Pages', { uri: '/wp-login.php' });
    expect(response.statusCode).toBe(404);
    expect(JSON.parse(response.body.data)).toMatchObject({
      message: 'NOT_FOUND',
      error: true,
      data: null,
      status: 404,
    });
  });

  test('the API gets the viewer’s address, whatever address the caller sent', () => {
    const request = run('Caller', {
      uri: '/api/auth/login',
      headers: { 'x-caller-address': { value: '203.0.113.1' } },
    });
    expect(request.headers['x-caller-address'].value).toBe('192.0.2.7');
  });
});

describe('the firewall', () => {
  const [[, acl] = []] = ofType(api, 'AWS::WAFv2::WebACL');
  const { Rules: rules, CustomResponseBodies: bodies } = acl!.Properties as {
    Rules: { Name: string; Priority: number; Statement: any; Action?: any }[];
    CustomResponseBodies: Record<string, { Content: string }>;
  };

  test('stands before the stage of the API', () => {
    const [[, association] = []] = ofType(api, 'AWS::WAFv2::WebACLAssociation');
    expect(JSON.stringify(association!.Properties)).toContain('/restapis/');
  });

  const own = ofType(other.api, 'AWS::WAFv2::WebACL')[0]![1].Properties;

  test('has the rules of AWS against known attacks, and limits for sign-ins, for a key and for all requests', () => {
    expect(rules.map(({ Name }) => Name)).toEqual([
      'RequireEdge',
      'AWSManagedRulesKnownBadInputsRuleSet',
      'AWSManagedRulesCommonRuleSet',
      'SignIns',
      'Keys',
      'Requests',
    ]);
    expect(rules.map(({ Priority }) => Priority)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('has the list of bad addresses where it sees those of callers, and not the edge’s', () => {
    expect(JSON.stringify(own)).toContain('AWSManagedRulesAmazonIpReputationList');
    expect(JSON.stringify(rules)).not.toContain('IpReputation');
  });

  test('counts what AWS finds in bodies, and blocks none for it', () => {
    const groups = rules.map(({ Statement }) => Statement.ManagedRuleGroupStatement).filter(Boolean);
    const counted = groups.flatMap(({ RuleActionOverrides }) => RuleActionOverrides);
    expect(counted.map(({ Name }) => Name)).toEqual(
      expect.arrayContaining([
        'Log4JRCE_BODY',
        'CrossSiteScripting_BODY',
        'SizeRestrictions_BODY',
        'NoUserAgent_HEADER',
      ]),
    );
    expect(new Set(counted.map(({ ActionToUse }) => JSON.stringify(ActionToUse)))).toEqual(new Set(['{"Count":{}}']));
  });

  test('limits sign-ins by their POSTs, which leaves a page its reads', () => {
    const { ScopeDownStatement } = rules.find(({ Name }) => Name === 'SignIns')!.Statement.RateBasedStatement;
    expect(JSON.stringify(ScopeDownStatement)).toMatch(/"SearchString":"POST".*"SearchString":"\/api\/auth\/"/);
  });

  test('limits a key above what any plan with a limit allows it', () => {
    const { AggregateKeyType, CustomKeys, Limit } = rules.find(({ Name }) => Name === 'Keys')!.Statement
      .RateBasedStatement;
    expect([AggregateKeyType, CustomKeys[0].Header.Name]).toEqual(['CUSTOM_KEYS', 'authorization']);
    expect(Limit).toBeGreaterThan(5 * Math.max(...planListing.map(({ rate_limit }) => rate_limit ?? 0)));
    const low = { requests: 60_000, keyRequests: 10_000, signIns: 100 };
    expect(() => parseStage({ ...live, firewall: low })).toThrow(/keyRequests must be more than five minutes of 2000/);
  });

  test('logs what it blocked or counted, without credentials and query strings', () => {
    const [[, logging] = []] = ofType(api, 'AWS::WAFv2::LoggingConfiguration');
    const text = JSON.stringify(logging!.Properties);
    for (const hidden of ['authorization', 'cookie', 'x-origin-verify', 'QueryString']) expect(text).toContain(hidden);
    expect(logging!.Properties['LoggingFilter']).toMatchObject({ DefaultBehavior: 'DROP' });
    expect(ofType(api, 'AWS::Logs::LogGroup').map(([, { Properties }]) => Properties['LogGroupName'])).toContain(
      'aws-waf-logs-text-ai-live',
    );
  });

  test('is there wherever the edge is, so that nothing goes past the edge', () => {
    expect(() => parseStage({ ...live, firewall: null })).toThrow(/firewall must be there where the edge is/);
  });

  test('aggregates by the viewer’s address', () => {
    for (const { Statement } of rules.filter(({ Name }) => ['SignIns', 'Requests'].includes(Name))) {
      expect(Statement.RateBasedStatement).toMatchObject({
        AggregateKeyType: 'FORWARDED_IP',
        ForwardedIPConfig: { HeaderName: 'x-caller-address' },
      });
    }
  });

  test('returns the envelope, with the status of its code', () => {
    for (const { Action } of rules.filter(({ Action }) => Action)) {
      const { ResponseCode, CustomResponseBodyKey } = Action.Block.CustomResponse;
      const envelope = JSON.parse(bodies[CustomResponseBodyKey]!.Content);
      expect(envelope).toMatchObject({ error: true, data: null, status: ResponseCode });
      expect(errorStatus[envelope.message as keyof typeof errorStatus]).toBe(ResponseCode);
    }
  });

  test('the edge sends the origin verification header that the firewall requires, and no template has its value', () => {
    const secret = JSON.stringify(rules[0]!.Statement);
    expect(secret).toContain('{{resolve:secretsmanager:');
    const [header] = originOf(toApi[0]!).OriginCustomHeaders!;
    expect(header!.HeaderName).toBe(
      rules[0]!.Statement.NotStatement.Statement.ByteMatchStatement.FieldToMatch.SingleHeader.Name,
    );
    expect(JSON.stringify(header!.HeaderValue)).toContain('{{resolve:secretsmanager:');
  });

  test('without an edge before it, aggregates by the source address', () => {
    expect(JSON.stringify(own)).toContain('"AggregateKeyType":"IP"');
    expect(JSON.stringify(own)).not.toMatch(/FORWARDED_IP|RequireEdge/);
    expect(ofType(other.api, 'AWS::CloudFront::Distribution')).toEqual([]);
  });
});
