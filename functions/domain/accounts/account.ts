import { canonicalEmail } from '#contract/accounts/email.ts';

/** A person's account. Moments in epoch ms. */
export interface Account {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Absent where one signs in with the identity provider only. */
  readonly passwordHash?: string;
  readonly createdAt: number;
  /** Absent until the email address is confirmed. */
  readonly confirmedAt?: number;
  /** When all sessions were last ended; a session lives while this is what it was when the session was opened. */
  readonly sessionsValidFrom?: number;
  /** `issuer#subject` of each linked identity. */
  readonly identities?: readonly string[];
  readonly suspendedAt?: number;
  readonly deletedAt?: number;
  /** The change of the address that was requested last. */
  readonly emailChange?: EmailChange;
}

/** A change of the email address, waiting or ended. Moments in epoch ms. */
export interface EmailChange {
  readonly email: string;
  /** Of the token that went to the current address. */
  readonly oldDigest: string;
  /** Of the token that went to the new address; absent where that address has an account, and got none. */
  readonly newDigest?: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
  /** The account's when it was requested; once the account has another, nothing is changed any more. */
  readonly sessionsValidFrom: number;
  readonly oldConfirmedAt?: number;
  readonly newConfirmedAt?: number;
  /** Absent while it waits. */
  readonly outcome?: EmailChangeOutcome;
}

export const emailChangeOutcomes = ['changed', 'refused', 'cancelled'] as const;
export type EmailChangeOutcome = (typeof emailChangeOutcomes)[number];

export const roles = ['viewer', 'operator'] as const;
export type Role = (typeof roles)[number];

/** A secret whose holder proves something; only its digest is stored. `expiresAt` in epoch ms. */
export interface StoredToken {
  readonly digest: string;
  readonly expiresAt: number;
}

/** A mail that waits to be sent. */
export interface OutgoingMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Addresses are compared without regard to case, and to how their domain is written; what is none is as unknown as any. */
export function normalizedEmail(email: string): string {
  return canonicalEmail(email) ?? email.toLowerCase();
}
