import type {
  IPolicyValidationContext,
  IPolicyValidationPlugin,
  PolicyValidationPluginReport,
  PolicyViolation,
} from 'aws-cdk-lib';
import type { NagPack } from 'cdk-nag';

/** A cdk-nag pack whose findings fail the synthesis unless `acknowledgements` contains a reason. */
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
    at: /\/Api\/(?:RestApi\/Default|Paths)\//,
    reason:
      'The function verifies keys and sessions, a key within the write that admits the call. An authorizer would add a round trip and delay revocations. Some routes require no credential by specification.',
  },
  {
    rules: ['AwsSolutions-APIG6'],
    at: /\/Api\/RestApi\/DeploymentStage\.live\/Resource$/,
    reason:
      'The access log contains every request. Execution logs would add headers and paths with links and credentials.',
  },
  {
    rules: ['AwsSolutions-CFR1'],
    at: /\/edge\/Distribution\/Resource$/,
    reason: 'The service accepts callers from all countries.',
  },
  {
    rules: ['AwsSolutions-CFR2'],
    at: /\/edge\/Distribution\/Resource$/,
    reason:
      'The firewall protects the API, which accepts requests only through the edge. All other content is public files.',
  },
  {
    rules: ['AwsSolutions-CFR3'],
    at: /\/edge\/Distribution\/Resource$/,
    reason:
      'CloudFront logs contain query strings with the tokens of confirmation and reset links. The access log of the API does not.',
  },
  {
    rules: ['AwsSolutions-CFR4'],
    at: /\/edge\/Distribution\/Resource$/,
    reason: 'The protocols of CloudFront’s own certificate are fixed. A stage with a domain requires TLS 1.2 or newer.',
  },
  {
    rules: [managedPolicy('AmazonAPIGatewayPushToCloudWatchLogs')],
    at: /-data\/GatewayLogs\/Role\/Resource$/,
    reason: 'API Gateway requires this policy. The account has one such role per region.',
  },
  {
    rules: [
      'AwsSolutions-IAM5[Resource::<*',
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:*',
      'AwsSolutions-IAM5[Resource::*]',
    ],
    at: /-data\/Backups\/Role\/DefaultPolicy\/Resource$/,
    reason:
      'AWS Backup chooses the names of backups, and only the tables and the bucket are granted. Keys are those of both vaults, one of which belongs to another account, with grants for AWS only. Metrics and the lists of rules and buckets have no resource.',
  },
  {
    rules: ['AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/AWSLambdaManagedEC2ResourceOperator]'],
    at: /-api\/SharedEnvironments\/Operator\/Resource$/,
    reason: 'Lambda requires this policy to start and stop the instances. Only Lambda can assume the role.',
  },
  {
    rules: [managedPolicy('AWSCodeDeployRoleForLambdaLimited')],
    at: /\/Rollout\/Role\/Resource$/,
    reason: 'CodeDeploy requires this policy, the narrowest AWS policy for moving function aliases.',
  },
  {
    rules: ['AwsSolutions-IAM5[Resource::*]'],
    at: /-api\/.*\/?[a-z-]+\/Role\/DefaultPolicy\/Resource$/,
    reason:
      'Tracing (xray:PutTraceSegments and xray:PutTelemetryRecords) has no resource. A snapshot of all grants shows that no other action uses a wildcard.',
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
      'AWS may choose the number, pool or sender of a message among those of the account. Both actions only send.',
  },
  {
    rules: ['AwsSolutions-S1'],
    at: /\/edge\/Files\/Bucket\/Resource$/,
    reason: 'The bucket contains only public files, built from the repository, and only CloudFront reads it.',
  },
  {
    rules: ['AwsSolutions-S1'],
    at: /\/GivenUp\/Bucket\/Resource$/,
    reason:
      'Only Lambda writes discarded records to it. An alarm fires for every object, so an access log adds nothing.',
  },
  {
    rules: ['AwsSolutions-IAM5[Resource::<projectledgerFunctionGivenUpBucket*'],
    at: /\/project-ledger\/Role\/DefaultPolicy\/Resource$/,
    reason: 'Lambda chooses the object keys in this bucket, which belongs to the job.',
  },
  {
    rules: ['AwsSolutions-S1'],
    at: /-data\/Archive\/Bucket\/Resource$/,
    reason: 'Only functions and AWS Backup access the bucket. Objects are versioned, and reads verify their SHA-256.',
  },
  {
    rules: [
      'AwsSolutions-IAM5[Resource::text-ai-*',
      'AwsSolutions-IAM5[Resource::staging-text-ai-*',
      'AwsSolutions-IAM5[Resource::live-text-ai-*',
    ],
    at: /-api\/(?:accounts|credits|operators|inference|openai|jobs)\/[a-z-]+\/Role\/DefaultPolicy\/Resource$/,
    reason: 'Archive objects are named by account and month. Functions read or write all of them, and delete none.',
  },
  {
    rules: ['AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*'],
    at: /-api\/[a-z-]+\/[a-z-]+\/Role\/DefaultPolicy\/Resource$/,
    reason: 'An inference profile calls its model in several regions. A condition limits the grant to the profile.',
  },
  {
    rules: ['AwsSolutions-S1'],
    at: /-data\/Audio\/Bucket\/Resource$/,
    reason: 'Callers upload with forms that the API has signed and logged, so an access log adds little.',
  },
  {
    rules: ['AwsSolutions-S1'],
    at: /-data\/Contents\/Bucket\/Resource$/,
    reason: 'Only functions access the bucket. Members’ reads of the texts of others are in the audit trail.',
  },
  {
    rules: ['AwsSolutions-IAM5[Resource::text-ai-*'],
    at: /-api\/(?:keys|anthropic|agents)\/[a-z-]+\/Role\/DefaultPolicy\/Resource$/,
    reason: 'Stored prompts are named by account, key and request. A function may only write, read or delete them.',
  },
  {
    rules: [
      'AwsSolutions-IAM5[Resource::<AudioBucket*',
      'AwsSolutions-IAM5[Resource::text-ai-*',
      'AwsSolutions-IAM5[Resource::staging-text-ai-*',
      'AwsSolutions-IAM5[Resource::live-text-ai-*',
    ],
    at: /(?:-data\/Audio\/EndpointPolicy|-api\/(?:accounts|audio|jobs)\/[a-z-]+\/Role\/DefaultPolicy)\/Resource$/,
    reason:
      'Files of long audio are named by account and job. Each function is granted only the folders that it needs.',
  },
  {
    rules: ['AwsSolutions-SMG4'],
    at: /\/Firewall\/OriginVerification\/Resource$/,
    reason:
      'Edge and firewall must change it in the same deployment, which a scheduled rotation cannot do. docs/runbook.md describes the steps.',
  },
  {
    rules: ['AwsSolutions-SQS3', 'Serverless-SQSRedrivePolicy'],
    at: /\/DeadLetters\/Resource$/,
    reason: 'These are the dead-letter queues. An alarm notifies operators of their messages.',
  },
  {
    rules: ['Serverless-LambdaEventSourceMappingDestination'],
    at: /\/Live\/Messages\/Resource$/,
    reason:
      'Queues do not support this destination. Failed messages move to the dead-letter queue of the redrive policy.',
  },
  {
    rules: ['Serverless-LambdaDLQ'],
    at: /\/[a-z-]+\/(?:Shared)?Function\/Resource$/,
    reason: 'Route functions are invoked synchronously. Jobs use a dead-letter queue as their failure destination.',
  },
  {
    rules: ['Serverless-LambdaTracing'],
    at: /\/(?:request-)?jobs\/[a-z-]+\/Function\/Resource$/,
    reason: 'Jobs are traced as part of a traced request. Otherwise every scheduled run would be charged.',
  },
  {
    rules: ['Serverless-EventBusDLQ', 'Serverless-LambdaAsyncFailureDestination'],
    at: /\/walk-canary\/(Function\/Schedule|Live\/EventInvokeConfig)\/Resource$/,
    reason: 'A missed run is not repeated. The alarm fires after two consecutive runs without success.',
  },
  {
    rules: ['Serverless-SNSRedrivePolicy'],
    at: /\/Alarms\/[^/]+\/Resource$/,
    reason: 'Undeliverable notifications need not be kept, because CloudWatch keeps the alarm.',
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
      'CDK Pipelines creates these roles. Their wildcards cover only its own bucket, key, log groups and reports, and the bootstrap roles.',
  },
  {
    rules: ['AwsSolutions-S1'],
    at: /^text-ai-pipeline\/Pipeline\/Pipeline\/ArtifactsBucket\/Resource$/,
    reason: 'The bucket contains sources and templates of the pipeline. CloudTrail records deployments.',
  },
  {
    rules: ['AwsSolutions-IAM5[Resource::*]', 'AwsSolutions-IAM5[Resource::arn:*'],
    at: /-models\/[^/]+\/Role\/DefaultPolicy\/Resource$/,
    reason:
      'Registry tokens have no resource, SageMaker names the log groups of endpoints, and weights are all objects under a prefix.',
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
