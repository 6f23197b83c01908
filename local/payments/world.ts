import type { Kind, Objects, StoredEvent } from './objects/types.ts';
import type { Store } from './store.ts';
import { missing, missingParam, newId } from './wire/errors.ts';

export const apiVersion = '2026-10-28.endive';

export interface RequestInfo {
  readonly id: string | null;
  readonly idempotency_key: string | null;
}

/** Context of every operation: the objects, the time and the events. */
export interface World extends Pick<Store, 'find' | 'all' | 'save' | 'remove' | 'findAny'> {
  /** Seconds. While overdue work runs, the time at which it was due. */
  at(): number;
  /** URL of the server, without a trailing slash. */
  readonly url: string;
  /** Days after the previous attempt at which a failed renewal is retried. */
  readonly retryDays: readonly number[];
  /** Stores an event with a copy of the object. */
  emit(type: string, object: { readonly id: string }, previousAttributes?: object): void;
  /** Runs `work` at an earlier time than now, in seconds. */
  during<Result>(at: number, work: () => Result): Result;
  /** Runs `work` with a request that its events name. */
  requested<Result>(request: RequestInfo, work: () => Result): Result;
}

export interface WorldOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
  readonly url: string;
  readonly retryDays: readonly number[];
  /** Called when an event was stored, before its change is complete. */
  readonly onEvent: (event: StoredEvent) => void;
}

const noRequest: RequestInfo = { id: null, idempotency_key: null };

export function createWorld({ store, now, url, retryDays, onEvent }: WorldOptions): World {
  let moment: number | undefined;
  let request = noRequest;

  const at = (): number => moment ?? Math.floor(now() / 1000);

  function emit(type: string, object: { readonly id: string }, previousAttributes?: object): void {
    const endpoints = store
      .all('webhook_endpoint')
      .filter(
        ({ status, enabled_events: names }) => status === 'enabled' && (names.includes('*') || names.includes(type)),
      );
    const event: StoredEvent = {
      id: newId('evt'),
      object: 'event',
      api_version: apiVersion,
      created: at(),
      data: {
        object: JSON.parse(JSON.stringify(object)),
        ...(previousAttributes && { previous_attributes: previousAttributes }),
      },
      request,
      type,
      deliveries: endpoints.map(({ id }) => ({ endpoint: id, attempts: 0, nextAt: now(), status: 'pending' })),
    };
    store.save('event', event);
    onEvent(event);
  }

  function during<Result>(seconds: number, work: () => Result): Result {
    const outer = moment;
    moment = seconds;
    try {
      return work();
    } finally {
      moment = outer;
    }
  }

  function requested<Result>(info: RequestInfo, work: () => Result): Result {
    request = info;
    try {
      return work();
    } finally {
      request = noRequest;
    }
  }

  return {
    find: store.find,
    all: store.all,
    save: store.save,
    remove: store.remove,
    findAny: store.findAny,
    at,
    url,
    retryDays,
    emit,
    during,
    requested,
  };
}

const labels: Partial<Record<Kind, string>> = {
  payment_method: 'PaymentMethod',
  invoiceitem: 'invoiceitem',
  'billing_portal.configuration': 'configuration',
};
const labelOf = (kind: Kind): string => labels[kind] ?? kind;

/** The object that the path names, or 404. */
export function required<K extends Kind>(world: World, kind: K, id: string, param = 'id'): Objects[K] {
  const object = world.find(kind, id);
  if (!object) throw missing(labelOf(kind), id, param);
  return object;
}

/** The object that a parameter names, or 400. */
export function referenced<K extends Kind>(world: World, kind: K, id: string, param: string): Objects[K] {
  const object = world.find(kind, id);
  if (!object) throw missingParam(labelOf(kind), id, param);
  return object;
}

/** Saves the changed object and emits the event with the attributes that changed. */
export function update<K extends Kind>(
  world: World,
  kind: K,
  object: Objects[K],
  changes: Partial<Objects[K]>,
  event?: string,
): Objects[K] {
  const changed = { ...object, ...changes };
  world.save(kind, changed);
  if (event !== undefined) world.emit(event, changed, previousOf(object, changes));
  return changed;
}

function previousOf<T extends object>(object: T, changes: Partial<T>): object {
  const old = Object.entries(object).filter(
    ([key, value]) =>
      Object.hasOwn(changes, key) && JSON.stringify(value) !== JSON.stringify(Reflect.get(changes, key)),
  );
  return Object.fromEntries(old);
}
