import { afterAll, beforeAll, expect } from 'vitest';
import { models } from '#contract/inference/models.ts';
import type { ContainerFamily } from '#contract/offer/offer.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { services } from '#runtime/services/container.ts';
import { startScriptedModel } from '../models/scripted-model.ts';
import { startTestService } from './service.ts';

export type ScriptedService = Awaited<ReturnType<typeof startScriptedService>>;

/** Models that run in other containers than vLLM here by default. */
const usualFamilies: Readonly<Record<string, ContainerFamily>> = {
  'svc-code': 'tgi',
  'svc-instruct': 'lmi',
  'svc-embed': 'tei',
};

interface ScriptedOptions {
  readonly families?: Readonly<Record<string, ContainerFamily>>;
  /** Endpoints after the first, by model. */
  readonly fallbacks?: Readonly<Record<string, readonly string[]>>;
  /** Uses this model server instead of the scripted one. */
  readonly url?: string;
  /** Deadline of the model. A test of something else needs a longer one on a busy machine. */
  readonly deadlineMs?: number;
}

/** The service with a scripted model, and an account on the Pro plan. */
export async function startScriptedService({
  families = usualFamilies,
  fallbacks = {},
  url,
  deadlineMs = 1500,
}: ScriptedOptions = {}) {
  const vllm = Object.fromEntries(models.map(({ id }) => [id, 'vllm' as const]));
  const others = Object.values(fallbacks).flat();
  const otherFamilies = Object.fromEntries(others.map((endpoint) => [endpoint, 'vllm' as const]));
  const model = await startScriptedModel({ ...vllm, ...families, ...otherFamilies });
  const differing = [
    ...Object.entries(families).map(([id, family]) => [id, { family }]),
    ...Object.entries(fallbacks).map(([id, endpoints]) => [id, [id, ...endpoints]]),
  ];
  process.env['AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME'] = url ?? model.url;
  process.env['MODEL_ENDPOINTS'] = JSON.stringify(Object.fromEntries(differing));
  process.env['MODEL_DEADLINE_MS'] = String(deadlineMs);
  const service = await startTestService();
  const person = await service.person({ planRank: 4 });
  const meterOf = async () => (await services().metering().find(person.id))!;

  const open = (path: string, body: object, signal?: AbortSignal) =>
    service.open(path, person.key, body, signal && { signal });

  /** The charge of the work in microcredits, once no hold is open. */
  async function charged(work: () => Promise<unknown>): Promise<number> {
    const before = (await meterOf()).spendable;
    await work();
    await expect.poll(async () => (await meterOf()).holds.size, { timeout: 10_000, interval: 20 }).toBe(0);
    return before - (await meterOf()).spendable;
  }

  return {
    model,
    person,
    origin: service.origin,
    /** The service for helpers that accept any service. */
    calls: service,
    open,

    charged,

    /** The response to a request, and its charge. */
    async priced(path: string, body: object) {
      let [status, text] = [0, ''];
      const cost = await charged(async () => {
        const response = await open(path, body);
        [status, text] = [response.status, await response.text()];
      });
      return { status, text, cost };
    },

    async plain(path: string, body: object) {
      const reply = await open(path, body);
      return { status: reply.status, headers: reply.headers, body: (await reply.json()) as any };
    },

    /** The whole stream as text and as envelopes, or the single envelope of an error. */
    async streamed(path: string, body: object) {
      const reply = await open(path, body);
      const text = await reply.text();
      const events = text.split('\n\n').filter(Boolean);
      const envelopes: any[] = events.map((event) => JSON.parse(event.replace(/^data: /, '')));
      return { status: reply.status, id: reply.headers.get('x-request-id'), text, envelopes };
    },

    async close(): Promise<void> {
      await service.close();
      await model.close();
    },
  };
}

export function useScriptedService(options?: ScriptedOptions): ScriptedService {
  const service = {} as ScriptedService;
  beforeAll(async () => void Object.assign(service, await startScriptedService(options)));
  afterAll(() => service.close());
  return service;
}

/** Reads a stream until its text satisfies the condition. Further calls continue from there. */
export function textReader(reply: Response) {
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  return async (isEnough: (text: string) => boolean): Promise<string> => {
    let text = '';
    while (!isEnough(text)) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
    }
    return text;
  };
}

export const pieces = ['Grüß', ' dich', ' aus', ' 日本'];
export const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

/** The chunks of vLLM's streams: a piece of text, and the finish reason. */
export const chatPiece = (content: string): object => ({ choices: [{ index: 0, delta: { content } }] });
export const chatEnd = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
export const textPiece = (text: string): object => ({ choices: [{ index: 0, text, finish_reason: null }] });
export const textEnd = { choices: [{ index: 0, text: '', finish_reason: 'stop' }] };
export const total = { choices: [], usage };

export const tokensOf = (text: string) => bpeTokenizer.count(text);

/** The text of chunks in envelopes. */
export const contentOf = (envelopes: readonly any[]): string =>
  envelopes
    .map(({ data }) => data?.choices?.[0]?.delta?.content ?? data?.choices?.[0]?.text ?? data?.delta?.text ?? '')
    .join('');
