import { describe, expect, it } from 'vitest';
import {
  type ChatItem,
  promptOf,
  withContent,
  withoutMessage,
} from '../../../../../../dashboard/src/pages/playground/chat/thread.ts';

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
  it('is sent again up to the prompt of its last response', () => {
    expect(ids(promptOf(items))).toBe('a b c call result');
    expect(ids(promptOf([user('a')]))).toBe('a');
    expect(ids(promptOf([reply('b')]))).toBe('');
    expect(ids(promptOf([]))).toBe('');
  });

  it('continues from an edited message, without the later ones', () => {
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
