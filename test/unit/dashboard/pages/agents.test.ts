import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { NewAgent } from '#contract/agents/agents.ts';
import { schemaErrors } from '../../../../dashboard/src/api/form-errors.ts';
import { formatBytes } from '../../../../dashboard/src/lib/format.ts';
import {
  agentBody,
  agentFormSchema,
  agentLabels,
  changesOf,
  newAgentValues,
  valuesOf,
  extendTurn,
  pendingTurn,
  readChunk,
} from '../../../../dashboard/src/pages/agents/agent.ts';
import { readTextFile } from '../../../../dashboard/src/pages/agents/text-file.ts';

const named = { ...newAgentValues, name: 'Guide' };

describe('the agent form', () => {
  it('creates a valid request body, with defaults for empty fields', () => {
    expect(agentBody(named)).toEqual(v.parse(NewAgent, { name: 'Guide', model: 'svc-1' }));
  });

  it('restores the saved values', () => {
    const functions = '[\n  {\n    "name": "find_weather"\n  }\n]';
    const values = { ...named, functions, maxTokens: 20 as const, truncation: 'error' as const };
    expect(valuesOf(agentBody(values))).toEqual(values);
  });

  it.each([
    ['name', { name: '' }, 'Name is required'],
    ['instructions', { instructions: '😀'.repeat(8001) }, 'Instructions must have at most 8000 characters'],
    ['functions', { functions: '{' }, 'Functions must be JSON'],
    ['functions', { functions: '{}' }, 'Functions must be a list'],
    ['maxTokens', { maxTokens: 0 }, 'Maximum tokens must be at least 1'],
    ['maxTokens', { maxTokens: 1.5 }, 'Maximum tokens must be a whole number'],
    ['maxTokens', { maxTokens: '-' }, 'Maximum tokens must be a whole number'],
    ['maxTokens', { maxTokens: '99999999999999999999' }, 'Maximum tokens is too large'],
    ['retentionDays', { retentionDays: '' }, 'Retention is required'],
    ['retentionDays', { retentionDays: 366 }, 'Retention must be at most 365'],
  ])('reports the error at the field %s', (field, wrong, error) => {
    expect(schemaErrors(agentFormSchema, { ...named, ...wrong }, agentLabels())).toEqual({ [field]: error });
  });

  it('counts characters like the API, in code points', () => {
    const values = { ...named, instructions: '😀'.repeat(8000) };
    expect(schemaErrors(agentFormSchema, values, agentLabels())).toEqual({});
  });

  it('sends only the changed fields', () => {
    expect(changesOf(named, named)).toEqual({});
    expect(changesOf({ ...named, temperature: 0, maxTokens: '' }, { ...named, maxTokens: 5 })).toEqual({
      temperature: 0,
      maxTokens: '',
    });
  });
});

const mebibyte = 1024 * 1024;

describe('an uploaded document file', () => {
  it.each(['notes.txt', 'notes.md', 'NOTES.MARKDOWN'])('is read as UTF-8, with its name: %s', async (name) => {
    expect(await readTextFile(new File(['Grüße 👍'], name))).toEqual({ name, text: 'Grüße 👍' });
  });

  it('may have as many bytes as the API accepts, and no more', async () => {
    expect(await readTextFile(new File([new Uint8Array(mebibyte).fill(97)], 'a.txt'))).toHaveProperty('text');
    const larger = new File([new Uint8Array(mebibyte + 1).fill(97)], 'a.txt');
    expect(await readTextFile(larger)).toEqual({ error: 'The file is larger than 1 MiB' });
  });

  it('is refused if it is not text', async () => {
    expect(await readTextFile(new File([new Uint8Array([0xc3, 0x28])], 'a.txt'))).toHaveProperty('error');
    expect(await readTextFile(new File(['%PDF'], 'a.pdf'))).toEqual({ error: 'Choose a .txt or .md file' });
  });

  it('truncates its name to the maximum code points', async () => {
    const read = await readTextFile(new File(['text'], `${'😀'.repeat(300)}.txt`));
    expect('name' in read && Array.from(read.name).length).toBe(200);
  });

  it.each([
    [999, '999 bytes'],
    [1536, '1.5 KiB'],
    [mebibyte, '1 MiB'],
  ])('displays its size: %i bytes', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words);
  });
});

const context = { window: 4096, used: 20, droppedMessages: 0, summarized: false };
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };

describe('a streamed turn', () => {
  it('is assembled from its chunks, with text and function call', () => {
    const deltas = [
      { role: 'assistant', content: 'Let me ' },
      { content: 'look.' },
      { function_call: { name: 'find_weather' } },
      { function_call: { arguments: '{"city":' } },
      { function_call: { arguments: '"Oslo"}' } },
    ];
    const turn = deltas.reduce(
      (before, delta) => {
        const chunk = readChunk({ delta });
        return 'piece' in chunk ? extendTurn(before, chunk.piece) : before;
      },
      pendingTurn({ content: 'Hello' }, 4),
    );
    expect(turn).toEqual({
      sent: { content: 'Hello' },
      before: 4,
      text: 'Let me look.',
      call: { name: 'find_weather', arguments: '{"city":"Oslo"}' },
    });
  });

  it('ends with its metadata, which has everything except the text', () => {
    const last = {
      id: 'msg_0000000001',
      status: 'completed',
      sources: [],
      context,
      credits: 1,
      usage,
      message: { role: 'assistant' },
    };
    expect(readChunk(last)).toEqual({ turn: last });
  });

  it.each([{}, { delta: 'text' }, { id: 'msg_0000000001' }, null])('rejects the malformed event %j', (data) => {
    expect(() => readChunk(data)).toThrow(/^Invalid/);
  });
});
