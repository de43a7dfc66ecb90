import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { needsSession, type Reply, type Route } from '@sixdigit/contract/route.ts';
import { isSigningOut, NotSent } from './queries.ts';
import { accessToken, freshAccessToken } from './session.ts';
import { askForProof } from './step-up.ts';
import { ApiError, answerTo, exchange, type Request } from './wire.ts';

export { ApiError } from './wire.ts';

/**
 * Makes a call of the contract: `await call(deleteApiKey, { params: { id } })`.
 * After a 401 or 403, it refreshes the token and retries an authenticated call once. If the call needs a proof of identity, it asks
 * for one in a dialog and repeats the call. Throws `ApiError`, and `NotSent` for a read that begins while the session ends.
 */
export async function call<R extends Route>(
  route: R,
  ...[request = {} as Request<R>]: Record<never, never> extends Request<R>
    ? [request?: Request<R>]
    : [request: Request<R>]
): Promise<Reply<R>> {
  try {
    return await authenticated(route, request);
  } catch (cause) {
    const needsProof = cause instanceof ApiError && cause.reason === 'step_up_required';
    if (!needsProof || !(await askForProof())) throw cause;
    return authenticated(route, request);
  }
}

/** Makes a call whose response is a stream. Throws `ApiError`. */
export async function openStream<R extends Route & { stream: string }>(
  route: R,
  request: Request<R>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const token = accessToken() ?? '';
  const answer = await answerTo(route, request, token).catch(async (cause: unknown) => {
    if (!(cause instanceof ApiError) || cause.status !== 401) throw cause;
    return answerTo(route, request, await freshAccessToken(token));
  });
  if (!answer.body) throw new ApiError(0, undefined);
  return answer.body;
}

async function authenticated<R extends Route>(route: R, request: Request<R>): Promise<Reply<R>> {
  if (!needsSession(route) && route.auth !== 'operator') return exchange(route, request);
  if (route.method === 'GET' && isSigningOut()) throw new NotSent(route.name);
  const token = accessToken() ?? '';
  try {
    return await exchange(route, request, token);
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    if (route.auth === 'operator' && cause.status === 404) {
      // Operators' calls answer an expired token with 404, so a call of the session renews it.
      await call(getMe);
      const renewed = accessToken() ?? '';
      if (renewed === token) throw cause;
      return exchange(route, request, renewed);
    }
    if (cause.status !== 401 && cause.status !== 403) throw cause;
    return exchange(route, request, await freshAccessToken(token));
  }
}

/** The sentence to show for a failure: the server's, or the screen's if the server sent none. */
export const sentence = (cause: unknown, otherwise: string): string =>
  cause instanceof ApiError && cause.error ? cause.error : otherwise;
