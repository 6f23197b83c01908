import { models } from '#contract/models.ts';
import type { Closers, Part } from './closers.ts';
import { type DynamoProxyOptions, startDynamoProxy } from './dynamodb-proxy.ts';
import type { Endpoints, ExternalEndpoints } from './environment.ts';
import type { Faults } from './faults.ts';
import type { MailStore } from './mail-store.ts';
import { demoEngine } from './sagemaker/demo-engine.ts';
import { modelUrlEngine } from './sagemaker/model-url.ts';
import { type Engine, startSageMaker } from './sagemaker/server.ts';
import type { ServiceOptions } from './service-options.ts';
import { startSes } from './ses.ts';

export interface StandInOptions {
  readonly proxy: DynamoProxyOptions;
  readonly external: ExternalEndpoints;
  readonly faults: Faults;
  readonly mails: MailStore;
  readonly model: Pick<ServiceOptions, 'modelUrl' | 'modelName' | 'wordDelayMs'>;
  readonly now: () => number;
  /** Told of bounces and complaints by the SES stand-in. */
  readonly onFeedback: (event: unknown) => void;
}

/** Starts what stands in for AWS, except for what the person runs elsewhere, and gives the addresses of all. */
export async function startStandIns(options: StandInOptions, closers: Closers): Promise<Endpoints> {
  const { proxy, external, faults, mails, model, now, onFeedback } = options;
  const endpoints = models.map(({ endpoint }) => endpoint);
  const started = async (starting: Promise<Part & { url: string }>): Promise<string> => {
    const part = await starting;
    closers.add(part);
    return part.url;
  };
  const [dynamodb, ses, sagemaker] = await Promise.all([
    external.dynamodb ?? started(startDynamoProxy(proxy)),
    external.ses ?? started(startSes({ mails, faults, now, onFeedback })),
    external.sagemaker ?? started(startSageMaker({ engine: engineOf(model), faults, endpoints })),
  ]);
  return { dynamodb, ses, sagemaker };
}

function engineOf({ modelUrl, modelName, wordDelayMs }: StandInOptions['model']): Engine {
  if (modelUrl !== undefined) return modelUrlEngine({ url: modelUrl, ...(modelName !== undefined && { modelName }) });
  return demoEngine(wordDelayMs === undefined ? {} : { wordDelayMs });
}
