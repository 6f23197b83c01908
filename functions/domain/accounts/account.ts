/** A person's account. Moments in epoch ms. */
export interface Account {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: 'viewer';
  readonly passwordHash: string;
  readonly createdAt: number;
  /** Absent until the e-mail address is confirmed. */
  readonly confirmedAt?: number;
}

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
