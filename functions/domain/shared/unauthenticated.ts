import { ServiceError } from './service-error.ts';

const refusal = (detail: string): ServiceError => new ServiceError('INVALID_API_KEY', detail);

/** What a route takes. */
interface Accepted {
  readonly key: boolean;
  readonly session: boolean;
}

/** Refuses a request without a credential of a kind that the route takes. */
export function missingCredential({ key, session }: Accepted): ServiceError {
  if (!key) return refusal('No session was sent; sign in.');
  const send = 'send Authorization: Bearer and an API key that is active';
  return session
    ? refusal(`Neither an API key nor a session was sent; ${send}, or sign in.`)
    : refusal(`No API key was sent; ${send}.`);
}

/** Refuses by the form alone, which is public: nothing is read. */
export const malformedKey = (): ServiceError =>
  refusal(
    'The Authorization header must be Bearer, a space, and an API key as it was shown: tai_ and 58 letters and digits.',
  );

/** One refusal for a key that never was, and one that was: whoever guesses keys learns nothing. */
export const unknownKey = (): ServiceError =>
  refusal('The API key is unknown, revoked, suspended or expired. Use an active key.');

/** One refusal for a session that never was, and one that was. */
export const unknownSession = (): ServiceError => refusal('The session has ended; sign in again.');
