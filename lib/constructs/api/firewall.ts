import { SecretValue, Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { errorEnvelope } from '#contract/http/envelope.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import type { Stage } from '#lib/stage.ts';
import type { ServiceApi } from './rest-api.ts';

export interface FirewallProps {
  readonly api: ServiceApi;
  readonly stage: Stage;
  readonly limits: NonNullable<Stage['firewall']>;
}

/** Header that CloudFront adds to origin requests; the firewall blocks requests without it. */
export interface OriginVerification {
  readonly header: string;
  readonly value: SecretValue;
}

/** Header with the viewer's address, set at the edge; rate limits aggregate by it. */
export const callerHeader = 'x-caller-address';

const originVerificationHeader = 'x-origin-verify';

interface Refusal {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const refusals: Readonly<Record<'forbidden' | 'busy', Refusal>> = {
  forbidden: { code: 'INSUFFICIENT_PERMISSIONS', detail: 'The firewall blocked this request.' },
  busy: {
    code: 'RATE_LIMIT_EXCEEDED',
    detail: 'Too many requests from this address; try again in 5 minutes.',
    headers: { 'Retry-After': '300' },
  },
};

/** AWS WAF before the API: known attacks, addresses of bad reputation, and rate limits by address. */
export class Firewall extends Construct {
  readonly originVerification: OriginVerification | undefined;

  constructor(scope: Construct, id: string, { api, stage, limits }: FirewallProps) {
    super(scope, id);
    const behindEdge = stage.frontDoor.kind === 'edge';
    this.originVerification = behindEdge
      ? { header: originVerificationHeader, value: this.#createOriginSecret() }
      : undefined;
    const rules = [
      ...(this.originVerification ? [requireEdge(this.originVerification)] : []),
      managed('AWSManagedRulesAmazonIpReputationList'),
      managed('AWSManagedRulesKnownBadInputsRuleSet'),
      // Prompts are long and may look like scripts; sizes, bodies and their content are for our own schemas.
      managed('AWSManagedRulesCommonRuleSet', [
        'SizeRestrictions_BODY',
        'CrossSiteScripting_BODY',
        'GenericLFI_BODY',
        'GenericRFI_BODY',
        'EC2MetaDataSSRF_BODY',
      ]),
      rate('SignIns', limits.signIns, behindEdge, '/api/auth/'),
      rate('Requests', limits.requests, behindEdge),
    ];
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      rules: rules.map((rule, priority) => ({ ...rule, priority })),
      customResponseBodies: Object.fromEntries(
        Object.entries(refusals).map(([name, refusal]) => [name, responseBody(refusal)]),
      ),
      visibilityConfig: visibility('Firewall'),
    });
    new CfnWebACLAssociation(this, 'BeforeApi', { resourceArn: api.stageArn, webAclArn: acl.attrArn });
  }

  #createOriginSecret(): SecretValue {
    const secret = new Secret(this, 'OriginVerification', {
      description: `Sent by the edge of ${Stack.of(this).stackName} to its API`,
      generateSecretString: { excludePunctuation: true, passwordLength: 40 },
    });
    return secret.secretValue;
  }
}

type Rule = Omit<CfnWebACL.RuleProperty, 'priority'>;

const visibility = (metricName: string) => ({
  cloudWatchMetricsEnabled: true,
  metricName,
  sampledRequestsEnabled: false,
});

const responseBody = ({ code, detail }: Refusal) => ({
  contentType: 'APPLICATION_JSON',
  content: JSON.stringify(errorEnvelope(code, detail)),
});

function block(name: keyof typeof refusals): CfnWebACL.RuleActionProperty {
  const { code, headers = {} } = refusals[name];
  const responseHeaders = Object.entries({ 'Cache-Control': 'no-store', ...headers });
  return {
    block: {
      customResponse: {
        responseCode: errorStatus[code],
        customResponseBodyKey: name,
        responseHeaders: responseHeaders.map(([header, value]) => ({ name: header, value })),
      },
    },
  };
}

/** A managed rule group of AWS; requests it blocks get the gateway response WAF_FILTERED. `counted` rules only count. */
function managed(name: string, counted: readonly string[] = []): Rule {
  return {
    name,
    overrideAction: { none: {} },
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
      },
    },
    visibilityConfig: visibility(name),
  };
}

/** Requests that bypass the edge could carry any caller address. */
function requireEdge({ header, value }: OriginVerification): Rule {
  return {
    name: 'RequireEdge',
    action: block('forbidden'),
    statement: {
      notStatement: {
        statement: {
          byteMatchStatement: {
            fieldToMatch: { singleHeader: { Name: header } },
            positionalConstraint: 'EXACTLY',
            searchString: value.unsafeUnwrap(),
            textTransformations: [{ priority: 0, type: 'NONE' }],
          },
        },
      },
    },
    visibilityConfig: visibility('RequireEdge'),
  };
}

/** Maximum requests of one address in five minutes, below a path, where one is set. */
function rate(name: string, limit: number, behindEdge: boolean, path?: string): Rule {
  const counted = behindEdge
    ? {
        aggregateKeyType: 'FORWARDED_IP',
        forwardedIpConfig: { headerName: callerHeader, fallbackBehavior: 'MATCH' },
      }
    : { aggregateKeyType: 'IP' };
  const below = path && {
    scopeDownStatement: {
      byteMatchStatement: {
        fieldToMatch: { uriPath: {} },
        positionalConstraint: 'CONTAINS',
        searchString: path,
        textTransformations: [{ priority: 0, type: 'LOWERCASE' }],
      },
    },
  };
  return {
    name,
    action: block('busy'),
    statement: { rateBasedStatement: { limit, evaluationWindowSec: 300, ...counted, ...below } },
    visibilityConfig: visibility(name),
  };
}
