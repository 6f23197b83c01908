import { NestedStack } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { jobEntry, routeEntry } from '#contract/handlers.ts';
import type { Route } from '#contract/http/route.ts';
import { canary, type Job } from '#contract/jobs.ts';
import type { QueueId } from '#contract/platform/resources.ts';
import { grantUses, type Resources } from '#lib/constructs/functions/grants.ts';
import { JobFunction, type JobFunctionProps } from '#lib/constructs/functions/job-function.ts';
import { CanaryFunction, rollOut } from '#lib/constructs/functions/rollout.ts';
import { FailureAlarm, ServiceFunction } from '#lib/constructs/functions/service-function.ts';
import type { SharedEnvironments } from '#lib/constructs/functions/shared-environments.ts';
import { minEnvironments } from '#lib/settings.ts';
import { cast, countryHeader, type SharedProps } from '#lib/shared-props.ts';

export interface FunctionGroupProps extends SharedProps, Omit<Resources, 'stage'> {
  readonly routes: readonly Route[];
  /** Environments for the routes that share them. */
  readonly environments: SharedEnvironments | undefined;
}

/**
 * Functions for the routes of one resource. Nested, because all functions together exceed the 500 resources of a stack.
 */
export class FunctionGroup extends NestedStack {
  readonly functions: ReadonlyMap<Route, ServiceFunction>;

  constructor(scope: Construct, id: string, props: FunctionGroupProps) {
    const { routes, tables, mail, messaging, audio, archive, contents, queues, stage, publicOrigin, alarms } = props;
    const { environments } = props;
    super(scope, id, { description: `Text AI platform: functions of ${id}` });
    const shared = { stage, publicOrigin, alarms };
    // Every alarm costs the same. Unpriced routes share one alarm per resource; the log names the route.
    const inCommon = routes.every(({ priced }) => priced)
      ? undefined
      : new FailureAlarm(new Construct(this, id), {
          watched: id,
          impact: `Requests for ${id} fail for some callers.`,
          stage,
          alarms,
        });
    const lossOf = ({ summary, method, path }: Route) => `“${summary}” fails for some callers: ${method} ${path}.`;
    const create = (route: Route): ServiceFunction => {
      const minimum = minEnvironments(stage, route.id);
      const fn = new ServiceFunction(this, route.id, {
        entry: routeEntry(route.id),
        uses: route.uses,
        description: route.summary,
        timeoutSeconds: route.timeoutSeconds,
        memoryMb: route.memoryMb,
        failing: route.priced || !inCommon ? lossOf(route) : inCommon,
        provisionedConcurrency: stage.provisionedConcurrency[route.id],
        ...(environments && minimum !== undefined && { shared: { by: environments, minEnvironments: minimum } }),
        ...shared,
      });
      grantUses(fn, route.uses, {
        tables,
        mail,
        messaging,
        audio,
        archive,
        contents,
        stage,
        ...(queues && { queues }),
      });
      if (route.opensSession && stage.frontDoor.kind === 'edge')
        fn.addEnvironment('COUNTRY_HEADER', countryHeader.toLowerCase());
      return fn;
    };
    this.functions = new Map(routes.map((route) => [route, create(route)]));
    rollOut(this, stage, [...this.functions.values()]);
  }
}

export interface JobGroupProps
  extends
    SharedProps,
    Pick<Resources, 'tables' | 'mail' | 'messaging' | 'audio' | 'archive' | 'contents'>,
    Pick<JobFunctionProps, 'recordedLogs'> {
  readonly jobs: readonly Job[];
  /** Queues of other groups. */
  readonly queues?: Resources['queues'];
  /** API origin and base path for the canary. Absent if the group has no canary. */
  readonly apiOrigin?: string;
}

/** The jobs and their triggers. */
export class JobGroup extends NestedStack {
  readonly jobs: readonly JobFunction[];
  /** Queues of jobs, for their senders. */
  readonly queues: ReadonlyMap<QueueId, IQueue>;

  constructor(scope: Construct, id: string, props: JobGroupProps) {
    const { jobs, tables, mail, messaging, audio, archive, contents, recordedLogs, apiOrigin, ...shared } = props;
    super(scope, id, { description: 'Text AI platform: jobs' });
    const { stage } = shared;
    const functions = jobs.map((job) => {
      const entry = jobEntry(job);
      return {
        job,
        fn: new JobFunction(this, job.id, { job, tables, mail, audio, recordedLogs, entry, ...shared }),
      };
    });
    const queues = new Map<QueueId, IQueue>([
      ...(props.queues ?? []),
      ...functions.flatMap(({ job: { trigger }, fn: { queue } }): [QueueId, IQueue][] =>
        'queue' in trigger && queue ? [[trigger.queue, cast<IQueue>(queue)]] : [],
      ),
    ]);
    for (const { job, fn } of functions)
      grantUses(fn, job.uses, { tables, mail, messaging, audio, archive, contents, queues, stage });
    this.jobs = functions.map(({ fn }) => fn);
    rollOut(this, stage, this.jobs);
    this.queues = queues;
    if (stage.canary && apiOrigin !== undefined) {
      const entry = jobEntry(canary);
      const { model } = stage.canary;
      const fn = new CanaryFunction(this, canary.id, { job: canary, model, origin: apiOrigin, entry, ...shared });
      grantUses(fn, canary.uses, { tables, mail, messaging, audio, archive, contents, stage });
    }
  }
}
