import { join } from 'node:path';
import { NestedStack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { allJobs } from '#contract/jobs.ts';
import { grantUses, type Resources } from '#lib/constructs/functions/grants.ts';
import { JobFunction } from '#lib/constructs/functions/job-function.ts';
import type { SharedProps } from '#lib/shared-props.ts';

export interface JobGroupProps extends SharedProps, Omit<Resources, 'stage'> {
  /** Folder with the entry point of each job. */
  readonly entries: string;
}

/** The jobs and their triggers. New code is deployed without a canary: a failed run is retried with the next version. */
export class JobGroup extends NestedStack {
  readonly jobs: readonly JobFunction[];

  constructor(scope: Construct, id: string, { entries, tables, mail, ...shared }: JobGroupProps) {
    super(scope, id, { description: 'Text AI platform: jobs' });
    const { stage } = shared;
    this.jobs = allJobs.map((job) => {
      const fn = new JobFunction(this, job.id, {
        job,
        tables,
        mail,
        entry: join(entries, `${job.id}.ts`),
        ...shared,
      });
      grantUses(fn, job.uses, { tables, mail, stage });
      return fn;
    });
  }
}
