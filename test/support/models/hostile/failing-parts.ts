import { expect } from 'vitest';
import { services } from '#runtime/services/container.ts';
import type { ApiResponse, Person, TestService } from '../../service/service.ts';

/** Faults of a model in one part of a text, with the resulting error of the call. */
export const partFailures: readonly (readonly [fault: string, status: number, message: string])[] = [
  ['error', 502, 'MODEL_ERROR'],
  ['throttle', 503, 'SERVICE_UNAVAILABLE'],
  ['unavailable', 503, 'SERVICE_UNAVAILABLE'],
  ['cut', 502, 'MODEL_ERROR'],
  ['hang', 504, 'MODEL_TIMEOUT'],
];

/** Expects that a call of many parts is not charged if the model fails one. */
export async function expectNoCharge(
  service: TestService,
  [fault, status, message]: (typeof partFailures)[number],
  send: (person: Person) => Promise<ApiResponse>,
): Promise<void> {
  const person = await service.person();
  // A reused connection that breaks is replaced once.
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
