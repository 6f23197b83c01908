import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { createTables, type Tables } from '#lib/constructs/tables.ts';

/** What outlives every deployment: the tables. */
export class DataStack extends Stack {
  readonly tables: Tables;

  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, { description: 'Text AI platform: data, kept', ...props });
    this.tables = createTables(this);
  }
}
