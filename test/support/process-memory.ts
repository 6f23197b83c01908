import { readdir, readFile } from 'node:fs/promises';

/** Resident memory of a process and all that it started, in MB (proc(5), VmRSS). */
export async function residentMegabytes(pid: number): Promise<number> {
  const children = await childrenByParent();
  const tree = [pid];
  for (const parent of tree) tree.push(...(children.get(parent) ?? []));
  const sizes = await Promise.all(tree.map(residentKilobytes));
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

async function childrenByParent(): Promise<Map<number, number[]>> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const pairs = await Promise.all(pids.map(async (pid) => ({ pid, parent: await statusNumber(pid, 'PPid') })));
  return new Map(
    Map.groupBy(pairs, ({ parent }) => parent)
      .entries()
      .map(([parent, all]) => [parent, all.map(({ pid }) => pid)]),
  );
}

const residentKilobytes = (pid: number): Promise<number> => statusNumber(pid, 'VmRSS');

/** 0 of a process that has ended meanwhile. */
async function statusNumber(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}
