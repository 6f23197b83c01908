import { readdir, readFile, readlink } from 'node:fs/promises';

/** A TCP port that a process listens on. `address` is dotted IPv4, or the 32 hex digits of an IPv6 address. */
export interface Listening {
  readonly address: string;
  readonly port: number;
}

const listenState = '0A';

/** Every port on which the process or a child of it listens, from the kernel's list. */
export async function listeningPorts(pid: number): Promise<Listening[]> {
  const sockets = new Set((await Promise.all((await processTree(pid)).map(socketsOf))).flat());
  const tables = await Promise.all(['tcp', 'tcp6'].map((table) => readFile(`/proc/${pid}/net/${table}`, 'utf8')));
  return tables
    .flatMap((table) => table.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === listenState && sockets.has(inode!))
    .map(([, local = '']) => {
      const [address = '', port = ''] = local.split(':');
      return { address: address.length === 8 ? dotted(address) : address, port: Number.parseInt(port, 16) };
    });
}

/** The kernel prints the four bytes in reverse order. */
const dotted = (hex: string): string => [...Buffer.from(hex, 'hex')].toReversed().join('.');

async function processTree(root: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const parents = new Map(await Promise.all(pids.map(async (pid) => [pid, await parentOf(pid)] as const)));
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isBelow(parents.get(pid)));
  return pids.filter(isBelow);
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(parent) || undefined;
}

async function socketsOf(pid: number): Promise<string[]> {
  const handles = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(handles.map((handle) => readlink(`/proc/${pid}/fd/${handle}`).catch(() => '')));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}
