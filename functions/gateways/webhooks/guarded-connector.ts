import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { buildConnector as Connector } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import { isAllowedAddress, type Targets } from '#domain/webhooks/target.ts';

/** A host has an address that webhooks may not be at. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';

  constructor() {
    super('the host has an address that is not public');
  }
}

interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly Address[]>;

const resolveBySystem: Resolve = (name) => systemLookup(name, { all: true });

const connectTimeoutMs = 5000;

/** Faster than responses need; what HTTP does not count as a response, such as 1xx and extensions of chunks, has no other bound. */
const maxBytesPerTurn = 256 * 1024;
const turnMs = 100;

/**
 * Opens connections to addresses that webhooks may be at, and to no others. The check is of the very addresses that are connected to, within the
 * look-up that the connection makes itself, so that no name can have changed in between; and once more of the one that was taken.
 */
export function guardedConnector(targets: Targets, resolve: Resolve = resolveBySystem): Connector.connector {
  const isAllowed = (address: string): boolean => isAllowedAddress(address, targets);

  const lookup: LookupFunction = (name, options, done) => {
    void resolve(name).then(
      (found) => {
        const [first] = found;
        // A name that has one of each kind is nobody's mistake.
        if (!first || !found.every(({ address }) => isAllowed(address))) return done(new ForbiddenAddress(), '', 0);
        return options.all ? done(null, [...found]) : done(null, first.address, first.family);
      },
      (error: unknown) => done(error instanceof Error ? error : new Error('the name could not be resolved'), '', 0),
    );
  };
  const connect = buildConnector({ allowH2: false, timeout: connectTimeoutMs, lookup });

  return (options, done) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // Nothing is looked up for an address.
    if (isIP(host) !== 0 && !isAllowed(host)) return done(new ForbiddenAddress(), null);
    return connect(options, (error, socket) => {
      if (error) return done(error, null);
      if (socket && isAllowed(remoteAddress(socket))) {
        closeWhenFlooded(socket);
        return done(null, socket);
      }
      socket?.destroy();
      return done(new ForbiddenAddress(), null);
    });
  };
}

/** Whoever sends without end would keep the process from those that it sends to beside it. */
function closeWhenFlooded(socket: Socket): void {
  let before = 0;
  const timer = setInterval(() => {
    if (socket.bytesRead - before > maxBytesPerTurn) socket.destroy();
    before = socket.bytesRead;
  }, turnMs);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
}

const remoteAddress = (socket: Socket | null): string => socket?.remoteAddress ?? '';
