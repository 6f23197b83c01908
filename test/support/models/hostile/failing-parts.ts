import { expect } from 'vitest';
import { services } from '#runtime/services/container.ts';
import type { ApiResponse, Person, TestService } from '../../service/service.ts';

/** What a model does in place of a part of a text, and what comes of the call. */
export const partFailures: readonly (readonly [fault: string, status: number, message: string])[] = [
  ['error', 502, 'MODEL_ERROR'],
  ['throttle', 503, 'SERVICE_UNAVAILABLE'],
  ['unavailable', 503, 'SERVICE_UNAVAILABLE'],
  ['cut', 502, 'MODEL_ERROR'],
  ['hang', 504, 'MODEL_TIMEOUT'],
];

/** A call of many parts, of which the model fails one, is not charged. */
export async function expectNoCharge(
  service: TestService,
  [fault, status, message]: (typeof partFailures)[number],
  send: (person: Person) => Promise<ApiResponse>,
): Promise<void> {
  const person = await service.person();
  // One that is cut while it was kept is replaced, once.
  const count = fault === 'cut' ? 20 : 1;
  const fail = (name: string) => service.post('/_local/faults', { target: 'sagemaker', fault: name, count });
  await fail(fault);
  const response = await send(person);
  await fail('none');
  expect([response.status, response.body.message]).toEqual([status, message]);
  if (status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(response.headers.get('x-credits-charged')).toBe('0');
  const left = { spendable: 100_000_000, used: {}, holds: new Map() };
  expect(await services().metering().find(person.id)).toMatchObject(left);
}
