import { lastInstant } from '#contract/shared/fields.ts';
import type { Clock, Random } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import { removeSurplus } from '../ended-keys.ts';
import type { KeyBudgets } from '../key-budgets.ts';
import { type KeyRecord, statusOf } from '../key-record.ts';
import type { KeyStore } from '../key-store.ts';
import { created } from '../shown-key.ts';
import { issueKey } from './issue-key.ts';
import { rotationEvent } from './key-events.ts';
import { type DemandChange, demandReadable, refuseUnlessDone } from './key-refusals.ts';

interface RotationParts {
  readonly keys: KeyStore;
  readonly budgets: Pick<KeyBudgets, 'budgetsOf'>;
  readonly demandChange: DemandChange;
  readonly clock: Clock;
  readonly random: Random;
}

/** Creates a new key with the name, expiry and limits of an old one, which goes on for `graceSeconds`. */
export function keyRotation({ keys, budgets: { budgetsOf }, demandChange, clock, random }: RotationParts) {
  return async (accountId: number, id: string, graceSeconds: number) => {
    const now = clock.now();
    const old = await demandReadable(keys, accountId, id);
    const status = statusOf(old, now);
    if (status !== 'active')
      throw new ServiceError('INVALID_STATE', `The key is ${status}; only an active key can be rotated.`);
    await demandChange(accountId);
    const { record, key } = issueKey(accountId, { ...handedOn(old), createdAt: now }, random);
    const ending: KeyRecord =
      graceSeconds > 0
        ? { ...old, expiresAt: Math.min(old.expiresAt ?? lastInstant, now + graceSeconds * 1000) }
        : { ...old, status: 'revoked' };
    const written = { ...ending, revision: old.revision + 1 };
    const happened = { keyEvent: rotationEvent(ending, record.id, now) };
    refuseUnlessDone(await keys.rotate(accountId, written, record, { now, ...happened }));
    await removeSurplus(keys, accountId, { stored: await keys.list(accountId), now });
    return created(record, key, { budgets: await budgetsOf(accountId, [record]), now });
  };
}

function handedOn({ name, expiresAt, limit, budget, models, services }: KeyRecord) {
  return {
    name,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(limit && { limit }),
    ...(budget && { budget }),
    ...(models && { models }),
    ...(services && { services }),
  };
}
