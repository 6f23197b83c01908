import { dayMs } from '#contract/shared/time.ts';
import { issueCredential, parseCredential } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import type { Account, OutgoingMail } from './account.ts';
import { enforceRowLimit, type SessionOrigin } from './sessions.ts';

const lifetime = 180 * dayMs;

const maxDevices = 10;

/** Precision in ms of the stored last use. */
const useInterval = dayMs;

export interface IssuedDevice {
  readonly text: string;
  readonly lifetimeMs: number;
}

/** Returns the email to the owner about a new device, or undefined if none is sent. `at`: epoch ms. */
export type DeviceNotice = (account: Account, signIn: SessionOrigin, at: number) => Promise<OutgoingMail | undefined>;

export type DeviceService = ReturnType<typeof deviceService>;

/**
 * Remembers browsers that have signed in. A device grants no access; its password guesses are counted separately, so
 * that other clients' guesses do not lock out the owner (ADR 10).
 */
export function deviceService(devices: DeviceStore, noticeOf: DeviceNotice, clock: Clock, random: Random) {
  /** Reads at most once, even for unknown addresses. */
  async function findKnown(address: string, text: string | undefined): Promise<string | undefined> {
    return (await presentedDevice(address, text))?.digest;
  }

  async function presentedDevice(address: string, text: string | undefined): Promise<Device | undefined> {
    const device = parseCredential(text ?? '');
    if (device?.kind !== 'device') return undefined;
    const found = await devices.find(device.accountId, device.digest);
    const isKnown = found && found.account.email === address && isAlive(found.row, found.account);
    return isKnown ? found.row : undefined;
  }

  /**
   * At the limit, replaces the newest device that was never used again, so that clients without cookies replace their
   * own, or else the least recently used one. `signIn`: its origin, for an email about a new device.
   */
  async function remember(
    account: Account,
    text: string | undefined,
    signIn?: SessionOrigin,
  ): Promise<IssuedDevice | undefined> {
    const known = await presentedDevice(account.email, text);
    const now = clock.now();
    if (known) {
      if (now - (known.lastUsedAt ?? 0) >= useInterval) await devices.use(account.id, known.digest, now);
      return undefined;
    }
    const issued = issueCredential('device', account.id, random);
    const device = {
      digest: issued.digest,
      createdAt: now,
      expiresAt: now + lifetime,
      sessionsValidFrom: account.sessionsValidFrom ?? 0,
    };
    await devices.open(account.id, device, signIn && (await noticeOf(account, signIn, now)));
    const rank = (device: Device): number => {
      if (device.digest === issued.digest) return Number.POSITIVE_INFINITY;
      return isAlive(device, account) ? (device.lastUsedAt ?? 1 / device.createdAt) : 0;
    };
    await enforceRowLimit(devices, account.id, rank, maxDevices);
    return { text: issued.text, lifetimeMs: lifetime };
  }

  function isAlive(device: Device, account: Account): boolean {
    return (
      device.expiresAt > clock.now() &&
      device.sessionsValidFrom === (account.sessionsValidFrom ?? 0) &&
      account.deletedAt === undefined
    );
  }

  return { knownTo: findKnown, remember };
}

export interface Device {
  readonly digest: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt?: number;
  /** The account's value at registration. The device is removed once it differs. */
  readonly sessionsValidFrom: number;
}

export interface DeviceStore {
  /** Also queues the email, in one transaction. */
  open(accountId: number, device: Device, notice?: OutgoingMail): Promise<void>;
  find(accountId: number, digest: string): Promise<{ row: Device; account: Account } | undefined>;
  use(accountId: number, digest: string, now: number): Promise<void>;
  list(accountId: number): Promise<Device[]>;
  end(accountId: number, digest: string): Promise<void>;
}
