import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import { keyAlgorithms, relyingParty, type WebAuthn } from '#domain/accounts/passkeys.ts';

/** Bytes. A key of RSA with 4,096 bits fits. */
const maxKeyBytes = 1024;

export function webAuthn(publicOrigin: string): WebAuthn {
  const { id: rpId, origin } = relyingParty(publicOrigin);
  const expected = { expectedOrigin: origin, expectedRPID: rpId, requireUserVerification: true };

  return {
    async verifyCreation({ response, ...credential }, expectedChallenge) {
      const { clientDataJSON, attestationObject = '', transports = [] } = response;
      refuseCertificates(attestationObject);
      const { registrationInfo } = await verifyRegistrationResponse({
        response: { ...credential, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
        expectedChallenge,
        ...expected,
        supportedAlgorithmIDs: keyAlgorithms,
      });
      if (!registrationInfo) throw new Error('the attestation is invalid');
      const { id, publicKey, counter } = registrationInfo.credential;
      if (publicKey.length > maxKeyBytes) throw new Error('the public key is too large');
      return { credentialId: id, publicKey, signCount: counter, transports };
    },

    async verifySignIn({ response, ...credential }, expectedChallenge, passkey) {
      const { clientDataJSON, authenticatorData = '', signature = '' } = response;
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: {
          ...credential,
          response: { clientDataJSON, authenticatorData, signature },
          clientExtensionResults: {},
        },
        expectedChallenge,
        ...expected,
        credential: {
          id: passkey.credentialId,
          publicKey: Uint8Array.from(passkey.publicKey),
          counter: passkey.signCount,
        },
      });
      if (!verified) throw new Error('the signature is invalid');
      return authenticationInfo.newCounter;
    },
  };
}

/**
 * The library would fetch revocation lists from addresses in certificates. None are requested, so browsers send none.
 */
function refuseCertificates(attestation: string): void {
  const object = decodeAttestationObject(Uint8Array.from(Buffer.from(attestation, 'base64url')));
  const format = object.get('fmt');
  const hasChain = object.get('attStmt').get('x5c') !== undefined;
  if (format !== 'none' && (format !== 'packed' || hasChain)) throw new Error('the attestation has certificates');
}
