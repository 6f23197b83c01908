import type { AuditEvent } from '../../shared/audit-event.ts';
import type { Clock } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import type { KeyBudgets } from '../key-budgets.ts';
import type { KeyRecord } from '../key-record.ts';
import type { KeyStore } from '../key-store.ts';
import { shown } from '../shown-key.ts';
import { keyEvent } from './key-events.ts';
import { type DemandChange, demandReadable, refuseUnlessDone } from './key-refusals.ts';

const maxTries = 5;

/** Changes a key as `edit` does, on the record as it is then: it is read again where others changed it meanwhile. */
export function keyReviser(keys: KeyStore, budgets: KeyBudgets, demandChange: DemandChange, clock: Clock) {
  return async (
    accountId: number,
    id: string,
    edit: (record: KeyRecord, now: number) => KeyRecord,
    eventOf?: (before: KeyRecord, now: number) => AuditEvent,
  ) => {
    for (let tries = 0; tries < maxTries; tries++) {
      const now = clock.now();
      const before = await demandReadable(keys, accountId, id);
      const after = { ...edit(before, now), revision: before.revision + 1 };
      if (tries === 0) await demandChange(accountId);
      const meter = await budgets.limitedMeter(accountId, [before, after]);
      const unused = await budgets.unusedAfter(accountId, { before, after }, { meter, now });
      const event = eventOf?.(before, now);
      const isEnd = after.status === 'revoked' && before.status !== 'revoked';
      const happened = isEnd && { keyEvent: keyEvent('revoked', id, now) };
      const outcome = await keys.change(accountId, after, { now, unused, ...(event && { event }), ...happened });
      if (outcome === 'changed meanwhile') continue;
      refuseUnlessDone(outcome);
      return shown(after, { budgets: meter?.budgets ?? new Map(), now });
    }
    throw new ServiceError('SERVICE_UNAVAILABLE', 'The key is being changed by another request. Try again.', {
      retryAfterSeconds: 1,
    });
  };
}

export type ReviseKey = ReturnType<typeof keyReviser>;
