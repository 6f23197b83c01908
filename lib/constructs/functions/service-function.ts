import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal, ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  CfnFunction,
  Function as LambdaFunction,
  type IFunction,
  type IVersion,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  Tracing,
  CfnCapacityProvider,
} from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { corsVariable } from '#contract/http/cors.ts';
import type { Uses } from '#contract/http/route.ts';
import type { Environment } from '#contract/platform/environment.ts';
import { metricsService } from '#contract/platform/metrics.ts';
import { functionCode } from '#lib/constructs/function-code.ts';
import { fiveMinutes, userAlarm } from '#lib/constructs/monitoring/alarms.ts';
import type { Compute } from '#lib/settings.ts';
import { createLogGroup, cast, metricsNamespace, sessionCookie, type SharedProps } from '#lib/shared-props.ts';
import { callsBedrock, callsStripe } from '#lib/stage.ts';

export type Variables = Readonly<Partial<Record<keyof Environment, string>>>;

export interface ServiceFunctionProps extends SharedProps {
  /** Source of the entry point, which exports `handler` (contract/handlers.ts). */
  readonly entry: string;
  readonly uses: Uses;
  /** Description in the AWS console, one line. */
  readonly description: string;
  readonly timeoutSeconds: number;
  /** Memory also determines the CPU share. */
  readonly memoryMb: number;
  /** Impact on users while it fails: a full sentence for a separate alarm, or a shared alarm that covers it. */
  readonly failing: string | FunctionAlarm;
  /** Provisioned concurrency. Default: none. */
  readonly provisionedConcurrency?: number | undefined;
  /** Reserved concurrency, which is also the maximum. Default: shares the account's. */
  readonly reservedConcurrency?: number | undefined;
  /** Shared environments, with the minimum number. Default: each environment has one call at a time. */
  readonly shared?: { readonly by: SharedEnvironments; readonly minEnvironments: number } | undefined;
  /** Tracing mode. Default: follows API Gateway's decision. */
  readonly tracing?: Tracing;
  /**
   * Whether the function sends to the queue that triggers it and limits the chain itself. Default: Lambda stops such a
   * chain after about 16 runs.
   */
  readonly sendsToItself?: boolean;
}

/**
 * Traces jobs only as part of a traced request. Lambda's own sampling would trace the first run of each second and
 * ignores sampling rules (AWS "Visualize Lambda function invocations using AWS X-Ray"), so every run of a scheduled job
 * would be charged.
 */
export const jobTracing = Tracing.PASS_THROUGH;

/** A Lambda function with our defaults. Its role can only write its own log and traces. */
export class ServiceFunction extends LambdaFunction {
  /** The alias that callers and triggers invoke. Rollouts move it. */
  readonly live: IFunction;
  /** The alias `live` as an `Alias`, which rollouts require. */
  readonly alias: Alias;
  /** Alarm on failed invocations. */
  readonly failing: Alarm;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { entry, uses, description, timeoutSeconds, memoryMb, failing, stage, alarms } = props;
    const { provisionedConcurrency, reservedConcurrency, sendsToItself = false, tracing = Tracing.ACTIVE } = props;
    const { shared } = props;
    // Lambda moves no existing function to or from shared environments, so CloudFormation must create another one.
    const prefix = shared ? 'Shared' : '';
    const parts = new Construct(scope, id);
    const logGroup = createLogGroup(parts, 'Logs', stage);
    const role = new Role(parts, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    super(parts, `${prefix}Function`, {
      code: functionCode(entry, { withStripe: callsStripe(stage, uses), withBedrock: callsBedrock(stage, uses) }),
      handler: 'index.handler',
      description,
      timeout: Duration.seconds(timeoutSeconds),
      memorySize: shared ? environmentMb : memoryMb,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      tracing,
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
      ...(sendsToItself && { recursiveLoop: RecursiveLoop.ALLOW }),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      currentVersionOptions: shared
        ? // Each version keeps its environments, which are charged, so the previous one is deleted after the rollout.
          { removalPolicy: RemovalPolicy.DESTROY, minExecutionEnvironments: shared.minEnvironments }
        : { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      environment: {
        POWERTOOLS_SERVICE_NAME: metricsService,
        POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(stage),
        ...stageVariables(props),
      },
    });
    const fn = this.node.defaultChild;
    if (fn instanceof CfnFunction) shared?.by.host(fn);
    this.alias = new Alias(parts, `${prefix}Live`, {
      aliasName: 'live',
      version: cast<IVersion>(this.currentVersion),
      ...(provisionedConcurrency !== undefined && { provisionedConcurrentExecutions: provisionedConcurrency }),
    });
    this.live = cast<IFunction>(this.alias);
    const watch =
      typeof failing === 'string' ? new FailureAlarm(parts, { watched: id, impact: failing, stage, alarms }) : failing;
    watch.watch(parts, logGroup);
    this.failing = watch.alarm;
  }
}

/** Settings of the stage in every function's environment. */
function stageVariables({ stage, publicOrigin }: SharedProps) {
  const { corsOrigins, fastPath, frontDoor, lanes, networkLimits, payments, planTable, sessions } = stage;
  return {
    PUBLIC_ORIGIN: publicOrigin,
    SESSION_COOKIE: sessionCookie,
    SESSION_IDLE_HOURS: String(sessions.idleHours),
    SESSION_MAX_DAYS: String(sessions.maxDays),
    PLAN_TABLE: planTable,
    NETWORK_LIMITS: networkLimits,
    ...(corsOrigins.length > 0 && { CORS_ORIGINS: corsVariable(corsOrigins) }),
    ...(fastPath === 'off' && { FAST_PATH: fastPath }),
    ...(lanes === 'on' && { LANES: lanes }),
    ...(payments && { PAYMENTS: 'stripe' }),
    TRUSTED_PROXIES: String(frontDoor.kind === 'edge' ? 1 : frontDoor.trustedProxies),
  } satisfies Variables;
}

export interface FailureAlarmProps extends Pick<SharedProps, 'stage' | 'alarms'> {
  /** Name of the function, or of the resource whose functions it covers. */
  readonly watched: string;
  /** Impact on users while they fail: a full sentence. */
  readonly impact: string;
}

/** An alarm that covers functions, with its filter for their logs. */
export interface FunctionAlarm {
  readonly alarm: Alarm;
  watch(scope: Construct, logGroup: ILogGroup): void;
}

/** Failed invocations in five minutes above which the alarm fires. */
const maxFailures = 2;

/**
 * Log lines that report a failed invocation: a crash or timeout (AWS "Lambda Telemetry API Event schema reference",
 * platform.report), and a 500, which Lambda's own metric `Errors` does not count.
 */
const failure = '{ ($.status = 500) || ($.type = "platform.report" && $.record.status != "success") }';

/** Fires on failed invocations: crash, timeout, out of memory, or a 500 response. */
export class FailureAlarm implements FunctionAlarm {
  readonly alarm: Alarm;
  readonly #metric: Metric;

