import { CfnOutput, Stack, type StackProps, NestedStack } from 'aws-cdk-lib';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { routeEntry, jobEntry } from '#contract/handlers.ts';
import type { Route } from '#contract/http/route.ts';
import { type Job, canary } from '#contract/jobs.ts';
import type { QueueId } from '#contract/platform/resources.ts';
import { allRoutes, routeGroups, unknownRouteId } from '#contract/routes.ts';
import { Firewall } from '#lib/constructs/api/firewall.ts';
import { ServiceApi } from '#lib/constructs/api/rest-api.ts';
import { Mail, Messaging } from '#lib/constructs/data/mail.ts';
import { type Resources, grantUses } from '#lib/constructs/functions/grants.ts';
import { JobFunction, type JobFunctionProps } from '#lib/constructs/functions/job-function.ts';
import { rollOut, CanaryFunction } from '#lib/constructs/functions/rollout.ts';
import { ServiceFunction, FailureAlarm, SharedEnvironments } from '#lib/constructs/functions/service-function.ts';
import { alarmTopic } from '#lib/constructs/monitoring/alarms.ts';
import { minEnvironments } from '#lib/settings.ts';
import { stageTag, cast, countryHeader, type SharedProps } from '#lib/shared-props.ts';
import { jobsOf } from '#lib/stage.ts';
import { EdgeStack } from './edge-stack.ts';
import { PagesStack } from './pages-stack.ts';

export interface ApiStackProps extends StackProps, Omit<Resources, 'mail' | 'messaging'> {
  /** Disables response streaming, for a front door that cannot stream. */
  readonly buffered: boolean;
  /** Folder with the dashboard's files. Null: the dashboard is not deployed with the edge. */
  readonly dashboard: string | null;
}

/** All stateless resources: the front door, the edge in front of it, a function for each route, the jobs. */
export class ApiStack extends Stack {
  readonly alarms: ITopic;
  readonly jobs: readonly JobFunction[];
  readonly mail: Mail;
  readonly apiUrl: CfnOutput;
  readonly inferenceUrl: CfnOutput;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    const { stage, tables, audio, archive, contents: stored, buffered, dashboard, ...stack } = props;
    // Behind a buffering front door, a response would wait for the storage of its prompt.
    const contents = buffered ? undefined : stored;
    super(scope, id, { description: 'Text AI platform: API and jobs', ...stack });

    this.alarms = alarmTopic(this, stage);
    this.mail = new Mail(this, 'Mail');
    const messaging = stage.messages.countries.length > 0 ? new Messaging(this, 'Messaging', stage) : undefined;
    const api = new ServiceApi(this, 'Api', { stage, buffered });
    const firewall = stage.firewall && new Firewall(this, 'Firewall', { api, stage, limits: stage.firewall });

    const { frontDoor } = stage;
    const edge =
      frontDoor.kind === 'edge'
        ? new EdgeStack(this, 'edge', {
            stage,
            domain: frontDoor.domain,
            api,
            audio: audio.bucket,
            dashboard,
            originVerification: firewall?.originVerification,
          })
        : undefined;
    const publicOrigin = frontDoor.kind === 'edge' ? (edge?.origin ?? '') : frontDoor.publicOrigin;
    const apiOrigin = edge ? publicOrigin : `https://${api.origin.host}${api.origin.path}`;
    const shared = { stage, publicOrigin, alarms: this.alarms };

    const recordedLogs = new Map<string, ILogGroup>();
    const resources = { ...shared, tables, mail: this.mail, messaging, audio, archive, contents };
    const { compute } = stage;
    const environments =
      compute.kind === 'managed-instances'
        ? new SharedEnvironments(this, 'SharedEnvironments', { compute, tag: stageTag(stage) })
        : undefined;
    const groups: FunctionGroup[] = [];
    const addGroup = (name: string, routes: readonly Route[], queues?: Resources['queues']): void => {
      const group = new FunctionGroup(this, name, { ...resources, routes, environments, ...(queues && { queues }) });
      groups.push(group);
      for (const [route, fn] of group.functions) {
        api.attach(route, fn.live);
        if (route.priced) recordedLogs.set(route.id, fn.logGroup);
      }
    };
    const resourceRoutes = Object.entries<readonly Route[]>(routeGroups);
    const forJobs = { ...resources, recordedLogs };
    // Nested stacks cannot have circular dependencies: jobs read the logs of priced routes, and some of these routes
    // send to job queues.
    const deployedJobs = jobsOf(stage);
    const requestJobs = new JobGroup(this, 'request-jobs', {
      ...forJobs,
      jobs: deployedJobs.filter(isFedByPricedRoute),
    });
    for (const [name, routes] of resourceRoutes)
      if (routes.some(isPriced) || !routes.some(sends)) addGroup(name, routes, requestJobs.queues);
    const jobs = new JobGroup(this, 'jobs', {
      ...forJobs,
      jobs: deployedJobs.filter((job) => !isFedByPricedRoute(job)),
      queues: requestJobs.queues,
      apiOrigin,
    });
    this.jobs = [...requestJobs.jobs, ...jobs.jobs];
    for (const [name, routes] of resourceRoutes)
      if (!routes.some(isPriced) && routes.some(sends)) addGroup(name, routes, jobs.queues);
    const unknownRoute = new ServiceFunction(this, unknownRouteId, {
      entry: routeEntry(unknownRouteId),
      uses: {},
      description: 'Returns 404 and 405',
      timeoutSeconds: 5,
      memoryMb: 256,
      failing: 'Unknown paths and methods get 502 in place of 404 and 405.',
      ...shared,
    });
    rollOut(this, stage, [unknownRoute]);
    api.attachFallback(unknownRoute.live);

    if (edge && dashboard !== null) {
      const parts = [...groups, requestJobs, jobs].flatMap(({ nestedStackResource }) => nestedStackResource ?? []);
      const after = [...parts, unknownRoute.alias, api.deployed];
      new PagesStack(this, 'pages', { stage, dashboard, bucket: edge.bucket, origin: edge.origin, after });
    }

    const output = (name: string, value: string) => new CfnOutput(this, name, { value });
    this.apiUrl = output('ApiUrl', edge ? `${publicOrigin}/api` : api.urlOf('/api'));
    this.inferenceUrl = output('InferenceUrl', edge ? `${publicOrigin}/v1` : api.urlOf('/v1'));
    if (edge) {
      output('DashboardUrl', publicOrigin);
      output('EdgeHost', edge.host);
    }
  }
}

/** Whether a route's function sends to a queue. */
const sends = ({ uses }: Route): boolean => (uses.queues ?? []).length > 0;

const isPriced = ({ priced }: Route): boolean => priced !== undefined;

const queuesOfPricedRoutes = new Set(allRoutes.flatMap(({ priced, uses }) => (priced && uses.queues) ?? []));

/** Whether priced routes send to the job's queue. */
const isFedByPricedRoute = ({ trigger }: Job): boolean => 'queue' in trigger && queuesOfPricedRoutes.has(trigger.queue);

export interface FunctionGroupProps extends SharedProps, Omit<Resources, 'stage'> {
  readonly routes: readonly Route[];
  /** Environments for the routes that share them. */
  readonly environments: SharedEnvironments | undefined;
}

/**
 * Functions for the routes of one resource. Nested, because all functions together exceed the 500 resources of a stack.
 */
class FunctionGroup extends NestedStack {
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
class JobGroup extends NestedStack {
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
