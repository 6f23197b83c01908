import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import * as v from 'valibot';
import { isDamaged } from '../shared/data-folder.ts';
import { Problem } from '../shared/problems.ts';
import { StripeProblem } from './wire/errors.ts';
import { type Kind, kinds, type Objects } from './world.ts';

/** The objects in memory, written to disk when a change is complete. */
export interface Store {
  readonly find: <K extends Kind>(kind: K, id: string) => Objects[K] | undefined;
  /** Oldest first. */
  readonly all: <K extends Kind>(kind: K) => Objects[K][];
  readonly save: <K extends Kind>(kind: K, object: Objects[K]) => void;
  readonly remove: (kind: Kind, id: string) => void;
  /** An object of any kind, for expansion. */
  readonly findAny: (id: string) => Objects[Kind] | undefined;
  /**
   * Runs `change` and writes everything it saved in one transaction. If it throws, nothing is changed, unless the
   * error keeps its changes.
   */
  readonly commit: <Result>(change: () => Result) => Result;
  /** The object that the clock changes next. */
  readonly nextDue: () => Due | undefined;
  readonly close: () => void;
}

/** Returns the seconds at which the clock changes an object. */
export type DueTimes = { readonly [K in Kind]?: (object: Objects[K]) => number | null };

export interface Due {
  /** Seconds. */
  readonly at: number;
  readonly kind: Kind;
  readonly id: string;
}

const maxObjects = 200_000;

const schema = `CREATE TABLE IF NOT EXISTS objects (
  position INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, UNIQUE (kind, id)
) STRICT;`;
const Row = v.object({ kind: v.picklist(kinds), json: v.string() });

type Tables = { readonly [K in Kind]: Map<string, Objects[K]> };

/** Stores the objects in a private SQLite file. Throws a Problem if the file is damaged. */
export function openStore(file: string, dueTimes: DueTimes): Store {
  const database = open(file);
  const upsert = database.prepare(
    'INSERT INTO objects (kind, id, json) VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET json = excluded.json',
  );
  const erase = database.prepare('DELETE FROM objects WHERE kind = ? AND id = ?');
  const tables = emptyTables();
  const dues = new Map<string, Due>();
  let earliest: Due | null | undefined;
  let size = 0;

  /** The previous state of each object that the current change has saved. */
  let undo: Map<string, { readonly kind: Kind; readonly id: string; readonly revert: () => void }> | undefined;

  function place<K extends Kind>(kind: K, id: string, object: Objects[K] | undefined): void {
    const table: Map<string, Objects[K]> = tables[kind];
    size += Number(object !== undefined) - Number(table.has(id));
    if (object) table.set(id, object);
    else table.delete(id);
    const at = object && dueTimes[kind]?.(object);
    if (at === undefined || at === null) dues.delete(`${kind} ${id}`);
    else dues.set(`${kind} ${id}`, { at, kind, id });
    earliest = undefined;
  }

  function change<K extends Kind>(kind: K, id: string, object: Objects[K] | undefined): void {
    const table: Map<string, Objects[K]> = tables[kind];
    const previous = table.get(id);
    if (!undo) throw new Error('the payments server changed an object outside a transaction');
    if (object && !previous && size >= maxObjects)
      throw new StripeProblem(500, {
        type: 'api_error',
        message: `This server stores at most ${maxObjects} objects. Choose another data folder, or remove the payments file.`,
      });
    if (!undo.has(`${kind} ${id}`)) undo.set(`${kind} ${id}`, { kind, id, revert: () => place(kind, id, previous) });
    place(kind, id, object);
  }

  function write(changes: Iterable<{ readonly kind: Kind; readonly id: string }>): void {
    database.exec('BEGIN IMMEDIATE');
    try {
      for (const { kind, id } of changes) {
        const object = tables[kind].get(id);
        if (object) upsert.run(kind, id, JSON.stringify(object));
        else erase.run(kind, id);
      }
      database.exec('COMMIT');
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  }

  function commit<Result>(work: () => Result): Result {
    if (undo) return work();
    const changes = (undo = new Map());
    try {
      const result = work();
      write(changes.values());
      return result;
    } catch (error) {
      if (error instanceof StripeProblem && error.keepsChanges) write(changes.values());
      else for (const { revert } of [...changes.values()].toReversed()) revert();
      throw error;
    } finally {
      undo = undefined;
    }
  }

  for (const row of database.prepare('SELECT kind, json FROM objects ORDER BY position').all()) {
    const { kind, json } = v.parse(Row, row);
    const object = JSON.parse(json);
    place(kind, object.id, object);
  }

  return {
    find: (kind, id) => tables[kind].get(id),
    all: (kind) => [...tables[kind].values()],
    save: (kind, object) => change(kind, object.id, object),
    remove: (kind, id) => change(kind, id, undefined),
    findAny: (id) => kinds.map((kind) => tables[kind].get(id)).find((object) => object !== undefined),
    commit,
    nextDue: () => (earliest === undefined ? (earliest = firstOf(dues.values())) : earliest) ?? undefined,
    close: () => database.close(),
  };
}

function firstOf(dues: Iterable<Due>): Due | null {
  let first: Due | null = null;
  for (const due of dues) if (!first || due.at < first.at) first = due;
  return first;
}

function open(file: string): DatabaseSync {
  closeSync(openSync(file, 'a', 0o600));
  if (isDamaged(file))
    throw new Problem(
      `The payments in ${file} are damaged. Remove the file, or choose another data folder with --data DIR.`,
    );
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec(schema);
  return database;
}

const emptyTables = (): Tables => ({
  customer: new Map(),
  deleted_customer: new Map(),
  customer_balance_transaction: new Map(),
  product: new Map(),
  price: new Map(),
  payment_method: new Map(),
  payment_intent: new Map(),
  setup_intent: new Map(),
  charge: new Map(),
  refund: new Map(),
  dispute: new Map(),
  'radar.early_fraud_warning': new Map(),
  invoice: new Map(),
  invoiceitem: new Map(),
  invoice_payment: new Map(),
  subscription: new Map(),
  'checkout.session': new Map(),
  session_details: new Map(),
  'billing_portal.session': new Map(),
  'billing_portal.configuration': new Map(),
  webhook_endpoint: new Map(),
  event: new Map(),
  scripted_outcome: new Map(),
  idempotent_reply: new Map(),
});
