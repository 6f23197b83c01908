import type { InferOutput } from 'valibot';
import type { AuditEvent } from '#contract/operators/operators.ts';
import { type ContentBody, maxContentBytes, type StoredContent } from '#contract/requests/stored-content.ts';
import { dayMs, iso } from '#contract/shared/time.ts';
import type { KeyService } from '../keys/key-service.ts';
import { isReadable, type KeyStore } from '../keys/key.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';

export type Content = InferOutput<typeof StoredContent>;

export interface ContentKey {
  readonly accountId: number;
  readonly keyId: string;
}

export interface ContentPlace extends ContentKey {
  readonly requestId: string;
}

/** Stored prompts and responses. Those past their expiry are not found. */
export interface ContentStore {
  /** `days`: after which the storage deletes it. */
  put(place: ContentPlace, content: Content, days: number, signal: AbortSignal): Promise<void>;
  find(place: ContentPlace): Promise<Content | undefined>;
  /** Returns false if it did not exist. */
  remove(place: ContentPlace): Promise<boolean>;
  /** Deletes those of a key, or of the whole account, until `signal` is aborted. */
  removeAll(of: Pick<ContentKey, 'accountId'> & Partial<ContentKey>, signal?: AbortSignal): Promise<Removal>;
}

export interface Removal {
  readonly deleted: number;
  readonly isDone: boolean;
}

export interface StoredCall {
  readonly requestId: string;
  readonly at: number;
  readonly days: number;
  readonly isStream: boolean;
  readonly request: ContentBody;
  readonly response: ContentBody;
}

export const contentOf = ({ at, days, ...call }: StoredCall): Content => ({
  ...call,
  at: iso(at),
  expiresAt: iso(at + days * dayMs),
});

/** Truncates a text to the stored bytes without splitting a character. */
export function textBody(contentType: string, text: string): ContentBody {
  const all = Buffer.from(text);
  if (all.length <= maxContentBytes) return { contentType, bytes: all.length, text, isTruncated: false };
  let end = maxContentBytes;
  while (isContinuation(all[end])) end -= 1;
  return { contentType, bytes: all.length, text: all.toString('utf8', 0, end), isTruncated: true };
}

/** Describes a body whose bytes are not stored. */
export const describedBody = (contentType: string, bytes: number | null): ContentBody => ({
  contentType,
  bytes,
  text: null,
  isTruncated: false,
});

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Identifies a read: account, member and request. */
export interface Reader {
  readonly accountId: number;
  readonly userId: number;
  readonly requestId: string;
}

interface Parts {
  /** Throws 409 if the stage stores no prompts. */
  readonly store: () => Promise<ContentStore>;
  readonly keys: Pick<KeyStore, 'find'>;
  readonly changes: Pick<KeyService, 'storeContent'>;
  /** Limits the audited reads of a person, so that no member can use up those of another. */
  readonly enforceReadLimit: (userId: number) => Promise<void>;
  readonly record: (event: AuditEvent) => Promise<void>;
  readonly clock: Clock;
}

const deletionMs = 20_000;

export function contentService({ store, keys, changes, enforceReadLimit, record, clock }: Parts) {
  const eventBy = ({ accountId, userId: by, requestId }: Reader) => ({
    accountId,
    by,
    requestId,
    isMember: true as const,
  });

  async function setDays(reader: Reader, keyId: string, days: number | null) {
    if (days !== null) await store();
    return changes.storeContent(reader.accountId, keyId, days, (before, at) => ({
      ...eventBy(reader),
      action: 'store_content',
      reason: 'PUT /api/keys/{id}/content',
      at,
      before: { keyId, contentDays: before },
      after: { keyId, contentDays: days },
    }));
  }

  /** Reading the content of another member's key is audited before it is returned. */
  async function get(reader: Reader, keyId: string, requestId: string): Promise<Content> {
    const { accountId, userId } = reader;
    const content = await (await store()).find({ accountId, keyId, requestId });
    if (!content) throw notStored();
    const key = await keys.find(accountId, keyId);
    // Keys of earlier versions belong to personal organizations and name no creator.
    const creator = key && isReadable(key) ? (key.createdBy ?? accountId) : undefined;
    if (creator !== userId) {
      await enforceReadLimit(userId);
      await record(readEvent(reader, keyId, requestId));
    }
    return content;
  }

  const readEvent = (reader: Reader, keyId: string, contentOf: string): AuditEvent => ({
    ...eventBy(reader),
    action: 'read_content',
    reason: 'GET /api/keys/{id}/content/{requestId}',
    at: clock.now(),
    before: {},
    after: { keyId, contentOf },
  });

  async function remove(place: ContentPlace): Promise<void> {
    if (!(await (await store()).remove(place))) throw notStored();
  }

  const removeAll = async (of: ContentKey): Promise<Removal> =>
    (await store()).removeAll(of, AbortSignal.timeout(deletionMs));

  return { setDays, get, remove, removeAll };
}

const notStored = () =>
  new ServiceError(
    'NOT_FOUND',
    'No prompt and response are stored for this request of the key. They may have expired or been deleted.',
  );
