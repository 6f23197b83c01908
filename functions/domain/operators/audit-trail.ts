import type { InferOutput } from 'valibot';
import type { AuditQuery } from '#contract/operators/audit.ts';
import type { AuditEvent } from '../shared/audit-event.ts';

/** Reads of audit events, which are never changed. */
export interface AuditReads {
  /** Newest first, of one account or of all, before `cursor`; `next` is the cursor of the page that follows. */
  page(
    accountId: number | undefined,
    limit: number,
    cursor: string | undefined,
  ): Promise<{ events: AuditEvent[]; next: string | null }>;
}

/** The email addresses of accounts, by their ids; none of an account that is purged. */
export type EmailsOf = (accountIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/** What operators did, for operators to read. */
export function auditTrail(reads: AuditReads, emailsOf: EmailsOf) {
  async function list({ accountId, limit, cursor }: InferOutput<typeof AuditQuery>) {
    const { events, next } = await reads.page(accountId, limit, cursor);
    const emails = await emailsOf([...new Set(events.flatMap((event) => [event.accountId, event.by ?? []].flat()))]);
    const named = (id: number) => ({ id, email: emails.get(id) ?? null });
    return { events: events.map((event) => shown(event, named)), nextCursor: next };
  }
  return { list };
}

function shown<Named>({ at, accountId, by, ...event }: AuditEvent, named: (id: number) => Named) {
  return {
    ...event,
    at: new Date(at).toISOString(),
    account: named(accountId),
    by: by === undefined ? null : named(by),
  };
}
