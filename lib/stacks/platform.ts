import { Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { checkStreaming } from '#lib/deployable.ts';
import { checkImages } from '#lib/hosted-model.ts';
import { stageTag } from '#lib/shared-props.ts';
import { ApiStack, type ApiStackProps } from './api-stack.ts';
import { DataStack } from './data-stack.ts';
import { ModelsStack } from './models-stack.ts';
import { MonitoringStack } from './monitoring-stack.ts';

export type PlatformProps = Pick<ApiStackProps, 'stage' | 'buffered' | 'dashboard'>;

/** All stacks of a stage. Throws if the region lacks response streaming or the images of the stage's models. */
export function createPlatform(scope: Construct, { stage, buffered, dashboard }: PlatformProps) {
  const region = stage.env?.region ?? process.env['CDK_DEFAULT_REGION'];
  if (!buffered) checkStreaming(region);
  checkImages(stage.models.hosted, region);
  const name = `text-ai-${stage.name}`;
  const common = { ...(stage.env && { env: stage.env }), stage };
  const data = new DataStack(scope, `${name}-data`, common);
  const { tables, audio, archive, contents, backups } = data;
  const api = new ApiStack(scope, `${name}-api`, { ...common, buffered, dashboard, tables, audio, archive, contents });
  // The account's log role must exist before an API that logs.
  api.addStackDependency(data);
  const { jobs, mail, alarms } = api;
  const monitoring = new MonitoringStack(scope, `${name}-monitoring`, {
    ...common,
    tables,
    backups,
    jobs,
    mail,
    alarms,
  });
  const hasModels = Object.keys(stage.models.hosted).length > 0;
  const models = hasModels ? new ModelsStack(scope, `${name}-models`, common) : undefined;
  const { key, value } = stageTag(stage);
  for (const stack of [data, api, monitoring, models]) if (stack) Tags.of(stack).add(key, value);
  return { data, api, monitoring, models };
}
