import { API_BASE } from '@sixdigit/contract/route.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { Server } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { equalSecrets, type Vault } from '../../platform/security/vault.ts';

export const PROBE_PATH = `${API_BASE}/reflection`;
/** Longer than typical clock differences, short enough to make a replayed request useless. */
const WITHIN_SECONDS = 120;

/** Describes how the request arrived, for a caller with the same server key. */
export interface ProbeResponse {
  /** proves that this service has the key */
  proof: string;
  /** the client's address as the service sees it, and that of the connection */
  ip: string;
  peer: string;
  protocol: string;
  /** whether the service trusts the peer to forward the client's address */
  believed: boolean;
  forwarded: string | null;
  /** the public host of a proxy that sends none of the usual headers, if a browser has used one */
  hidden: string | null;
}

/** The query of a probe, and the proof that its response must contain. */
export function probeRequest(vault: Vault, nonce: string, at: Date): { query: string; proof: string } {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const signature = vault.fingerprint(...questionOf(nonce, seconds)).toString('base64url');
  return {
    query: new URLSearchParams({ nonce, at: seconds, signature }).toString(),
    proof: vault.fingerprint(...answerOf(nonce)).toString('base64url'),
  };
}

const questionOf = (nonce: string, seconds: string) =>
  ['reflection question', `${seconds}.${nonce}`] as const;
const answerOf = (nonce: string) => ['reflection answer', nonce] as const;

/** Responds 404 to callers without the key. */
export function probeRoutes(server: Server, app: Needs<'vault' | 'clock'>): void {
  server.get(PROBE_PATH, async (request): Promise<ProbeResponse> => {
    const { nonce, at, signature } = request.query as Record<string, unknown>;
    if (typeof nonce !== 'string' || typeof at !== 'string' || typeof signature !== 'string')
      throw new Failure('not_found');
    const given = Buffer.from(signature, 'base64url');
    // During a rotation, the caller may use another of the server keys.
    const key = app.vault.fingerprints(...questionOf(nonce, at)).findIndex((one) => equalSecrets(one, given));
    const proof = app.vault.fingerprints(...answerOf(nonce))[key];
    const age = Math.abs(app.clock.now().getTime() / 1000 - Number(at));
    if (!proof || !(age <= WITHIN_SECONDS)) throw new Failure('not_found');
    const forwarded = request.headers['x-forwarded-for'];
    return {
      proof: proof.toString('base64url'),
      ip: request.ip,
      peer: request.raw.socket.remoteAddress ?? '',
      protocol: request.protocol,
      believed: (request.ips?.length ?? 0) > 1,
      forwarded: forwarded === undefined ? null : String(forwarded),
      hidden: server.hiddenHost ?? null,
    };
  });
}
