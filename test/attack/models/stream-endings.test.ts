import { describe, expect, it } from 'vitest';
import { done, type Step } from '#test/models/scripted-model.ts';
import { countedCost, endingsOf, messages, output, paths, perToken, prompt } from '#test/models/stream-endings.ts';
import {
  chatEnd,
  chatPiece,
  contentOf,
  pieces,
  useScriptedService,
  textEnd,
  textPiece,
} from '#test/service/scripted-service.ts';

const service = useScriptedService({ families: { 'svc-instruct': 'lmi' } });

const { hangs, endedSo } = endingsOf(() => service);

const usage = (prompt_tokens: unknown, completion_tokens: unknown): object => ({
  choices: [],
  usage: { prompt_tokens, completion_tokens },
});

interface Ending {
  readonly name: string;
  /** The model's behavior after `pieces`. If undefined, the client disconnects then. */
  readonly steps: (ended: object) => readonly Step[];
  readonly leaves?: true;
  /** The stream is complete, whatever follows. */
  readonly isWhole?: true;
  /** Charged tokens if the model's own usage counts, otherwise our own count of prompt and output. */
  readonly tokens?: number;
  readonly stop?: string;
  readonly output?: string;
}
/** All but the last belong to a truncated stream, or one with unusable usage. */
const endings: Ending[] = [
  { name: 'its reader leaves', steps: () => [hangs], leaves: true },
  { name: 'its reader leaves after the finish reason', steps: (ended) => [ended, hangs], leaves: true },
  { name: 'the model hangs', steps: () => [hangs] },
  { name: 'the model hangs after the finish reason', steps: (ended) => [ended, hangs], isWhole: true },
  { name: 'the model breaks after the finish reason', steps: (ended) => [ended, new Error('broken')], isWhole: true },
  {
    name: 'the model fails after the finish reason',
    steps: (ended) => [ended, { error: { message: 'no' } }],
    isWhole: true,
  },
  { name: 'the model sends no JSON after the finish reason', steps: (ended) => [ended, '<html>\n'], isWhole: true },
  {
    name: 'the model sends more text after the finish reason',
    steps: (ended) => [ended, textPiece(' more'), chatPiece(' more'), ended, hangs],
    isWhole: true,
  },
  { name: 'the model breaks its connection', steps: () => [new Error('broken')] },
  { name: 'the model reports an error', steps: () => [{ error: { message: 'CUDA', code: 500 } }] },
  { name: 'the model reports a refusal', steps: () => [{ error: { message: 'no', code: 400 } }] },
  { name: 'the model is aborted', steps: () => [{ choices: [{ index: 0, finish_reason: 'abort' }] }] },
  { name: 'the model ends without a reason', steps: () => [] },
  { name: 'the model breaks after its usage', steps: () => [usage(1, 1), new Error('broken')] },
  { name: 'the model sends no JSON', steps: () => ['data: {"choices":[\n\n'] },
  {
    name: 'a stop sequence is reached while the model runs on',
    steps: () => [hangs],
    stop: '日本',
    output: output.slice(0, output.indexOf('日本')),
  },
  { name: 'all is whole without usage', steps: (ended) => [ended, done] },
  { name: 'all is whole by [DONE] alone', steps: () => [done] },
  { name: 'all is whole with negative usage', steps: (ended) => [ended, usage(-1, 5), done] },
  { name: 'all is whole with usage of a fraction', steps: (ended) => [ended, usage(1.5, 5), done] },
  { name: 'all is whole with usage of 1e400', steps: (ended) => [ended, `data: ${infinite}\n\n`, done] },
  { name: 'all is whole with usage of 0', steps: (ended) => [ended, usage(0, 0), done] },
  { name: 'all is whole with usage of 9e15', steps: (ended) => [ended, usage(9e15, 9e15), done] },
  {
    name: 'all is whole with usage, and the model hangs then',
    steps: (ended) => [ended, usage(20, 9), hangs],
    tokens: 29,
  },
  { name: 'all is whole with usage', steps: (ended) => [ended, usage(20, 9), done], tokens: 29 },
];
const infinite = '{"choices":[],"usage":{"prompt_tokens":1e400,"completion_tokens":1}}';

const isWhole = ({ leaves, isWhole: complete, name }: Ending) =>
  !leaves && (complete || name.startsWith('all is whole'));

describe.each([
  ['completion', '/v1/completions', { model: 'svc-1', prompt }, textPiece, textEnd],
  ['chat', '/v1/chat/completions', { model: 'svc-1', messages }, chatPiece, chatEnd],
] as const)('a streamed %s', (_, path, body, piece, ended) => {
  it.each(endings.filter(isWhole))('is delivered whole within 5 s when $name', async ({ steps }) => {
    service.model.streams([...pieces.map(piece), ...steps(ended)]);
    const before = performance.now();
    const { envelopes } = await service.streamed(path, { ...body, max_tokens: 40, stream: true });
    expect([contentOf(envelopes), envelopes.at(-1).message]).toEqual([output, 'STREAM_COMPLETE']);
    expect(performance.now() - before).toBeLessThan(5000);
  });
});

describe.each(paths.completions)('a streamed completion of %s', (path) => {
  it.each(endings)('is charged for its prompt and the delivered text when $name', async (ending) => {
    const { steps, leaves, tokens, stop, output: delivered = output } = ending;
    service.model.streams([...pieces.map(textPiece), ...steps(textEnd)]);
    const cost = await endedSo(path, { model: 'svc-1', prompt, ...(stop && { stop }) }, leaves);
    expect(cost).toBe(tokens === undefined ? await countedCost(delivered) : tokens * perToken);
  });

  it('costs nothing if nothing was delivered, however the stream ends', async () => {
    const failing = endings.filter(({ name, leaves, stop }) => !leaves && !stop && !name.startsWith('all is whole'));
    const silent = failing.filter(({ isWhole }) => !isWhole);
    for (const { name, steps } of silent) {
      service.model.streams(steps(textEnd));
      expect([name, await endedSo(path, { model: 'svc-1', prompt }, undefined)]).toEqual([name, 0]);
    }
  });

  it('is charged by our count if the model reports impossible usage', async () => {
    const counted = await countedCost(output);
    for (const absurd of [1e12, 9e15, Number.MAX_SAFE_INTEGER]) {
      for (const reported of [usage(absurd, 1), usage(1, absurd), usage(absurd, absurd)]) {
        service.model.streams([...pieces.map(textPiece), textEnd, reported, done]);
        expect(await endedSo(path, { model: 'svc-1', prompt }, undefined)).toBe(counted);
      }
    }
  });
});

describe.each(paths.chats)('a streamed chat of %s', (path) => {
  it.each(endings)('costs 1 credit when $name', async ({ steps, leaves, stop }) => {
    service.model.streams([...pieces.map(chatPiece), ...steps(chatEnd)]);
    expect(await endedSo(path, { model: 'svc-1', messages, ...(stop && { stop }) }, leaves)).toBe(1_000_000);
  });
});
