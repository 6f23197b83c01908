import { Duration } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Environment } from '#contract/platform/environment.ts';
import { metricsService } from '#contract/platform/metrics.ts';
import { seenAs } from '#lib/seen-as.ts';
import { metricsNamespace, type Surroundings } from '#lib/surroundings.ts';
import { fiveMinutes, userAlarm } from './alarms.ts';
import { functionCode } from './function-code.ts';

export type Variables = Readonly<Partial<Record<keyof Environment, string>>>;

export interface ServiceFunctionProps extends Surroundings {
  /** File whose export `handler` runs. */
  readonly entry: string;
  /** One line for whoever meets the function in the console. */
  readonly description: string;
  /** After so long a run is ended. */
  readonly timeoutSeconds: number;
  /** Buys processor share too. */
  readonly memoryMb: number;
  /** What users lose while it fails: a whole sentence. */
  readonly loss: string;
  /** Instances kept warm; none unless said. */
  readonly keptWarm?: number | undefined;
}

/** Runs of a function that may end without an answer within five minutes before somebody is told. */
const toleratedFailures = 2;

/** A Lambda with the defaults of every one of ours, and a role that may write its own log and traces, nothing else. */
export class ServiceFunction extends LambdaFunction {
  /** The version in use: callers and triggers go through it, a rollout moves it. */
  readonly live: IFunction;
  /** The same, for what moves it. */
  readonly alias: Alias;
  /** Fires when runs end without an answer: crashed, out of time, out of memory. */
  readonly failing: Alarm;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { entry, description, timeoutSeconds, memoryMb, loss, keptWarm, stage, alarms: topic } = props;
    const parts = new Construct(scope, id);
    const logGroup = new LogGroup(parts, 'Logs', { retention: stage.logRetentionDays });
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
      environment: {
        POWERTOOLS_SERVICE_NAME: metricsService,
        POWERTOOLS_METRICS_NAMESPACE: metricsNamespace(stage),
        ...settingsOf(props),
      },
    });
    this.alias = new Alias(parts, 'Live', {
      aliasName: 'live',
      version: seenAs<IVersion>(this.currentVersion),
      ...(keptWarm !== undefined && { provisionedConcurrentExecutions: keptWarm }),
    });
    this.live = seenAs<IFunction>(this.alias);
    this.failing = userAlarm(parts, 'Failing', {
      metric: this.live.metricErrors({ period: fiveMinutes }),
      above: toleratedFailures,
      loss,
      runbook: 'a-function-fails',
      topic,
    });
  }
}

/** Choices of the stage that every function knows. */
function settingsOf({ stage: { fastPath, frontDoor, networkLimits, planTable }, publicOrigin }: Surroundings) {
  return {
    PUBLIC_ORIGIN: publicOrigin,
    SESSION_COOKIE: '__Host-session',
    PLAN_TABLE: planTable,
    NETWORK_LIMITS: networkLimits,
    ...(fastPath === 'off' && { FAST_PATH: fastPath }),
    TRUSTED_PROXIES: String(frontDoor.kind === 'edge' ? 1 : frontDoor.trustedProxies),
  } satisfies Variables;
}
