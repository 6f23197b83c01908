import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  maxNameLength,
  maxPresetLength,
  maxPresets,
  type Preset,
  presetRefusal,
} from '../../../../../dashboard/src/pages/playground/chat/presets.ts';
import {
  type ChatItem,
  promptOf,
  withContent,
  withoutMessage,
} from '../../../../../dashboard/src/pages/playground/chat/thread.ts';
import { joinPieces, pieceBuffer } from '../../../../../dashboard/src/pages/playground/exchange/pieces.ts';
import { defaultSampling } from '../../../../../dashboard/src/pages/playground/tab/sampling.ts';

const values = { sampling: defaultSampling, system: 'Be brief', functions: '' };
const preset = (id: string, name = `preset ${id}`): Preset => ({ id, name, values });

/** The part of the Storage API that the page uses. Item names are own keys. */
function fakeStorage() {
  const items: Record<string, string> = {};
  const hidden = { enumerable: false, configurable: true };
  return Object.defineProperties(items, {
    getItem: { ...hidden, value: (name: string) => items[name] ?? null },
    setItem: { ...hidden, value: (name: string, value: string) => void (items[name] = value) },
    removeItem: { ...hidden, value: (name: string) => void delete items[name] },
  });
}

let localStorage: Record<string, string>;
beforeEach(() => {
  vi.resetModules();
  localStorage = fakeStorage();
  vi.stubGlobal('localStorage', localStorage);
});
const openStore = () => import('../../../../../dashboard/src/pages/playground/chat/presets.ts');
const openAccounts = () => import('../../../../../dashboard/src/api/account-storage.ts');

describe('a preset', () => {
  it.each([
    ['', 'Name is required'],
    ['   ', 'Name is required'],
    ['x'.repeat(maxNameLength + 1), `Name must have at most ${maxNameLength} characters`],
  ])('has a name of limited length: %j', (name, reason) => {
    expect(presetRefusal([], name, values)).toBe(reason);
    expect(presetRefusal([], 'brief', values)).toBeUndefined();
  });

  it('is refused if 50 are stored, unless it replaces one', () => {
    const full = Array.from({ length: maxPresets }, (_, index) => preset(String(index)));
    expect(presetRefusal(full, 'one more', values)).toMatch(/^You can save up to 50/);
    expect(presetRefusal(full, ' preset 7 ', values)).toBeUndefined();
  });

  it('is refused above a maximum size', () => {
    expect(presetRefusal([], 'long', { ...values, system: 'x'.repeat(maxPresetLength) })).toMatch(/too long/);
  });
});

describe('the presets of an account', () => {
  it('are listed by name, for their account only', async () => {
    const { savePreset, listPresets } = await openStore();
    savePreset(1, preset('b', 'beta'));
    savePreset(1, preset('a', 'alpha'));
    savePreset(11, preset('c', 'of another'));
    expect(listPresets(1)).toEqual([preset('a', 'alpha'), preset('b', 'beta')]);
    expect(listPresets(11)).toEqual([preset('c', 'of another')]);
    expect(listPresets(2)).toEqual([]);
  });

  it.each([
    '',
    'no JSON',
    '[]',
    '{"id":"x","name":"","values":{}}',
    '{"id":"x","name":"old","values":{"sampling":{}}}',
  ])('are listed without an unreadable one, which is kept: %j', async (damaged) => {
    const { savePreset, listPresets, deletePreset } = await openStore();
    savePreset(1, preset('a'));
    localStorage['kept:1:preset:x'] = damaged;
    expect(listPresets(1)).toEqual([preset('a')]);
    savePreset(1, preset('b'));
    deletePreset(1, preset('a'));
    expect(listPresets(1)).toEqual([preset('b')]);
    expect(localStorage['kept:1:preset:x']).toBe(damaged);
  });

  it('are deleted when another account signs in, and other items are not', async () => {
    const { savePreset, listPresets } = await openStore();
    const { forgetKept } = await openAccounts();
    localStorage['mantine-color-scheme-value'] = 'dark';
    savePreset(1, preset('a'));
    savePreset(11, preset('b'));
    forgetKept(11);
    expect([listPresets(1), listPresets(11)]).toEqual([[], [preset('b')]]);
    forgetKept(1);
    expect(Object.keys(localStorage)).toEqual(['mantine-color-scheme-value']);
  });

  it('are deleted at sign-out, and none can be saved after that', async () => {
    const { savePreset } = await openStore();
    const { closeAccountStorage } = await openAccounts();
    savePreset(1, preset('a'));
    closeAccountStorage();
    expect(savePreset(1, preset('b'))).toBe(false);
    expect(Object.keys(localStorage)).toEqual([]);
  });

  it('report a full storage when saved', async () => {
    const { savePreset, listPresets } = await openStore();
    Object.defineProperty(localStorage, 'setItem', {
      value: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    });
    expect(savePreset(1, preset('a'))).toBe(false);
    expect(listPresets(1)).toEqual([]);
  });
});

