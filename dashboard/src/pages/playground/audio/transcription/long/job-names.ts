import * as v from 'valibot';
import { keep, kept } from '../../../../../api/account-storage.ts';
import { documentAccount } from '../../../../../api/account.ts';

/** The service does not know what a file is called: this browser keeps it, newest last. */
const slot = 'transcriptions';
const maxNames = 100;
const Names = v.pipe(v.string(), v.parseJson(), v.array(v.tuple([v.string(), v.string()])));

function read(account: number | undefined): readonly (readonly [id: string, name: string])[] {
  const [item] = account === undefined ? [] : kept(account, slot);
  const names = v.safeParse(Names, item?.value);
  return names.success ? names.output : [];
}

/** Names of files by the ids of their transcriptions. */
export const jobNames = (): ReadonlyMap<string, string> => new Map(read(documentAccount()));

export function nameJob(id: string, name: string): void {
  const account = documentAccount();
  if (account !== undefined) keep(account, slot, JSON.stringify([...read(account), [id, name]].slice(-maxNames)));
}

export function forgetJobName(id: string): void {
  const account = documentAccount();
  if (account !== undefined) keep(account, slot, JSON.stringify(read(account).filter(([known]) => known !== id)));
}
