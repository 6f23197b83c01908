import * as v from 'valibot';
import type { ContainerFamily } from '#contract/inference/models.ts';
import { ModelEndpoints } from '#contract/platform/model-endpoints.ts';
import { demoEngine } from '../demo-engine/engine.ts';
import { demoSpeech } from '../demo-engine/speech/speech.ts';
import { type DynamoProxyOptions, startDynamoProxy } from '../dynamodb/dynamodb-proxy.ts';
import type { MailStore } from '../mail/mail-store.ts';
import { startSes } from '../mail/ses.ts';
import { startCarrier } from '../messages/carrier.ts';
import type { PhoneStore } from '../messages/phone-store.ts';
import type { FileStore } from '../s3/file-store.ts';
import { startS3 } from '../s3/server.ts';
import { asyncInference } from '../sagemaker/async-inference.ts';
import { audioUrlEngine } from '../sagemaker/audio-url.ts';
import { modelUrlEngine } from '../sagemaker/model-url.ts';
import { type Engine, startSageMaker } from '../sagemaker/server.ts';
import type { Closers, Part } from '../shared/closers.ts';
import type { Faults } from '../shared/faults.ts';
import { Problem } from '../shared/problems.ts';
import type { QueueStore } from '../sqs/queue-store.ts';
import { startSqs } from '../sqs/server.ts';
import { type Endpoints, type ExternalEndpoints, longAudio } from './environment.ts';
import type { ServiceOptions } from './service-options.ts';

export interface StandInOptions {
  readonly proxy: DynamoProxyOptions;
  readonly external: ExternalEndpoints;
  readonly faults: Faults;
  readonly mails: MailStore;
  readonly phones: PhoneStore;
  readonly queues: QueueStore;
  readonly model: Pick<ServiceOptions, 'modelUrl' | 'modelName' | 'audioUrl' | 'wordDelayMs' | 'receiptDelayMs'>;
  readonly now: () => number;
  /** Files of long audio. */
  readonly files: FileStore;
  /** Receives bounces and complaints from the SES stand-in, and receipts from that of the carrier. */
  readonly onFeedback: (event: unknown) => void;
  /** Receives the ends of asynchronous inference. */
  readonly onInference: (event: unknown) => void;
}

/** Long enough to see a message sent before it is delivered. */
const usualReceiptDelayMs = 1500;

/** Starts what stands in for AWS, except for what the person runs elsewhere, and gives the addresses of all. */
export async function startStandIns(options: StandInOptions, closers: Closers): Promise<Endpoints> {
  const { proxy, external, faults, mails, phones, queues, model, now, files, onFeedback, onInference } = options;
  const { receiptDelayMs = usualReceiptDelayMs } = model;
  const endpoints = endpointFamilies(process.env['MODEL_ENDPOINTS']);
  const engine = { ...engineOf(model), ...audioOf(model, closers) };
  const started = async (starting: Promise<Part & { url: string }>): Promise<string> => {
    const part = await starting;
    closers.add(part);
    return part.url;
  };
  const family = endpoints.get('svc-transcribe') ?? 'whisperx';
  const jobs = asyncInference({ ...longAudio, engine, faults, store: files, family, publish: onInference });
  closers.add(jobs);
  const secret = () => process.env['AWS_SECRET_ACCESS_KEY'] ?? '';
  const [dynamodb, ses, sagemaker, messaging, sqs, s3] = await Promise.all([
    external.dynamodb ?? started(startDynamoProxy(proxy)),
    external.ses ?? started(startSes({ mails, faults, now, onFeedback })),
    external.sagemaker ?? started(startSageMaker({ engine, faults, endpoints, jobs })),
    external.messaging ?? started(startCarrier({ phones, faults, receiptDelayMs, now, onReceipt: onFeedback })),
    started(startSqs(queues)),
    started(startS3({ store: files, bucket: longAudio.bucket, secret, now: Date.now })),
  ]);
  return { dynamodb, ses, sagemaker, messaging, sqs, s3 };
}

/** The endpoints that the functions will call, so that a person can see each family of containers at work. */
function endpointFamilies(setting = '{}'): ReadonlyMap<string, ContainerFamily> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), ModelEndpoints), setting);
  if (!parsed.success) throw new Problem(`MODEL_ENDPOINTS cannot be used (${parsed.issues[0].message}).`, 2);
  return new Map([...parsed.output.values()].map(({ endpoint, family }) => [endpoint, family]));
}

function engineOf({ modelUrl, modelName, wordDelayMs }: StandInOptions['model']): Engine {
  if (modelUrl !== undefined) return modelUrlEngine({ url: modelUrl, ...(modelName !== undefined && { modelName }) });
  return demoEngine(wordDelayMs === undefined ? {} : { wordDelayMs });
}

/** Begins nothing: the demo engine starts its thread with the first text that it is to speak, and reads files with the first of them. */
function audioOf({ audioUrl }: StandInOptions['model'], closers: Closers): Pick<Engine, 'speak' | 'transcribe'> {
  if (audioUrl !== undefined) return audioUrlEngine(audioUrl);
  const speech = demoSpeech();
  closers.add(speech);
  const transcribe = async (form: FormData) =>
    (await import('../demo-engine/speech/recognition.ts')).demoTranscription(form);
  return { speak: speech.speak, transcribe };
}
