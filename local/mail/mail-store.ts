import { type FileHandle, mkdir, open, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { replaceFile } from '../shared/json-file.ts';

/** `sentAt` is ISO 8601. */
export const ReceivedMail = v.object({
  to: v.array(v.string()),
  subject: v.string(),
  text: v.string(),
  html: v.string(),
  sentAt: v.string(),
});
export type ReceivedMail = v.InferOutput<typeof ReceivedMail>;

export interface MailStore {
  /** Resolves once the email is on disk. */
  add(mail: ReceivedMail): Promise<void>;
  /** The newest `maxKept` emails, newest first. */
  list(): ReceivedMail[];
}

const maxKept = 500;

/** The file is rewritten when it reaches this many lines, so the cost per line stays constant. */
const maxLines = 2 * maxKept;

/**
 * Stores the newest emails as lines of JSON, readable only by the file's owner. Drops a line that a killed process left
 * unfinished, because add() had not resolved for it. Rejects if the file cannot be read or a finished line is not an
 * email.
 */
export async function openMailStore(file: string): Promise<MailStore> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const written = await readOrCreate(file);
  const finished = written.subarray(0, written.lastIndexOf('\n') + 1);
  if (finished.length < written.length) await truncate(file, finished.length);

  let mails = parseLines(finished.toString(), file);
  let size = finished.length;
  await compact();
  let last: Promise<unknown> = Promise.resolve();

  async function append(mail: ReceivedMail): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(mail)}\n`);
    await appendSynced(file, line, size);
    size += line.length;
    mails.push(mail);
    // The email is stored. If the file cannot be rewritten now, a later email rewrites it.
    await compact().catch(() => undefined);
  }

  async function compact(): Promise<void> {
    if (mails.length < maxLines) return;
    const kept = mails.slice(-maxKept);
    const text = kept.map((mail) => `${JSON.stringify(mail)}\n`).join('');
    await replaceFile(file, text, { flush: true });
    mails = kept;
    size = Buffer.byteLength(text);
  }

  return {
    add(mail) {
      const added = last.then(() => append(mail));
      last = added.catch(() => undefined);
      return added;
    },
    list: () => mails.slice(-maxKept).toReversed(),
  };
}

async function readOrCreate(file: string): Promise<Buffer> {
  const content = await withFile(file, 'a+', (handle) => handle.readFile());
  await withFile(dirname(file), 'r', (folder) => folder.sync());
  return content;
}

/** Reverts a failed write, so that the next line does not continue it. */
async function appendSynced(file: string, line: Buffer, size: number): Promise<void> {
  await withFile(file, 'a', async (handle) => {
    try {
      await handle.appendFile(line);
      await handle.sync();
    } catch (error) {
      await handle.truncate(size);
      throw error;
    }
  });
}

async function withFile<T>(path: string, flags: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path, flags, 0o600);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

function parseLines(text: string, file: string): ReceivedMail[] {
  const Line = v.pipe(v.string(), v.parseJson(), ReceivedMail);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      const mail = v.safeParse(Line, line);
      if (!mail.success) throw new Error(`${file}, line ${index + 1}, is not an email. Remove the line or the file.`);
      return mail.output;
    });
}
