/** Why a TLS certificate was rejected, to follow "its TLS certificate"; undefined for any other error. */
export function certificateFault(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const text = `${String(code)} ${String(message)}`;
  return FAULTS.find(([pattern]) => pattern.test(text))?.[1];
}

const FAULTS: [RegExp, string][] = [
  [/CERT_HAS_EXPIRED|certificate has expired/i, 'has expired'],
  [/CERT_NOT_YET_VALID|not yet valid/i, 'is not valid yet'],
  [/ALTNAME_INVALID|does not match certificate/i, 'was issued for another host name'],
  [/SELF_SIGNED|self.signed certificate/i, 'is self-signed'],
  [
    /ISSUER|UNABLE_TO_VERIFY|unable to (verify|get)/i,
    'was issued by an authority that this machine does not trust',
  ],
  [/CERT|certificate/, 'is not valid'],
];
