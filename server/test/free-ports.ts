import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range from which Linux picks ports, and apart from the fleet of `guarantees/harness`. */
const LOWEST = 20_000;
const COUNT = 11_000;
/** A process takes the ports in turns, so that two of its servers that start at once get different ones. */
let turn = Math.floor(Math.random() * COUNT);

/**
 * Unused ports of the loopback address. No other program gets one until its server listens, or while its server is stopped,
 * because programs get ports from the system's range.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    turn = (turn + 1) % COUNT;
    const port = LOWEST + turn;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
