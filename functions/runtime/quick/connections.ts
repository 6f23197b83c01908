import type { buildConnector as Connector, Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';

/** Idle connections beyond these are closed. */
const maxIdle = 256;
/** What has been idle for longer is not used again: its peer may have closed it. */
const maxIdleMs = 10_000;
const connectTimeoutMs = 3000;
const keepAliveInitialDelay = 1000;

/** Connections to one origin, each kept for one request after another. */
export class Connections {
  readonly #origin: string;
  readonly #now: () => number;
  readonly #idle: Connection[] = [];
  /** Shared, so that a new connection resumes the TLS session of one before. */
  readonly #connect = buildConnector({ allowH2: false, timeout: connectTimeoutMs, keepAliveInitialDelay });

  constructor(origin: string, now: () => number = Date.now) {
    this.#origin = origin;
    this.#now = now;
  }

  /**
   * An idle one, else a new one. How long one was idle is read from the clock: the timers of a frozen function do not run, and the
   * first event after it is handled before them.
   */
  take(): Connection {
    for (let one = this.#idle.pop(); one; one = this.#idle.pop()) {
      if (one.isOpen && this.#now() - one.idleSince < maxIdleMs) return one;
      one.close();
    }
    return this.open();
  }

  open(): Connection {
    return new Connection(this.#origin, this.#connect);
  }

  /** Keeps one whose response has ended for the next request. */
  release(connection: Connection): void {
    if (this.#idle.length >= maxIdle) connection.close();
    else this.#idle.push(connection);
    connection.idleSince = this.#now();
  }
}

/** One connection, for one request at a time. */
export class Connection {
  idleSince = 0;
  isOpen = false;
  /** Whether the connection that is open now has served a request before. */
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

  /** Whoever waits for a response gets the error. */
  close(error: Error | null = null): void {
    this.#client.destroy(error, () => undefined);
  }
}