  constructor(scope: Construct, { watched, impact, stage, alarms: topic }: FailureAlarmProps) {
    this.#metric = new Metric({
      namespace: metricsNamespace(stage),
      metricName: `failures of ${watched}`,
      period: fiveMinutes,
      statistic: 'Sum',
    });
    this.alarm = userAlarm(scope, 'Failing', {
      metric: this.#metric,
      above: maxFailures,
      impact,
      runbook: 'a-function-fails',
      topic,
    });
  }

  /** Counts failures in a function's log. */
  watch(scope: Construct, logGroup: ILogGroup): void {
    const { namespace: metricNamespace, metricName } = this.#metric;
    const filterPattern = FilterPattern.literal(failure);
    new MetricFilter(scope, 'Failures', { logGroup, filterPattern, metricNamespace, metricName });
  }
}

/**
 * An environment is one vCPU, the smallest that Lambda Managed Instances has (AWS "Best practices for Lambda Managed
 * Instances").
 */
const environmentMb = 2048;

export interface SharedEnvironmentsProps {
  readonly compute: Extract<Compute, { kind: 'managed-instances' }>;
  /** Tag of the stage, which its budget counts. */
  readonly tag: { readonly key: string; readonly value: string };
}

/**
 * Instances for functions that have many calls in one environment. One capacity provider for each stage, because it is
 * the security boundary: its functions share instances (AWS "Security and permissions", Lambda Managed Instances).
 */
export class SharedEnvironments extends Construct {
  readonly #provider: CfnCapacityProvider;
  readonly #callsPerEnvironment: number | undefined;

  constructor(scope: Construct, id: string, { compute, tag }: SharedEnvironmentsProps) {
    super(scope, id);
    this.#callsPerEnvironment = compute.callsPerEnvironment;
    const operator = new Role(this, 'Operator', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('AWSLambdaManagedEC2ResourceOperator')],
    });
    // Encrypted with a key of AWS by default.
    this.#provider = new CfnCapacityProvider(this, 'Provider', {
      vpcConfig: { subnetIds: [...compute.subnetIds], securityGroupIds: [...compute.securityGroupIds] },
      permissionsConfig: { capacityProviderOperatorRoleArn: operator.roleArn },
      instanceRequirements: { architectures: [Architecture.ARM_64.name] },
      propagateTags: { mode: 'Explicit', explicitTags: [tag] },
    });
  }

  /** Configures a new function to run here. Lambda adds a capacity provider to no existing function. */
  host(fn: CfnFunction): void {
    fn.capacityProviderConfig = {
      lambdaManagedInstancesCapacityProviderConfig: {
        capacityProviderArn: this.#provider.attrArn,
        executionEnvironmentMemoryGiBPerVCpu: environmentMb / 1024,
        ...(this.#callsPerEnvironment !== undefined && {
          perExecutionEnvironmentMaxConcurrency: this.#callsPerEnvironment,
        }),
      },
    };
    // Otherwise Lambda also publishes a version for unqualified calls, which would keep three environments of its own.
    fn.publishToLatestPublished = false;
  }
}
