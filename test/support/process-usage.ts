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

/** Of proc(5): clock ticks a second (sysconf(3), _SC_CLK_TCK), 100 on every Linux that Node runs on. */
const msPerTick = 10;

/** Processor time that a process has taken so far, in ms; its children's is not in it. */
export async function processorMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The fields after the name, which may have spaces in it: utime is the 14th of all, stime the 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/** Processor time, in ms, that a synchronous call takes: on a busy machine it may take many times that by the clock. */
export function callMsOf(call: () => void): number {
  const began = process.threadCpuUsage();
  call();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}
