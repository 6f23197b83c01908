import type {
  IPolicyValidationContext,
  IPolicyValidationPlugin,
  PolicyValidationPluginReport,
  PolicyViolation,
} from 'aws-cdk-lib';
import type { NagPack } from 'cdk-nag';

/** A cdk-nag pack whose findings fail the synthesis unless nag-acknowledgements.ts contains a reason. */
export class ReviewedRules implements IPolicyValidationPlugin {
  readonly name: string;
  readonly #pack: NagPack;

  constructor(pack: NagPack) {
    this.name = pack.name;
    this.#pack = pack;
  }

  validate(context: IPolicyValidationContext): PolicyValidationPluginReport {
    const report = this.#pack.validate(context);
    const violations = report.violations
      .map(withoutAcknowledged)
      .filter(({ violatingResources }) => violatingResources.length > 0);
    return { ...report, violations, success: violations.length === 0 };
  }
}

function withoutAcknowledged(violation: PolicyViolation): PolicyViolation {
  const { ruleName, violatingResources } = violation;
  const left = violatingResources.filter(({ constructPath = '' }) => !isAcknowledged(ruleName, constructPath));
  return { ...violation, violatingResources: left };
}

/** Accepted cdk-nag findings with their reasons. */
export interface Acknowledgement {
  /** Rules as in the report, some with the finding in brackets. A trailing `*` matches anything. */
  readonly rules: readonly string[];
  /** Construct paths. */
  readonly at: RegExp;
  readonly reason: string;
}

/** Roles and functions that CDK adds for the files of a bucket. */
const bucketDeployment = /\/Custom::CDKBucketDeployment\w+\//;

const managedPolicy = (name: string) =>
  `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/${name}]`;

/**
 * The only place that suppresses findings. A test fails for a finding without a reason, and for a reason without a
 * finding.
 */
