import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import type { HTTPMethods } from 'fastify';
import { Failure } from './failure.ts';
import type { Server } from './serve.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The methods that a path allows. Streams have no HEAD, because it would run the stream to its end. */
export const methodsOf = (routes: readonly Route[]): HTTPMethods[] =>
  METHODS.filter((method) =>
    routes.some(
      (route) => route.method === method || (method === 'HEAD' && route.method === 'GET' && !route.stream),
    ),
  );

/**
 * Refuses other methods on the contract's paths with 405, because 404 would mislead a client whose POST a redirect has turned
 * into a GET. For anyone but operators, operators' paths respond like unknown ones. Call it after the last `serve`.
 */
export function refuseOtherMethods(server: Server): void {
  const paths = Map.groupBy(server.served, ({ path }) => path.replace(/\/$/, ''));
  for (const [path, routes] of paths) {
    const allowed = methodsOf(routes);
    const others = METHODS.filter((method) => !allowed.includes(method));
    if (others.length === 0) continue;
    server.route({
      method: others,
      url: API_BASE + path,
      onRequest: async (request, reply) => {
        const [first] = routes;
        if (first?.auth === 'operator') {
          request.route = first;
          await server.authenticators.operator(request, reply);
        }
        reply.header('Allow', allowed.join(', '));
        throw new Failure('method_not_allowed');
      },
      handler: () => undefined,
    });
  }
}
