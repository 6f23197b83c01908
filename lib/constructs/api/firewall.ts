import { ArnFormat, SecretValue, Stack } from 'aws-cdk-lib';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { errorEnvelope } from '#contract/http/format.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import { createLogGroup } from '#lib/shared-props.ts';
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

const secretHeaders = ['authorization', 'x-api-key', 'cookie', originVerificationHeader];

/**
 * Fields to redact from logs. A blocked request is logged with the details of every matching rule, including count-only
 * rules. These quote the body, or the key of a rate (AWS "Log fields for web ACL traffic"). Redaction does not cover
 * such details.
 */
const unlogged: CfnWebACL.DataProtectProperty[] = [
  { action: 'SUBSTITUTION', field: { fieldType: 'BODY' } },
  { action: 'SUBSTITUTION', field: { fieldType: 'QUERY_STRING' } },
  { action: 'SUBSTITUTION', field: { fieldType: 'SINGLE_HEADER', fieldKeys: secretHeaders } },
];

interface Refusal {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const refusals: Readonly<Record<'forbidden' | 'busy', Refusal>> = {
  forbidden: { code: 'INSUFFICIENT_PERMISSIONS', detail: 'The firewall blocked this request.' },
  busy: {
    code: 'RATE_LIMIT_EXCEEDED',
    detail: 'Too many requests from this address or with this key; try again in 5 minutes.',
    headers: { 'Retry-After': '300' },
  },
};

/**
 * Managed rules that inspect the body or expect a browser. They only count: a prompt may contain any code, our schemas
 * limit its size, and clients need no User-Agent (AWS "Baseline rule groups").
 */
const onlyCounted = {
  AWSManagedRulesKnownBadInputsRuleSet: ['JavaDeserializationRCE_BODY', 'Log4JRCE_BODY', 'ReactJSRCE_BODY'],
  AWSManagedRulesCommonRuleSet: [
    'NoUserAgent_HEADER',
    'SizeRestrictions_BODY',
    'CrossSiteScripting_BODY',
    'GenericLFI_BODY',
    'GenericRFI_BODY',
    'EC2MetaDataSSRF_BODY',
  ],
} as const;

/**
 * AWS WAF in front of the API: known attacks, addresses with a bad reputation, and rate limits by address and by key.
 */
export class Firewall extends Construct {
  readonly originVerification: OriginVerification | undefined;

  constructor(scope: Construct, id: string, { api, stage, limits }: FirewallProps) {
    super(scope, id);
    const behindEdge = stage.frontDoor.kind === 'edge';
    this.originVerification = behindEdge
      ? { header: originVerificationHeader, value: this.#createOriginSecret(limits.secretVersion) }
      : undefined;
    const rules = [
      ...(this.originVerification ? [requireEdge(this.originVerification)] : []),
      // The IP reputation list checks connecting addresses, which are CloudFront's own behind the edge.
      ...(behindEdge ? [] : [managed('AWSManagedRulesAmazonIpReputationList')]),
      ...Object.entries(onlyCounted).map(([name, counted]) => managed(name, counted)),
      rate('SignIns', limits.signIns, { ...byAddress(behindEdge), scopeDownStatement: signIns }),
      rate('Keys', limits.keyRequests, byKey),
      rate('Requests', limits.requests, byAddress(behindEdge)),
    ];
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      dataProtectionConfig: { dataProtections: unlogged },
      rules: rules.map((rule, priority) => ({ ...rule, priority })),
      customResponseBodies: Object.fromEntries(
        Object.entries(refusals).map(([name, refusal]) => [name, responseBody(refusal)]),
      ),
      visibilityConfig: visibility('Firewall'),
    });
    new CfnWebACLAssociation(this, 'BeforeApi', { resourceArn: api.stageArn, webAclArn: acl.attrArn });
    this.#logTo(createLogGroup(this, 'Logs', stage, `aws-waf-logs-text-ai-${stage.name}`), acl);
  }

  /**
   * Logs only blocked requests, without credentials and query strings (AWS "Redacting fields"). Metrics count the other
   * matches.
   */
  #logTo(logs: LogGroup, acl: CfnWebACL): void {
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      logDestinationConfigs: [Stack.of(this).formatArn({ ...logGroupArn, resourceName: logs.logGroupName })],
      redactedFields: [...secretHeaders.map((Name) => ({ singleHeader: { Name } })), { queryString: {} }],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: [{ ActionCondition: { Action: 'BLOCK' } }],
          },
        ],
      },
    }).node.addDependency(logs);
  }

  #createOriginSecret(version: number): SecretValue {
    const secret = new Secret(this, version === 1 ? 'OriginVerification' : `OriginVerification${version}`, {
      description: `Sent by the edge of ${Stack.of(this).stackName} to its API`,
      generateSecretString: { excludePunctuation: true, passwordLength: 40 },
    });
    return secret.secretValue;
  }
}

/** Without the trailing `:*` of CloudWatch's own ARN, which WAF rejects. */
const logGroupArn = { service: 'logs', resource: 'log-group', arnFormat: ArnFormat.COLON_RESOURCE_NAME };

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

/** A managed rule group of AWS. Blocked requests get the gateway response WAF_FILTERED. `counted` rules only count. */
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
        statement: matches({ singleHeader: { Name: header } }, 'EXACTLY', value.unsafeUnwrap()),
      },
    },
    visibilityConfig: visibility('RequireEdge'),
  };
}

type Aggregation = Omit<CfnWebACL.RateBasedStatementProperty, 'limit'>;

const byAddress = (behindEdge: boolean): Aggregation =>
  behindEdge
    ? {
        aggregateKeyType: 'FORWARDED_IP',
        forwardedIpConfig: { headerName: callerHeader, fallbackBehavior: 'MATCH' },
      }
    : { aggregateKeyType: 'IP' };

/**
 * Requests without the header are not counted, such as those with `x-api-key`: a second rule would cost as much again.
 */
const byKey: Aggregation = {
  aggregateKeyType: 'CUSTOM_KEYS',
  customKeys: [{ header: { name: 'authorization', textTransformations: [{ priority: 0, type: 'NONE' }] } }],
};

const matches = (
  fieldToMatch: CfnWebACL.FieldToMatchProperty,
  positionalConstraint: 'EXACTLY' | 'CONTAINS',
  searchString: string,
  transformation: 'NONE' | 'LOWERCASE' = 'NONE',
): CfnWebACL.StatementProperty => ({
  byteMatchStatement: {
    fieldToMatch,
    positionalConstraint,
    searchString,
    textTransformations: [{ priority: 0, type: transformation }],
  },
});

/** Paths that accept a password, a token or an address. Excludes a page's reads of its own session. */
const signIns: CfnWebACL.StatementProperty = {
  andStatement: {
    statements: [
      matches({ method: {} }, 'EXACTLY', 'POST'),
      matches({ uriPath: {} }, 'CONTAINS', '/api/auth/', 'LOWERCASE'),
    ],
  },
};

/** Maximum requests in five minutes per address or key. */
const rate = (name: string, limit: number, aggregation: Aggregation): Rule => ({
  name,
  action: block('busy'),
  statement: { rateBasedStatement: { limit, evaluationWindowSec: 300, ...aggregation } },
  visibilityConfig: visibility(name),
});
