import { describe, expect, it } from 'vitest';
import type { ChatItem } from '../../../../../../../dashboard/src/pages/playground/chat/thread.ts';
import {
  promptOf,
  withContent,
  withoutMessage,
} from '../../../../../../../dashboard/src/pages/playground/chat/thread.ts';

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
  it('is sent again up to what its last response was generated from', () => {
    expect(ids(promptOf(items))).toBe('a b c call result');
    expect(ids(promptOf([user('a')]))).toBe('a');
    expect(ids(promptOf([reply('b')]))).toBe('');
    expect(ids(promptOf([]))).toBe('');
  });

  it('goes on from a message that is edited, without what came after it', () => {
    const edited = withContent(items, 'c', 'new');
    expect(ids(edited)).toBe('a b c');
    expect(edited?.at(-1)).toEqual({ id: 'c', message: { role: 'user', content: 'new' } });
    expect(withContent(items, 'result', '{"ok": 1}')?.at(-1)?.message).toEqual({
      role: 'function',
      name: 'f',
      content: '{"ok": 1}',
    });
  });

  it('has no response edited, nor a message that is gone', () => {
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
  ])('loses the message %s, and with a function call its result', (id, left) => {
    expect(ids(withoutMessage(items, id))).toBe(left);
  });
});
