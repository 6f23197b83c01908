import * as v from 'valibot';
import type { CorsOrigins } from '#contract/http/cors.ts';
import { type ModelEndpoint, ModelEndpoints } from '#contract/platform/model-endpoints.ts';
import { startBedrock } from '../bedrock/server.ts';
import { demoEngine } from '../demo-engine/engine.ts';
import { demoSpeechFormats } from '../demo-engine/speech/speech-data.ts';
import { demoSpeech } from '../demo-engine/speech/speech.ts';
import { type DynamoProxyOptions, type ProxyHook, startDynamoProxy } from '../dynamodb/dynamodb-proxy.ts';
import type { MailStore } from '../mail/inbox.ts';
import { startSes } from '../mail/ses.ts';
import { receiptPlayer, type Receipts, startCarrier } from '../messages/carrier.ts';
import type { PhoneStore } from '../messages/phones.ts';
import type { FileStore } from '../s3/file-store.ts';
import { startS3 } from '../s3/server.ts';
import { asyncInference, type Inference } from '../sagemaker/async-inference.ts';
import type { Engine } from '../sagemaker/engine.ts';
import { audioUrlEngine, modelUrlEngine, silenceAt } from '../sagemaker/openai-server.ts';
import { startSageMaker } from '../sagemaker/server.ts';
import type { Closers, Part } from '../shared/closers.ts';
import type { Pending } from '../shared/data-folder.ts';
import type { Faults } from '../shared/faults.ts';
import { Problem } from '../shared/problems.ts';
import { type QueueStore, startSqs } from '../sqs/server.ts';
import { archiveBucket, contentBucket, type Endpoints, type ExternalEndpoints, longAudio } from './environment.ts';

export interface ServiceOptions {
  /** 0 selects a free port. */
  readonly port: number;
  /** Folder of all stored data, created if missing. */
  readonly data: string;
  /** URL of a database to use instead of the embedded one. Faults and hooks still apply. */
  readonly databaseUrl?: string;
  /** An OpenAI-compatible server to use instead of the demo engine, and its model. */
  readonly modelUrl?: string;
  readonly modelName?: string;
  /** An OpenAI-compatible audio server to use instead of the demo engine. */
  readonly audioUrl?: string;
  /** Milliseconds per word of the demo engine. */
  readonly wordDelayMs?: number;
  /** Milliseconds before each delivery receipt of a message. */
  readonly receiptDelayMs?: number;
  /** Builds the dashboard if its sources changed. Otherwise, serves the existing build. */
  readonly buildDashboard?: boolean;
  /** Takes payments by the stand-in for Stripe. Default: none. */
  readonly payments?: 'none' | 'stripe';
  /** Origins whose pages may call the API with keys. Default: none. */
  readonly corsOrigins?: CorsOrigins;
  /** Runs the canary every five minutes. */
  readonly canary?: boolean;
  readonly onDynamoRequest?: ProxyHook;
  readonly log?: (line: string) => void;
  /** Receives one line per request, without query, headers and body. */
  readonly access?: (line: string) => void;
}

export interface StandInOptions {
  readonly proxy: DynamoProxyOptions;
  readonly external: ExternalEndpoints;
  readonly faults: Faults;
  readonly mails: MailStore;
  readonly phones: PhoneStore;
  readonly queues: QueueStore;
  readonly engine: Engine;
  readonly receiptDelayMs: ServiceOptions['receiptDelayMs'];
  readonly now: () => number;
  /** Files of long audio. Pages of `pageOrigins` may upload them. */
  readonly files: FileStore;
  readonly archive: FileStore;
  readonly contents: FileStore;
  readonly pageOrigins: readonly string[];
  /** Receives SES bounces and complaints, delivery receipts, and results of asynchronous inference. */
  readonly publish: (event: unknown) => Promise<void>;
  /** Unfinished work of the previous process. */
  readonly inferences: Pending<Inference>;
  readonly receipts: Pending<Receipts>;
}

/** Milliseconds between receipts, so that a message is visibly sent before it is delivered. */
const defaultReceiptDelayMs = 1500;

export interface StandIns {
  readonly endpoints: Endpoints;
  /** Continues the previous process's unfinished work. Call this once its results can be received. */
  readonly resume: () => Promise<void>;
}

