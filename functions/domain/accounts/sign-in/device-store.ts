import type { Account } from '../account.ts';

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
