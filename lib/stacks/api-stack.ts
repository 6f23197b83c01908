import { join } from 'node:path';
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { allJobs } from '#contract/jobs.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';
import { grantUses, type Resources } from '#lib/constructs/grants.ts';
import { JobFunction } from '#lib/constructs/job-function.ts';
import { Mail } from '#lib/constructs/mail.ts';
import { ServiceApi } from '#lib/constructs/rest-api.ts';
import { ServiceFunction } from '#lib/constructs/service-function.ts';

export interface ApiStackProps extends StackProps, Omit<Resources, 'mail'> {
  /** Streaming routes answer in one piece, for front doors that cannot stream. */
  readonly buffered: boolean;
  /** Folder with the entry points in `api` and `jobs`; `functions` unless said. */
  readonly functions?: string;
}

/** What may be replaced at any time: the front door, a function for each route, the jobs. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, props: ApiStackProps) {
    const { stage, tables, buffered, functions = join(import.meta.dirname, '../../functions'), ...stack } = props;
    super(scope, id, { description: 'Text AI platform: API and jobs', ...stack });

    const mail = new Mail(this, 'Mail');
    const api = new ServiceApi(this, 'Api', { stage, buffered });
    for (const route of allRoutes) {
      const handler = new ServiceFunction(this, route.id, {
        entry: join(functions, 'api', `${route.id}.ts`),
        description: route.summary,
        timeoutSeconds: route.timeoutSeconds,
        memoryMb: route.memoryMb,
        stage,
      });
      grantUses(handler, route.uses, { tables, mail, stage });
      api.attach(route, handler);
    }
    api.answerRestWith(
      new ServiceFunction(this, unknownRouteId, {
        entry: join(functions, 'api', `${unknownRouteId}.ts`),
        description: 'Answers 404 and 405',
        timeoutSeconds: 5,
        memoryMb: 256,
        stage,
      }),
    );

    for (const job of allJobs) {
      const entry = join(functions, 'jobs', `${job.id}.ts`);
      const handler = new JobFunction(this, job.id, { job, tables, mail, entry, stage });
      grantUses(handler, job.uses, { tables, mail, stage });
    }

    const output = (name: string, value: string) => new CfnOutput(this, name, { value });
    output('ApiUrl', api.urlOf('/api'));
    output('InferenceUrl', api.urlOf('/v1'));
  }
}
