import type { KeyEvent } from '../../meter/meter.ts';
import type { KeyRecord } from '../key-record.ts';

export function keyEvent(type: 'created' | 'revoked', keyId: string, now: number): KeyEvent {
  return { type, at: Math.floor(now / 1000), keyId };
}

/** `ending` is the old key as the rotation leaves it. */
export function rotationEvent(ending: KeyRecord, keyId: string, now: number): KeyEvent {
  const { id: previousKeyId, status, expiresAt } = ending;
  const goesOn = status === 'active' && expiresAt !== undefined;
  const previousExpiresAt = goesOn && { previousExpiresAt: Math.ceil(expiresAt / 1000) };
  return { type: 'rotated', at: Math.floor(now / 1000), keyId, previousKeyId, ...previousExpiresAt };
}
