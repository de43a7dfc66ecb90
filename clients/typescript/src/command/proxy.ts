import http from 'node:http';

type Environment = Record<string, string | undefined>;

/** Listens and forwards to this machine without a proxy. */
const OWN = 'localhost,127.0.0.1,::1';

/** Makes all requests go through the proxy that the environment names. Node.js itself ignores it. Throws a `TypeError` for a malformed one. */
export function useProxy(env: Environment): void {
  const named = (name: string) => env[name] || env[name.toUpperCase()];
  const [http_proxy, https_proxy] = [named('http_proxy'), named('https_proxy')];
  if (!http_proxy && !https_proxy) return;
  const set = (http as { setGlobalProxyFromEnv?: (proxies: Environment) => void }).setGlobalProxyFromEnv;
  if (!set) {
    process.stderr.write(
      'This version of Node.js ignores HTTP_PROXY and HTTPS_PROXY. Version 24.14 uses them.\n',
    );
    return;
  }
  for (const url of [http_proxy, https_proxy])
    if (url && !URL.canParse(url)) throw new TypeError(`Not the URL of a proxy: ${url}`);
  set({ http_proxy, https_proxy, no_proxy: [named('no_proxy'), OWN].filter(Boolean).join(',') });
}
