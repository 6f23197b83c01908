import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { findModel } from '#contract/inference/models.ts';
import { HostedEndpoint } from '#lib/constructs/models/hosted-endpoint.ts';
import { hostedName, type Stage } from '#lib/stage.ts';

interface ModelsStackProps extends StackProps {
  readonly stage: Stage;
}

/**
 * Endpoints that a stage creates for its models. A separate stack, because they need many minutes to create and are
 * charged while they run.
 */
export class ModelsStack extends Stack {
  constructor(scope: Construct, id: string, { stage, ...props }: ModelsStackProps) {
    super(scope, id, { description: 'Text AI platform: models', ...props });
    for (const [model, hosted] of Object.entries(stage.models.hosted)) {
      const isEmbedding = findModel(model, 'embeddings') !== undefined;
      new HostedEndpoint(this, model, { name: hostedName(stage, model), model: hosted, isEmbedding });
    }
  }
}
