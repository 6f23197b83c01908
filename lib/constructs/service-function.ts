import { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Environment } from '#contract/environment.ts';
import type { Stage } from '#lib/stages.ts';
import { functionCode } from './function-code.ts';

export type Variables = Readonly<Partial<Record<keyof Environment, string>>>;

export interface ServiceFunctionProps {
  /** File whose export `handler` runs. */
  readonly entry: string;
  /** One line for whoever meets the function in the console. */
  readonly description: string;
  /** After so long a run is ended. */
  readonly timeoutSeconds: number;
  /** Buys processor share too. */
  readonly memoryMb: number;
  /** Gives the public origin and how long the log is kept. */
  readonly stage: Stage;
}

/** A Lambda with the defaults of every one of ours, and a role that may write its own log and traces, nothing else. */
export class ServiceFunction extends LambdaFunction {
  constructor(
    scope: Construct,
    id: string,
    { entry, description, timeoutSeconds, memoryMb, stage }: ServiceFunctionProps,
  ) {
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
        POWERTOOLS_SERVICE_NAME: 'text-ai',
        POWERTOOLS_METRICS_NAMESPACE: 'TextAi',
        ...({ PUBLIC_ORIGIN: stage.publicOrigin, SESSION_COOKIE: '__Host-session' } satisfies Variables),
      },
    });
  }
}
