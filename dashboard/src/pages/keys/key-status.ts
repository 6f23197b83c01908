/** A key that nothing can be done with any more. */
export const isEnded = (status: string): boolean => status === 'revoked' || status === 'expired';
