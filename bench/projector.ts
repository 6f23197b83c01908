import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onGatewayProcessor } from './shared/processor.ts';

const run = promisify(execFile);

export interface ProjectorCost {
  readonly records: number;
  /** Processor time of the job for each record of a settled call, its database left out. */
  readonly processorMs: number;
}

/** What the ledger costs for each call: the projector's job over many stream records, in a process of its own. */
export async function measureProjector(databaseUrl: string, records: number): Promise<ProjectorCost> {
  const program = join(import.meta.dirname, 'gateways/projector.ts');
  const [node = '', ...args] = onGatewayProcessor([process.execPath, program, databaseUrl, String(records)]);
  const { stdout } = await run(node, args, { maxBuffer: 256 * 1024 * 1024 });
  return { records, processorMs: Number(stdout.trim().split('\n').at(-1)) };
}
