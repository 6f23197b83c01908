import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Environment } from '#contract/platform/environment.ts';
import { metricsService } from '#contract/platform/metrics.ts';
import { cast } from '#lib/cast.ts';
import { functionCode } from '#lib/constructs/function-code.ts';
import { fiveMinutes, userAlarm } from '#lib/constructs/shared/alarms.ts';
import { createLogGroup } from '#lib/constructs/shared/log-group.ts';
import { metricsNamespace, type SharedProps } from '#lib/shared-props.ts';

export type Variables = Readonly<Partial<Record<keyof Environment, string>>>;

export interface ServiceFunctionProps extends SharedProps {
  /** File whose export `handler` runs. */
  readonly entry: string;
  /** One line for the console. */
  readonly description: string;
  /** Timeout of an invocation. */
  readonly timeoutSeconds: number;
  /** Buys processor share too. */
  readonly memoryMb: number;
  /** Impact on users while it fails: a whole sentence. */
  readonly loss: string;
  /** Provisioned concurrency. Default: none. */
  readonly provisionedConcurrency?: number | undefined;
}

/** Failed invocations of a function in five minutes above which its alarm fires. */
const maxFailures = 2;

/**
 * Lines of a function's log that report a failed invocation: a crash or timeout (AWS "Lambda Telemetry API Event schema reference",
 * platform.report), and a 500, which Lambda's own metric `Errors` takes for a success.
 */
const failure = '{ ($.status = 500) || ($.type = "platform.report" && $.record.status != "success") }';

/** A Lambda function with our defaults, and a role that may write its own log and traces, nothing else. */
export class ServiceFunction extends LambdaFunction {
  /** The alias that callers and triggers invoke; a rollout moves it. */
  readonly live: IFunction;
  /** The same alias, for rollouts. */
  readonly alias: Alias;
  /** Fires when invocations fail: crashed, timed out, out of memory, or ended in a 500. */
  readonly failing: Alarm;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { entry, description, timeoutSeconds, memoryMb, loss, provisionedConcurrency, stage, alarms: topic } = props;
    const parts = new Construct(scope, id);
    const logGroup = createLogGroup(parts, 'Logs', stage);
    const role = new Role(parts, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    super(parts, 'Function', {
      code: functionCode(entry),
      handler: 'index.handler',
      description,
      timeout: Duration.seconds(timeoutSeconds),
      memorySize: memoryMb,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      tracing: Tracing.ACTIVE,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      environment: {
        POWERTOOLS_SERVICE_NAME: metricsService,
        POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(stage),
        ...stageVariables(props),
      },
    });
    this.alias = new Alias(parts, 'Live', {
      aliasName: 'live',
      version: cast<IVersion>(this.currentVersion),
      ...(provisionedConcurrency !== undefined && { provisionedConcurrentExecutions: provisionedConcurrency }),
    });
    this.live = cast<IFunction>(this.alias);
    const failures = new MetricFilter(parts, 'Failures', {
      logGroup,
      filterPattern: FilterPattern.literal(failure),
      metricNamespace: metricsNamespace(stage),
      metricName: `failures of ${id}`,
    });
    this.failing = userAlarm(parts, 'Failing', {
      metric: failures.metric({ period: fiveMinutes, statistic: 'Sum' }),
      above: maxFailures,
      loss,
      runbook: 'a-function-fails',
      topic,
    });
  }
}

/** Settings of the stage in every function's environment. */
function stageVariables({ stage: { fastPath, frontDoor, networkLimits, planTable }, publicOrigin }: SharedProps) {
  return {
    PUBLIC_ORIGIN: publicOrigin,
    SESSION_COOKIE: '__Host-session',
    PLAN_TABLE: planTable,
    NETWORK_LIMITS: networkLimits,
    ...(fastPath === 'off' && { FAST_PATH: fastPath }),
    TRUSTED_PROXIES: String(frontDoor.kind === 'edge' ? 1 : frontDoor.trustedProxies),
  } satisfies Variables;
}