/** Starts a stand-in for each AWS service that is not external. Returns all addresses. */
export async function startStandIns(options: StandInOptions, closers: Closers): Promise<StandIns> {
  const { proxy, external, faults, mails, phones, queues, engine, now, files, inferences, pageOrigins } = options;
  const { archive, contents, publish, receiptDelayMs = defaultReceiptDelayMs } = options;
  const places = modelEndpoints(process.env['MODEL_ENDPOINTS']);
  const hosted = places.filter((one) => one.kind === 'sagemaker');
  const families = new Map(hosted.map(({ endpoint, family }) => [endpoint, family]));
  const models = new Set(places.flatMap((one) => (one.kind === 'bedrock' ? [one.model] : [])));
  const started = async (starting: Promise<Part & { url: string }>): Promise<string> => {
    const part = await starting;
    closers.add(part);
    return part.url;
  };
  const jobs = asyncInference({
    ...longAudio,
    engine,
    faults,
    store: files,
    pending: inferences,
    family: 'whisperx',
    publish,
  });
  closers.add(jobs);
  const receipts = receiptPlayer({ pending: options.receipts, receiptDelayMs, now, publish });
  closers.add(receipts);
  const secret = () => process.env['AWS_SECRET_ACCESS_KEY'] ?? '';
  const [dynamodb, ses, sagemaker, bedrock, messaging, sqs, s3] = await Promise.all([
    external.dynamodb ?? started(startDynamoProxy(proxy)),
    external.ses ?? started(startSes({ mails, faults, now, onFeedback: (event) => void publish(event) })),
    external.sagemaker ?? started(startSageMaker({ engine, faults, endpoints: families, jobs })),
    external.bedrock ?? started(startBedrock({ engine, faults, models })),
    external.messaging ?? started(startCarrier({ phones, faults, receipts, now })),
    started(startSqs(queues)),
    started(
      startS3({
        store: files,
        bucket: longAudio.bucket,
        others: { [archiveBucket]: archive, [contentBucket]: contents },
        faults,
        secret,
        now,
        pageOrigins,
      }),
    ),
  ]);
  const resume = async () => void (await Promise.all([jobs.resume(), receipts.resume()]));
  return { endpoints: { dynamodb, ses, sagemaker, bedrock, messaging, sqs, s3 }, resume };
}

/** The functions' endpoints, so that a developer can try every kind and container family. */
function modelEndpoints(setting = '{}'): readonly ModelEndpoint[] {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), ModelEndpoints), setting);
  if (!parsed.success) throw new Problem(`MODEL_ENDPOINTS cannot be used (${parsed.issues[0].message}).`, 2);
  return [...parsed.output.values()].flat();
}

type EngineOptions = Pick<ServiceOptions, 'modelUrl' | 'modelName' | 'audioUrl' | 'wordDelayMs' | 'log'>;

export const createEngine = (options: EngineOptions, closers: Closers): Engine & Required<Pick<Engine, 'speak'>> => ({
  ...textEngine(options),
  ...audioEngine(options, closers),
});

/** Logs a warning for each server of the options that does not answer. */
export async function warnOfSilence({ modelUrl, audioUrl, log }: EngineOptions): Promise<void> {
  const urls = [['--model-url', modelUrl] as const, ['--audio-url', audioUrl] as const];
  const warnings = await Promise.all(urls.map(async ([option, url]) => url && silenceAt(option, url)));
  for (const warning of warnings) if (warning) log?.(warning);
}

/** Speech formats for the dashboard. Null with an external audio server. */
export const demoFormats = ({ audioUrl }: EngineOptions): string[] | null =>
  audioUrl === undefined ? [...demoSpeechFormats] : null;

function textEngine({ modelUrl, modelName, wordDelayMs, log }: EngineOptions): Engine {
  if (modelUrl !== undefined)
    return modelUrlEngine({ url: modelUrl, ...(modelName !== undefined && { modelName }), ...(log && { log }) });
  return demoEngine(wordDelayMs === undefined ? {} : { wordDelayMs });
}

/** Starts nothing: the demo engine starts a process for each text. */
function audioEngine({ audioUrl }: EngineOptions, closers: Closers): Required<Pick<Engine, 'speak' | 'transcribe'>> {
  if (audioUrl !== undefined) return audioUrlEngine(audioUrl);
  const speech = demoSpeech();
  closers.add(speech);
  const transcribe = async (form: FormData) =>
    (await import('../demo-engine/speech/speech.ts')).demoTranscription(form);
  return { speak: speech.speak, transcribe };
}
