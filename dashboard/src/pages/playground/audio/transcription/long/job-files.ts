import * as v from 'valibot';
import { keep, kept } from '../../../../../api/account/account-storage.ts';
import { documentAccount } from '../../../../../api/account/account.ts';

/** What the service does not know of a job's file, or not before it ends: this browser keeps it, newest last. */
const slot = 'transcriptions';
const maxFiles = 100;
const Files = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ id: v.string(), name: v.string(), seconds: v.optional(v.number()) })),
);
type JobFile = v.InferOutput<typeof Files>[number];

function read(account: number | undefined): readonly JobFile[] {
  const [item] = account === undefined ? [] : kept(account, slot);
  const files = v.safeParse(Files, item?.value);
  return files.success ? files.output : [];
}

/** Names and lengths of files by the ids of their transcriptions. */
export const jobFiles = (): ReadonlyMap<string, JobFile> =>
  new Map(read(documentAccount()).map((file) => [file.id, file]));

export function keepJobFile(file: JobFile): void {
  const account = documentAccount();
  if (account !== undefined) keep(account, slot, JSON.stringify([...read(account), file].slice(-maxFiles)));
}

export function forgetJobFile(id: string): void {
  const account = documentAccount();
  if (account !== undefined) keep(account, slot, JSON.stringify(read(account).filter((file) => file.id !== id)));
}
