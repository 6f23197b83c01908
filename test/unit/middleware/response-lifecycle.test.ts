import { expect, test, vi } from 'vitest';
import { ResponseLifecycle } from '#middleware/call.ts';

type Settlement = () => Promise<void>;
const settlement = () => vi.fn<Settlement>(async () => undefined);
const nothing = () => undefined;

test('a response is settled once and closed once, however often that is requested', async () => {
  const [settled, onClose] = [settlement(), vi.fn<() => void>()];
  const lifecycle = new ResponseLifecycle(() => 0, onClose);
  lifecycle.settleBy(settled);
  await Promise.all([lifecycle.settle(), lifecycle.settle()]);
  await lifecycle.settle();
  await lifecycle.close();
  await lifecycle.close();
  expect(settled).toHaveBeenCalledOnce();
  expect(onClose).toHaveBeenCalledOnce();
});

test('the settlement of a response can be replaced until it has started', async () => {
  const [first, second, third] = [settlement(), settlement(), settlement()];
  const lifecycle = new ResponseLifecycle(() => 0, nothing);
  await lifecycle.settle();
  lifecycle.settleBy(first);
  lifecycle.settleBy(second);
  await lifecycle.settle();
  lifecycle.settleBy(third);
  await lifecycle.settle();
  expect([first, second, third].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 0]);
});

test('the time to the first byte is measured once', () => {
  const times = [5, 7];
  const lifecycle = new ResponseLifecycle(() => times.shift() ?? 0, nothing);
  lifecycle.markFirstByte();
  lifecycle.markFirstByte();
  expect(lifecycle.firstByteAt).toBe(5);
});

test('the work that follows a response starts once, after its log line', async () => {
  const order: string[] = [];
  const lifecycle = new ResponseLifecycle(
    () => 0,
    () => order.push('line'),
  );
  lifecycle.followBy(async () => void order.push('work'));
  await Promise.all([lifecycle.close(), lifecycle.close()]);
  expect(order).toEqual(['line', 'work']);
});
