import { issueCredential, parseCredential } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import type { Account } from './account.ts';
import { endSurplus } from './surplus.ts';

/** In ms. */
const lifetime = 180 * 86_400_000;

const maxDevices = 10;

/** In ms. The moment of the last use is no finer. */
const useInterval = 86_400_000;

/** A device that became known; `text` is for its cookie. */
export interface IssuedDevice {
  readonly text: string;
  readonly lifetimeMs: number;
}

export type DeviceService = ReturnType<typeof deviceService>;

/**
 * Browsers that proved an account before. They open nothing; their guesses of its password are counted apart, so that
 * those of strangers do not keep the owner out (ADR 10). They are forgotten with the password, as sessions end with it.
 */
export function deviceService(devices: DeviceStore, clock: Clock, random: Random) {
  /** The digest of the cookie's device where it is one of the account at the address. One read, if any, whatever the address is. */
  async function knownTo(address: string, text: string | undefined): Promise<string | undefined> {
    return (await shown(address, text))?.digest;
  }

  async function shown(address: string, text: string | undefined): Promise<Device | undefined> {
    const device = parseCredential(text ?? '');
    if (device?.kind !== 'device') return undefined;
    const found = await devices.find(device.accountId, device.digest);
    const isKnown = found && found.account.email === address && isAlive(found.row, found.account);
    return isKnown ? found.row : undefined;
  }

  /**
   * Makes the browser known, unless its cookie shows that it is. When there are too many, another gives way: of those that
   * never came back the newest, so that a program that keeps no cookie replaces its own; else the one used longest ago.
   */
  async function remember(account: Account, text: string | undefined): Promise<IssuedDevice | undefined> {
    const known = await shown(account.email, text);
    const now = clock.now();
    if (known) {
      if (now - (known.lastUsedAt ?? 0) >= useInterval) await devices.use(account.id, known.digest, now);
      return undefined;
    }
    const issued = issueCredential('device', account.id, random);
    await devices.open(account.id, {
      digest: issued.digest,
      createdAt: now,
      expiresAt: now + lifetime,
      sessionsValidFrom: account.sessionsValidFrom ?? 0,
    });
    const rank = (device: Device): number => {
      if (device.digest === issued.digest) return Number.POSITIVE_INFINITY;
      return isAlive(device, account) ? (device.lastUsedAt ?? 1 / device.createdAt) : 0;
    };
    await endSurplus(devices, account.id, rank, maxDevices);
    return { text: issued.text, lifetimeMs: lifetime };
  }

  function isAlive(device: Device, account: Account): boolean {
    return (
      device.expiresAt > clock.now() &&
      device.sessionsValidFrom === (account.sessionsValidFrom ?? 0) &&
      account.deletedAt === undefined
    );
  }

  return { knownTo, remember };
}

/** A browser that an account was signed in with. `digest` is its id, not its secret; moments in epoch ms. */
export interface Device {
  readonly digest: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** When it was last shown again at a sign-in; absent when it never was. */
  readonly lastUsedAt?: number;
  /** The account's when the device became known; once the account has another, the device is forgotten. */
  readonly sessionsValidFrom: number;
}

export interface DeviceStore {
  open(accountId: number, device: Device): Promise<void>;
  find(accountId: number, digest: string): Promise<{ row: Device; account: Account } | undefined>;
  /** Does nothing when there is no such device. */
  use(accountId: number, digest: string, now: number): Promise<void>;
  list(accountId: number): Promise<Device[]>;
  end(accountId: number, digest: string): Promise<void>;
}
