import * as v from 'valibot';

/** A carrier's own name of a message: a UUID at AWS. */
export const CarrierId = v.pipe(v.string(), v.regex(/^[\w-]{1,128}$/));
