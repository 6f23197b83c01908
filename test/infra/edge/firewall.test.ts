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

  const own = ofType(other.api, 'AWS::WAFv2::WebACL')[0]![1].Properties;

  test('uses the IP reputation list only without the edge, where it sees the callers’ addresses', () => {
    expect(JSON.stringify(own)).toContain('AWSManagedRulesAmazonIpReputationList');
    expect(JSON.stringify(rules)).not.toContain('IpReputation');
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

  test('allows a key more requests than any plan does', () => {
    const { AggregateKeyType, CustomKeys, Limit } = rules.find(({ Name }) => Name === 'Keys')!.Statement
      .RateBasedStatement;
    expect([AggregateKeyType, CustomKeys[0].Header.Name]).toEqual(['CUSTOM_KEYS', 'authorization']);
    expect(Limit).toBeGreaterThan(5 * Math.max(...planListing.map(({ rate_limit }) => rate_limit ?? 0)));
    const low = { requests: 60_000, keyRequests: 10_000, signIns: 100 };
    expect(() => parseStage({ ...live, firewall: low })).toThrow(/keyRequests must be more than five minutes of 2000/);
  });

  test('is required with an edge', () => {
    expect(() => parseStage({ ...live, firewall: null })).toThrow(/firewall is required with the edge/);
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
