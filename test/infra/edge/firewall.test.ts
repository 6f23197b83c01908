import { describe, expect, test } from 'vitest';
import { planListing } from '#contract/billing/plans.ts';
import { errorStatus } from '#contract/shared/errors.ts';
import { live, parseStage } from '#lib/stages.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { ofType, synthesise } from '../synth.ts';
import { distributionOf } from './distribution.ts';

const { api } = await synthesise();
const other = await synthesise({ stage: otherStage, buffered: true });

describe('the firewall', () => {
  const [[, acl] = []] = ofType(api, 'AWS::WAFv2::WebACL');
  const { Rules: rules, CustomResponseBodies: bodies } = acl!.Properties as {
    Rules: { Name: string; Priority: number; Statement: any; Action?: any }[];
    CustomResponseBodies: Record<string, { Content: string }>;
  };

  test('protects the API stage', () => {
    const [[, association] = []] = ofType(api, 'AWS::WAFv2::WebACLAssociation');
    expect(JSON.stringify(association!.Properties)).toContain('/restapis/');
  });

  const own = ofType(other.api, 'AWS::WAFv2::WebACL')[0]![1].Properties;

  test('contains the AWS rules against known attacks, and limits for sign-ins, for a key and for all requests', () => {
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

  test('uses the IP reputation list only without the edge, where it sees the callers’ addresses', () => {
    expect(JSON.stringify(own)).toContain('AWSManagedRulesAmazonIpReputationList');
    expect(JSON.stringify(rules)).not.toContain('IpReputation');
  });

  test('counts AWS body findings without blocking', () => {
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

  test('blocks no body, such as an event of Stripe, by an AWS rule', () => {
    // AWS "Baseline rule groups": every rule of both groups that inspects the body.
    const inspectingBodies = [
      'JavaDeserializationRCE_BODY',
      'Log4JRCE_BODY',
      'ReactJSRCE_BODY',
      'SizeRestrictions_BODY',
      'CrossSiteScripting_BODY',
      'GenericLFI_BODY',
      'GenericRFI_BODY',
      'EC2MetaDataSSRF_BODY',
    ];
    for (const each of [rules, own['Rules'] as typeof rules]) {
      const groups = each.map(({ Statement }) => Statement.ManagedRuleGroupStatement).filter(Boolean);
      expect(groups.map(({ Name }) => Name)).not.toContain('AWSManagedRulesSQLiRuleSet');
      const counted = groups.flatMap(({ RuleActionOverrides = [] }) =>
        RuleActionOverrides.map(({ Name }: any) => Name),
      );
      expect(counted).toEqual(expect.arrayContaining(inspectingBodies));
    }
  });

  test('limits POST requests to /api/auth, and no page reads', () => {
    const { ScopeDownStatement } = rules.find(({ Name }) => Name === 'SignIns')!.Statement.RateBasedStatement;
    expect(JSON.stringify(ScopeDownStatement)).toMatch(/"SearchString":"POST".*"SearchString":"\/api\/auth\/"/);
  });

  test('allows a key more requests than any plan does', () => {
    const { AggregateKeyType, CustomKeys, Limit } = rules.find(({ Name }) => Name === 'Keys')!.Statement
      .RateBasedStatement;
    expect([AggregateKeyType, CustomKeys[0].Header.Name]).toEqual(['CUSTOM_KEYS', 'authorization']);
    expect(Limit).toBeGreaterThan(5 * Math.max(...planListing.map(({ rate_limit }) => rate_limit ?? 0)));
    const low = { requests: 60_000, keyRequests: 10_000, signIns: 100 };
    expect(() => parseStage({ ...live, firewall: low })).toThrow(/keyRequests must be more than five minutes of 2000/);
  });

  test('logs only blocked requests, without bodies, credentials or query strings', () => {
    const [[, acl] = []] = ofType(api, 'AWS::WAFv2::WebACL');
    const substituted = (field: object) => ({ Action: 'SUBSTITUTION', Field: field });
    expect(acl!.Properties['DataProtectionConfig']).toEqual({
      DataProtections: [
        substituted({ FieldType: 'BODY' }),
        substituted({ FieldType: 'QUERY_STRING' }),
        substituted({ FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization', 'cookie', 'x-origin-verify'] }),
      ],
    });
    const [[, logging] = []] = ofType(api, 'AWS::WAFv2::LoggingConfiguration');
    const text = JSON.stringify(logging!.Properties);
    for (const hidden of ['authorization', 'cookie', 'x-origin-verify', 'QueryString']) expect(text).toContain(hidden);
    expect(logging!.Properties['LoggingFilter']).toEqual({
      DefaultBehavior: 'DROP',
      Filters: [{ Behavior: 'KEEP', Requirement: 'MEETS_ANY', Conditions: [{ ActionCondition: { Action: 'BLOCK' } }] }],
    });
    expect(ofType(api, 'AWS::Logs::LogGroup').map(([, { Properties }]) => Properties['LogGroupName'])).toContain(
      'aws-waf-logs-text-ai-live',
    );
  });

  test('is required with an edge', () => {
    expect(() => parseStage({ ...live, firewall: null })).toThrow(/firewall is required with the edge/);
  });

  test('aggregates by the viewer’s address with an edge', () => {
    for (const { Statement } of rules.filter(({ Name }) => ['SignIns', 'Requests'].includes(Name))) {
      expect(Statement.RateBasedStatement).toMatchObject({
        AggregateKeyType: 'FORWARDED_IP',
        ForwardedIPConfig: { HeaderName: 'x-caller-address' },
      });
    }
  });

  test('returns the error envelope with the status of its code', () => {
    for (const { Action } of rules.filter(({ Action }) => Action)) {
      const { ResponseCode, CustomResponseBodyKey } = Action.Block.CustomResponse;
      const envelope = JSON.parse(bodies[CustomResponseBodyKey]!.Content);
      expect(envelope).toMatchObject({ error: true, data: null, status: ResponseCode });
      expect(errorStatus[envelope.message as keyof typeof errorStatus]).toBe(ResponseCode);
    }
  });

  test('requires the origin verification header from the edge, and no template contains its value', () => {
    const secret = JSON.stringify(rules[0]!.Statement);
    expect(secret).toContain('{{resolve:secretsmanager:');
    const { originOf, toApi } = distributionOf(api);
    const [header] = originOf(toApi[0]!).OriginCustomHeaders!;
    expect(header!.HeaderName).toBe(
      rules[0]!.Statement.NotStatement.Statement.ByteMatchStatement.FieldToMatch.SingleHeader.Name,
    );
    expect(JSON.stringify(header!.HeaderValue)).toContain('{{resolve:secretsmanager:');
  });

  test('aggregates by the source address without an edge', () => {
    expect(JSON.stringify(own)).toContain('"AggregateKeyType":"IP"');
    expect(JSON.stringify(own)).not.toMatch(/FORWARDED_IP|RequireEdge/);
    expect(ofType(other.api, 'AWS::CloudFront::Distribution')).toEqual([]);
  });
});