export const acknowledgements: readonly Acknowledgement[] = [
  {
    rules: ['AwsSolutions-APIG2'],
    at: /\/Api\/RestApi\/Resource$/,
    reason:
      'Functions validate every request by the schema of its route, and return 400 in the envelope with the field.',
  },
  {
    rules: ['AwsSolutions-APIG4', 'AwsSolutions-COG4'],
    at: /\/Api\/RestApi\/Default\//,
    reason:
      'Keys and sessions are checked by the function, a key within the write that admits the call: an authorizer would cost a second round trip and act on a revocation late. Some routes take no credential by specification.',
  },
  {
    rules: ['AwsSolutions-APIG6'],
    at: /\/Api\/RestApi\/DeploymentStage\.live\/Resource$/,
    reason: 'The access log has every request; execution logs would add headers and paths with links and credentials.',
  },
  {
    rules: ['AwsSolutions-CFR1'],
    at: /\/edge\/Distribution\/Resource$/,
    reason: 'The service is for callers everywhere.',
  },
  {
    rules: ['AwsSolutions-CFR2'],
    at: /\/edge\/Distribution\/Resource$/,
    reason:
      'The firewall is in front of the API, which accepts requests through the edge only; the rest is public files.',
  },
  {
    rules: ['AwsSolutions-CFR3'],
    at: /\/edge\/Distribution\/Resource$/,
    reason:
      'Logs of CloudFront have query strings, in which confirmation and reset links carry their tokens. The access log of the API has none.',
  },
  {
    rules: ['AwsSolutions-CFR4'],
    at: /\/edge\/Distribution\/Resource$/,
    reason: 'The certificate of CloudFront has fixed protocols; a stage with a domain has TLS 1.2 and newer.',
  },
  {
    rules: [managedPolicy('AmazonAPIGatewayPushToCloudWatchLogs')],
    at: /-data\/GatewayLogs\/Role\/Resource$/,
    reason: 'API Gateway requires this policy; there is one role for the account and region.',
  },
  {
    rules: [
      'AwsSolutions-IAM5[Resource::<*',
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:*',
      'AwsSolutions-IAM5[Resource::*]',
    ],
    at: /-data\/Backups\/Role\/DefaultPolicy\/Resource$/,
    reason:
      'AWS Backup names backups itself, of the tables and the bucket that are granted alone; keys are those of the two vaults, of which one is another account’s, by grants for AWS only. Metrics, and lists of rules and buckets, which it reads, have no resource.',
  },
  {
    rules: [managedPolicy('AWSCodeDeployRoleForLambdaLimited')],
    at: /\/Rollout\/Role\/Resource$/,
    reason: 'CodeDeploy requires this policy, the narrowest that AWS has for moving aliases of functions.',
  },
  {
    rules: ['AwsSolutions-IAM5[Resource::*]'],
    at: /-api\/.*\/?[a-z-]+\/Role\/DefaultPolicy\/Resource$/,
    reason:
      'Traces have no resource: xray:PutTraceSegments and xray:PutTelemetryRecords. The golden table of grants shows that nothing else is wide.',
  },
  {
    rules: ['AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/*]'],
    at: /-api\/.*\/Role\/DefaultPolicy\/Resource$/,
    reason:
      'In the sandbox SES also authorizes the recipient’s identity; a condition restricts the sender to the address of the stage.',
  },
  {
    rules: ['AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:sms-voice:<AWS::Region>:<AWS::AccountId>:*]'],
    at: /-api\/messages\/send-message\/Role\/DefaultPolicy\/Resource$/,
    reason:
      'A message comes from a number, pool or sender that AWS may choose among those of the account; the two actions send, and read nothing.',
  },
  {
    rules: ['AwsSolutions-S1'],
    at: /\/edge\/Files\/Bucket\/Resource$/,
    reason: 'The bucket has public files only, built from the repository; CloudFront alone reads it.',
  },
  {
    rules: ['AwsSolutions-S1'],
    at: /\/GivenUp\/Bucket\/Resource$/,
    reason:
      'Lambda alone writes, what a stream gave up; an alarm rings for every object, which an access log would only repeat.',
  },
  {
    rules: ['AwsSolutions-IAM5[Resource::<projectledgerFunctionGivenUpBucket*'],
    at: /\/project-ledger\/Role\/DefaultPolicy\/Resource$/,
    reason: 'Lambda makes the keys of the objects in this bucket, which is the job’s own.',
  },
  {
    rules: ['AwsSolutions-S1'],
    at: /-data\/Archive\/Bucket\/Resource$/,
    reason:
      'Only functions and AWS Backup reach the bucket; objects are versioned and checked by their SHA-256 when read.',
  },
  {
    rules: [
      'AwsSolutions-IAM5[Resource::text-ai-*',
      'AwsSolutions-IAM5[Resource::staging-text-ai-*',
      'AwsSolutions-IAM5[Resource::live-text-ai-*',
    ],
    at: /-api\/(?:credits|operators|inference|jobs)\/[a-z-]+\/Role\/DefaultPolicy\/Resource$/,
    reason:
      'Objects of the archive are named by account and month: functions read or write all of them, and delete none.',
  },
  {
    rules: ['AwsSolutions-S1'],
    at: /-data\/Audio\/Bucket\/Resource$/,
    reason:
      'Callers reach the bucket by forms that the API has signed and logged; an access log would add who sends what.',
  },
  {
    rules: [
      'AwsSolutions-IAM5[Resource::<AudioBucket*',
      'AwsSolutions-IAM5[Resource::text-ai-*',
      'AwsSolutions-IAM5[Resource::staging-text-ai-*',
      'AwsSolutions-IAM5[Resource::live-text-ai-*',
    ],
    at: /(?:-data\/Audio\/EndpointPolicy|-api\/(?:audio|jobs)\/[a-z-]+\/Role\/DefaultPolicy)\/Resource$/,
    reason: 'Files of long audio are named by account and job: each function is given the folders that it needs.',
  },
  {
    rules: ['AwsSolutions-SMG4'],
    at: /\/Firewall\/OriginVerification\/Resource$/,
    reason:
      'Edge and firewall must change it in one deployment, which a rotation by schedule cannot; docs/runbook.md has the steps.',
  },
  {
    rules: ['AwsSolutions-SQS3', 'Serverless-SQSRedrivePolicy'],
    at: /\/DeadLetters\/Resource$/,
    reason: 'These are the dead-letter queues; an alarm sends an operator to them.',
  },
  {
    rules: ['Serverless-LambdaEventSourceMappingDestination'],
    at: /\/Live\/Messages\/Resource$/,
    reason:
      'A queue has no such destination: what was given up on goes to the dead-letter queue of its redrive policy.',
  },
  {
    rules: ['Serverless-LambdaDLQ'],
    at: /\/[a-z-]+\/Function\/Resource$/,
    reason: 'Functions of routes are called synchronously; jobs have a dead-letter queue as their failure destination.',
  },
  {
    rules: ['Serverless-LambdaTracing'],
    at: /\/(?:request-)?jobs\/[a-z-]+\/Function\/Resource$/,
    reason:
      'Jobs are traced as part of a traced request; by themselves each run on a schedule would be a charged trace.',
  },
  {
    rules: ['Serverless-EventBusDLQ', 'Serverless-LambdaAsyncFailureDestination'],
    at: /\/walk-canary\/(Function\/Schedule|Live\/EventInvokeConfig)\/Resource$/,
    reason: 'A walk that did not take place is not made up for: its alarm fires where two in a row write no success.',
  },
  {
    rules: ['Serverless-SNSRedrivePolicy'],
    at: /\/Alarms\/[^/]+\/Resource$/,
    reason: 'A notification that cannot be delivered need not be kept; the alarm itself stays in CloudWatch.',
  },
  {
    rules: [
      'AwsSolutions-L1',
      managedPolicy('AWSLambdaBasicExecutionRole'),
      'AwsSolutions-IAM5[*',
      'Serverless-LambdaDLQ',
      'Serverless-LambdaLatestVersion',
      'Serverless-LambdaTracing',
    ],
    at: bucketDeployment,
    reason:
      'CDK creates and updates this function, which uploads the dashboard to its bucket while CloudFormation waits for it.',
  },
  {
    rules: ['AwsSolutions-IAM5[*'],
    at: /^text-ai-pipeline\/Pipeline\/.*\/DefaultPolicy\/Resource$/,
    reason:
      'CDK Pipelines creates these roles: wide within its own bucket, key, log groups and reports, and to assume the roles of the bootstrap.',
  },
  {
    rules: ['AwsSolutions-S1'],
    at: /^text-ai-pipeline\/Pipeline\/Pipeline\/ArtifactsBucket\/Resource$/,
    reason: 'Sources and templates of the pipeline; CloudTrail records who deployed what.',
  },
  {
    rules: ['AwsSolutions-IAM5[Resource::*]', 'AwsSolutions-IAM5[Resource::arn:*'],
    at: /-models\/[^/]+\/Role\/DefaultPolicy\/Resource$/,
    reason:
      'Tokens of the registry have no resource; SageMaker names the log groups of endpoints itself; weights are all objects under their prefix.',
  },
];

/** Returns whether a resource's finding has a reason. */
export function isAcknowledged(rule: string, path: string): boolean {
  return acknowledgements.some((one) => covers(one, rule, path));
}

export function covers({ rules, at }: Acknowledgement, rule: string, path: string): boolean {
  const names = (known: string) => (known.endsWith('*') ? rule.startsWith(known.slice(0, -1)) : known === rule);
  return rules.some(names) && at.test(path);
}
