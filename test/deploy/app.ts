import { App } from 'aws-cdk-lib';
import { CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { CfnMetricFilter } from 'aws-cdk-lib/aws-logs';
import { createPlatform } from '#lib/stacks/platform.ts';
import { parseStage } from '#lib/stages.ts';
import { plainStage } from '#test/stages/plain-stage.ts';

/** The stacks of the platform for a local AWS. Context: `planTable`, so that there is something to update. */
const app = new App();
const planTable: unknown = app.node.tryGetContext('planTable') ?? plainStage.planTable;
const env = { account: '000000000000', region: 'us-east-1' };
createPlatform(app, { stage: parseStage({ ...plainStage, env, planTable }), buffered: true, dashboard: null });

// The local AWS replaces an updated function and loses its aliases, except those that are updated too.
for (const node of app.node.findAll())
  if (node instanceof CfnAlias) node.description = `plans of the ${String(planTable)}`;

// Nor has it metric filters; the alarms on their metrics are created all the same.
for (const node of app.node.findAll())
  if (node instanceof CfnMetricFilter) node.node.scope?.node.tryRemoveChild(node.node.id);
