import { join } from 'node:path';
import { NestedStack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { allJobs } from '#contract/jobs.ts';
import { grantUses, type Resources } from '#lib/constructs/grants.ts';
import { JobFunction } from '#lib/constructs/job-function.ts';
import type { Surroundings } from '#lib/surroundings.ts';

export interface JobGroupProps extends Surroundings, Omit<Resources, 'stage'> {
  /** Folder with the entry point of each job. */
  readonly entries: string;
}

/** The jobs, with what wakes them. New code of theirs takes over at once: what fails is tried again with the next. */
export class JobGroup extends NestedStack {
  readonly jobs: readonly JobFunction[];

  constructor(scope: Construct, id: string, { entries, tables, mail, ...surroundings }: JobGroupProps) {
    super(scope, id, { description: 'Text AI platform: jobs' });
    const { stage } = surroundings;
    this.jobs = allJobs.map((job) => {
      const fn = new JobFunction(this, job.id, {
        job,
        tables,
        mail,
        entry: join(entries, `${job.id}.ts`),
        ...surroundings,
      });
      grantUses(fn, job.uses, { tables, mail, stage });
      return fn;
    });
  }
}
