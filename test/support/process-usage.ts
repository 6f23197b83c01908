import { readdir, readFile } from 'node:fs/promises';

/** Resident memory of a process and its descendants, in MB (proc(5), VmRSS). */
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

/** 0 if the process has ended. */
async function statusNumber(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

/** proc(5): clock ticks per second (sysconf(3), _SC_CLK_TCK) are 100 on every Linux that Node supports. */
const msPerTick = 10;

/** CPU time of a process so far in ms, without its children. */
export async function processorMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // Fields after the name, which may contain spaces. utime is field 14, stime field 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/** CPU time of a synchronous call in ms. Elapsed time may be a multiple of it on a busy machine. */
export function callMsOf(call: () => void): number {
  const began = process.threadCpuUsage();
  call();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}
