import { Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { findModel } from '#contract/inference/models.ts';
import { HostedEndpoint } from '#lib/constructs/models/hosted-endpoint.ts';
import { checkStreaming } from '#lib/deployable.ts';
import { checkImages } from '#lib/hosted-model.ts';
import { hostedName, type Stage } from '#lib/stage.ts';
import { ApiStack, type ApiStackProps } from './api-stack.ts';
import { DataStack } from './data-stack.ts';
import { MonitoringStack } from './monitoring-stack.ts';

interface ModelsStackProps extends StackProps {
  readonly stage: Stage;
}

/**
 * Endpoints that a stage creates for its models. A separate stack, because they need many minutes to create and are
 * charged while they run.
 */
class ModelsStack extends Stack {
  constructor(scope: Construct, id: string, { stage, ...props }: ModelsStackProps) {
    super(scope, id, { description: 'Text AI platform: models', ...props });
    for (const [model, hosted] of Object.entries(stage.models.hosted)) {
      const isEmbedding = findModel(model, 'embeddings') !== undefined;
      new HostedEndpoint(this, model, { name: hostedName(stage, model), model: hosted, isEmbedding });
    }
  }
}

export type PlatformProps = Pick<ApiStackProps, 'stage' | 'buffered' | 'dashboard'>;

/** All stacks of a stage. Throws if the region lacks response streaming or the images of the stage's models. */
export function createPlatform(scope: Construct, { stage, buffered, dashboard }: PlatformProps) {
  const region = stage.env?.region ?? process.env['CDK_DEFAULT_REGION'];
  if (!buffered) checkStreaming(region);
  checkImages(stage.models.hosted, region);
  const name = `text-ai-${stage.name}`;
  const common = { ...(stage.env && { env: stage.env }), stage };
  const data = new DataStack(scope, `${name}-data`, common);
  const { tables, audio, archive, backups } = data;
  const api = new ApiStack(scope, `${name}-api`, { ...common, buffered, dashboard, tables, audio, archive });
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
  for (const stack of [data, api, monitoring, models]) if (stack) Tags.of(stack).add('text-ai-stage', stage.name);
  return { data, api, monitoring, models };
}
