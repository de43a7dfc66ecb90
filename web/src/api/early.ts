/**
 * What preload.js requests before the page's scripts arrive, so that the list of verifications does not wait for its data after its
 * code. Each response serves one call.
 */
interface Early {
  /** of the calls */
  token: string;
  /** of `GET /config.json`; the calls begin before it resolves */
  config?: Promise<Response> | undefined;
  /** the responses by URL */
  calls: Record<string, Promise<Response>>;
}

declare global {
  /** undefined from the moment at which main.tsx begins its own calls */
  var early: Early | undefined;
}

export function earlyConfig(): Promise<Response> | undefined {
  const config = globalThis.early?.config;
  if (config) delete globalThis.early?.config;
  else globalThis.early = undefined;
  return config;
}

export function earlyResponse(url: string, token: string | undefined): Promise<Response> | undefined {
  const { early } = globalThis;
  if (early?.token !== token) return undefined;
  const response = early?.calls[url];
  delete early?.calls[url];
  return response;
}

/** A later call needs newer data. */
export const forgetEarly = (): void => {
  globalThis.early = undefined;
};
