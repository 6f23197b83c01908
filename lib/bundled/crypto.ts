/** Replaces `node:crypto` in Lambda bundles: importing it evaluates every export, and some load all of WebCrypto. */
const crypto = process.getBuiltinModule('node:crypto');

export default crypto;
export const { createHash, createHmac, createPrivateKey, createPublicKey, createSecretKey, hash } = crypto;
export const { randomBytes, randomInt, scrypt, sign, timingSafeEqual } = crypto;
export const getRandomValues: typeof crypto.getRandomValues = (array) => crypto.getRandomValues(array);
