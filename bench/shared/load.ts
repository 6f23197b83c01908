import type { Arm } from './arms.ts';
import { chatBody, type PromptSize } from './bodies.ts';
import { Connection, type Exchange, requestBytes } from './connection.ts';
import { processorSeconds } from './processor.ts';
import { median } from './statistics.ts';

/** The calls that an arm is measured with. */
export interface Workload {
  readonly size: PromptSize;
  readonly stream: boolean;
}

/** The requests of an arm, over and over. */
export class Load {
  readonly arm: Arm;
  readonly #requests: readonly Buffer[];
  #next = 0;

  constructor(arm: Arm, { size, stream }: Workload, body = chatBody(size, stream)) {
    this.arm = arm;
    this.#requests = arm.headers.map((headers) => requestBytes(arm.path, headers, body));
  }

  #send(connection: Connection): Promise<Exchange> {
    return connection.exchange(this.#requests[this.#next++ % this.#requests.length] ?? Buffer.alloc(0));
  }

  async #served(connection: Connection): Promise<Exchange> {
    const exchange = await this.#send(connection);
    if (exchange.status !== 200) throw new Error(`${this.arm.name}: ${exchange.status} ${exchange.body.toString()}`);
    return exchange;
  }

  /** So many calls, one after another on one connection. Rejects at any but a 200: then nothing is worth measuring. */
  async inTurn(calls: number): Promise<Exchange[]> {
    const connection = await Connection.open(this.arm.port);
    const exchanges: Exchange[] = [];
    for (let call = 0; call < calls; call++) exchanges.push(await this.#served(connection));
    connection.close();
    return exchanges;
  }

  /** As many calls as go through in so many seconds, over so many connections that never pause. */
  async busy(connections: number, seconds: number): Promise<Busy> {
    const until = performance.now() + seconds * 1000;
    const began = performance.now();
    const before = this.#processorSeconds();
    const tookMs: number[] = [];
    let refused = 0;
    const work = async (): Promise<void> => {
      const connection = await Connection.open(this.arm.port);
      while (performance.now() < until) {
        const { status, totalMs } = await this.#send(connection);
        if (status === 200) tookMs.push(totalMs);
        else refused += 1;
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: connections }, work));
    const used = (this.#processorSeconds() - before) * 1000;
    const passedMs = performance.now() - began;
    return {
      callsPerSecond: (tookMs.length * 1000) / passedMs,
      processorMs: used / tookMs.length,
      busyShare: used / passedMs,
      totalMs: median(tookMs),
      refused,
    };
  }

  #processorSeconds(): number {
    return this.arm.pid === undefined ? Number.NaN : processorSeconds(this.arm.pid);
  }
}

/** `processorMs` of the gateway for each call, and the share of a processor that it kept busy; NaN where there is none. `refused`: calls beside, which were not served. */
export interface Busy {
  readonly callsPerSecond: number;
  readonly processorMs: number;
  readonly busyShare: number;
  readonly totalMs: number;
  readonly refused: number;
}