const user = (id: string): ChatItem => ({ id, message: { role: 'user', content: `text of ${id}` } });
const reply = (id: string): ChatItem => ({ id, message: { role: 'assistant', content: '…' }, finishReason: 'stop' });
const call: ChatItem = {
  id: 'call',
  message: { role: 'assistant', content: '', function_call: { name: 'f', arguments: '{}' } },
  finishReason: 'function_call',
};
const result: ChatItem = { id: 'result', message: { role: 'function', name: 'f', content: '{}' } };
const items = [user('a'), reply('b'), user('c'), call, result, reply('d')];
const ids = (list: readonly ChatItem[] | undefined) => list?.map(({ id }) => id).join(' ');

describe('a conversation', () => {
  it('is sent up to the prompt of its last response', () => {
    expect(ids(promptOf(items))).toBe('a b c call result');
    expect(ids(promptOf([user('a')]))).toBe('a');
    expect(ids(promptOf([reply('b')]))).toBe('');
    expect(ids(promptOf([]))).toBe('');
  });

  it('ends with an edited message, without the later ones', () => {
    const edited = withContent(items, 'c', 'new');
    expect(ids(edited)).toBe('a b c');
    expect(edited?.at(-1)).toEqual({ id: 'c', message: { role: 'user', content: 'new' } });
    expect(withContent(items, 'result', '{"ok": 1}')?.at(-1)?.message).toEqual({
      role: 'function',
      name: 'f',
      content: '{"ok": 1}',
    });
  });

  it('does not edit a response or a deleted message', () => {
    expect(withContent(items, 'b', 'new')).toBeUndefined();
    expect(withContent(items, 'gone', 'new')).toBeUndefined();
  });

  it.each([
    ['a', 'b c call result d'],
    ['b', 'a c call result d'],
    ['call', 'a b c d'],
    ['result', 'a b c d'],
    ['d', 'a b c call result'],
    ['gone', 'a b c call result d'],
  ])('deletes the message %s, and a function call together with its result', (id, left) => {
    expect(ids(withoutMessage(items, id))).toBe(left);
  });
});

describe('the chunks of a stream', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are rendered together: a thousand per second in fewer than 30 renders', async () => {
    const painted: string[] = [];
    const buffer = pieceBuffer((pieces) => painted.push(joinPieces(pieces).text));
    for (let piece = 0; piece < 1000; piece++) {
      buffer.add({ text: `${piece} ` });
      await vi.advanceTimersByTimeAsync(1);
    }
    buffer.end();
    expect(painted.join('')).toBe(Array.from({ length: 1000 }, (_, piece) => `${piece} `).join(''));
    expect(painted.length).toBeGreaterThan(10);
    expect(painted.length).toBeLessThan(30);
  });

  it('are rendered less often if a render is slow', async () => {
    let paints = 0;
    const buffer = pieceBuffer(() => {
      paints += 1;
      // A render takes 100 ms.
      vi.setSystemTime(Date.now() + 100);
      vi.advanceTimersByTime(0);
    });
    for (let ms = 0; ms < 3000; ms += 10) {
      buffer.add({ text: 'x' });
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(paints).toBeLessThan(80);
  });

  it('are all rendered once at the end', async () => {
    const painted: string[] = [];
    const buffer = pieceBuffer((pieces) => painted.push(joinPieces(pieces).text));
    buffer.add({ text: 'a' });
    buffer.add({ text: 'b' });
    buffer.end();
    buffer.end();
    await vi.advanceTimersByTimeAsync(1000);
    expect(painted).toEqual(['ab']);
  });

  it('are joined by text, function call and finish reason', () => {
    expect(
      joinPieces([
        { text: 'a', call: { name: 'find' } },
        { text: 'b', call: { arguments: '{"x":' } },
        { text: '', call: { arguments: '1}' }, finishReason: 'function_call' },
        { text: '' },
      ]),
    ).toEqual({ text: 'ab', call: { name: 'find', arguments: '{"x":1}' }, finishReason: 'function_call' });
    expect(joinPieces([{ text: 'a' }])).toEqual({ text: 'a', finishReason: undefined });
  });
});
