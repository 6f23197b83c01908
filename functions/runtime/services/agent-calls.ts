import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { awsService } from '#aws/service.ts';
import { dynamoTimeout } from '#aws/timeouts.ts';
import type { Route } from '#contract/http/route.ts';
import type { Environment } from '#contract/platform/environment.ts';
import { agentService } from '#domain/agents/agent.ts';
import { indexingEnds } from '#domain/agents/document.ts';
import { documentAdding, documentIndexing } from '#domain/agents/indexing.ts';
import { turnService } from '#domain/agents/turn.ts';
import { inference } from '#domain/inference/inference.ts';
import { graceSeconds } from '#domain/meter/admission.ts';
import { sagemakerGateway } from '#gateways/sagemaker/model-gateway.ts';
import type { ModelRuntime } from '#gateways/sagemaker/runtime.ts';
import type { ModelGatewaySettings } from '#gateways/sagemaker/served-model.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { agentFinder, agentStore } from '#repositories/agents/agents.ts';
import { conversationStore } from '#repositories/agents/conversations.ts';
import { documentStore } from '#repositories/agents/documents.ts';
import { dynamoVectorIndex } from '#repositories/agents/vector-index.ts';
import { type Items, itemsBy, sdkSend } from '#repositories/shared/items.ts';
import { quickSend } from '#repositories/shared/quick-send.ts';
import { lazy } from '../process.ts';
import { logger } from '../telemetry.ts';
import { type CoreServices, modelDeadlines } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';

/** Seconds of a turn reserved for passage search and summary, at most half of them each. */
const preparationSeconds = 20;

/** Milliseconds after which an indexing run queues the rest of its document, so that accounts take turns. */
const runMs = 30_000;

interface Models {
  readonly runtime: ModelRuntime;
  readonly settings: ModelGatewaySettings;
}

export function agentCalls(core: CoreServices, route: Pick<Route, 'timeoutSeconds'>, { runtime, settings }: Models) {
  const { clock, random, table, environment } = core;
  const functionMs = (route.timeoutSeconds + graceSeconds) * 1000;
  const deadlines = modelDeadlines({ timeoutSeconds: route.timeoutSeconds - preparationSeconds }, environment);
  const models = inference(sagemakerGateway(runtime, { ...settings, ...deadlines }), bpeTokenizer, clock);
  const deadlineMs = Math.min((preparationSeconds / 2) * 1000, deadlines.deadlineMs);
  const preparing = lazy(() => sagemakerGateway(runtime, { ...settings, ...deadlines, deadlineMs }));
  const name = table('agents');
  const agents = lazy(() => {
    const enforceChangeLimit = async () => undefined;
    return agentService({ agents: agentStore(dynamoClient(), name), enforceChangeLimit, clock, random });
  });
  const documents = lazy(() => documentStore(dynamoClient(), name, () => table('meters')));
  const ends = lazy(() => indexingEnds({ documents: documents(), metering: core.metering(), clock }));
  const queue = lazy(async () => {
    const { sqsClient, sqsQueue } = await import('#gateways/sqs-queue.ts');
    return sqsQueue(sqsClient(), core.queueUrl('documents'));
  });
  const items = turnItems(environment, dynamoClient());
  const vectors = dynamoVectorIndex(dynamoClient(), name, items);
  return {
    turns: lazy(() =>
      turnService({
        agents: { find: agentFinder(items, name) },
        conversations: conversationStore(dynamoClient(), name, items),
        vectors,
        inference: models,
        preparing: { gateway: preparing(), embed: inference(preparing(), bpeTokenizer, clock).embed },
        tokenizer: bpeTokenizer,
        clock,
        functionMs,
      }),
    ),
    adding: lazy(() =>
      documentAdding({
        agents: agents(),
        documents: documents(),
        ends: ends(),
        queue,
        tokenizer: bpeTokenizer,
        clock,
        random,
        onError: (error) => logger().error('a document was added, but a later step failed', { error }),
      }),
    ),
    indexing: lazy(() =>
      documentIndexing({
        documents: documents(),
        vectors,
        ends: ends(),
        inference: models,
        queue,
        runMs,
        clock,
        onFailure: (error, { accountId, id }) =>
          logger().warn('a document could not be indexed', { error, accountId, id }),
      }),
    ),
  };
}

/** Bypasses the SDK's middleware unless `FAST_PATH` is off or the configuration requires the SDK. */
export function turnItems({ FAST_PATH }: Pick<Environment, 'FAST_PATH'>, client: DynamoDBDocumentClient): Items {
  const service = FAST_PATH === 'on' ? awsService('dynamodb') : undefined;
  return itemsBy(service ? quickSend(service, client, { requestTimeout: dynamoTimeout }) : sdkSend(client));
}
