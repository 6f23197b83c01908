import type { buildConnector as Connector, Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';

const maxIdle = 256;
/** The peer may close a connection that is idle longer. */
const maxIdleMs = 10_000;
const connectTimeoutMs = 3000;
const keepAliveInitialDelay = 1000;

export class Connections {
  readonly #origin: string;
  readonly #now: () => number;
  readonly #idle: Connection[] = [];
  /** Shared, so that new connections resume an earlier TLS session. */
  readonly #connect = buildConnector({ allowH2: false, timeout: connectTimeoutMs, keepAliveInitialDelay });

  constructor(origin: string, now: () => number = Date.now) {
    this.#origin = origin;
    this.#now = now;
  }

  /** Measures idle time with the clock, because the timers of a frozen function fire late. */
  acquire(): Connection {
    for (let one = this.#idle.pop(); one; one = this.#idle.pop()) {
      if (one.isOpen && this.#now() - one.idleSince < maxIdleMs) return one;
      one.close();
    }
    return this.open();
  }

  open(): Connection {
    return new Connection(this.#origin, this.#connect);
  }

  release(connection: Connection): void {
    if (this.#idle.length >= maxIdle) connection.close();
    else this.#idle.push(connection);
    connection.idleSince = this.#now();
  }
}

export class Connection {
  idleSince = 0;
  isOpen = false;
  isReused = false;
  readonly #client: Client;

  constructor(origin: string, connect: Connector.connector) {
    const timeouts = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: maxIdleMs, keepAliveMaxTimeout: maxIdleMs };
    this.#client = new Client(origin, { connect, allowH2: false, ...timeouts });
    this.#client.on('connect', () => {
      this.isOpen = true;
      this.isReused = false;
    });
    this.#client.on('disconnect', () => {
      this.isOpen = false;
    });
  }

  send(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(request, handler);
  }

  close(error: Error | null = null): void {
    this.#client.destroy(error, () => undefined);
  }
}
