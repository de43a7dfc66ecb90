import type { Reply, Route } from '@sixdigit/contract/route.ts';
import {
  type DataTag,
  keepPreviousData,
  type QueryClient,
  type QueryKey,
  queryOptions,
  type UnusedSkipTokenOptions,
} from '@tanstack/react-query';
import { call } from './call.ts';
import { asPage, PAGE_SIZE, type Page } from './list.ts';
import { isSigningOut, ME, NotSent } from './queries.ts';
import { type Action, isRefused, roleOf } from './role.ts';
import type { Request } from './wire.ts';

type Path = Route['path'];

/** The path's segments, with its parameters: `['webhooks', id, 'queue']`. A path is the prefix of the paths below it. */
const segmentsOf = (path: Path, params: Record<string, string> = {}): string[] =>
  path
    .split('/')
    .filter(Boolean)
    .map((segment) => (segment.startsWith(':') ? (params[segment.slice(1)] ?? segment) : segment));

/** `key` stands for the query and the body. */
export function keyOf<R extends Route>(route: R, request: Request<R>, key?: unknown): QueryKey {
  const { params, query, body } = request as {
    params?: Record<string, string>;
    query?: unknown;
    body?: unknown;
  };
  const varying = key === undefined ? [query, body] : [key];
  return [...segmentsOf(route.path, params), ...varying.filter((part) => part !== undefined)];
}

/** Routes, or a path above some of them. */
export type Changed = readonly { path: Path }[];

/** Invalidates the reads of these paths and of all paths below them. */
export const invalidate = (queryClient: QueryClient, ...changed: Changed): Promise<unknown> =>
  Promise.all(changed.map(({ path }) => queryClient.invalidateQueries({ queryKey: segmentsOf(path) })));

/**
 * Stores the reply to a change as the reply to this read: `await store(queryClient, profile, reply)`. A read in flight may have
 * the values from before the change, or those of a later change. It starts again.
 */
export async function store<Data>(
  queryClient: QueryClient,
  { queryKey }: { queryKey: DataTag<QueryKey, Data, Error> },
  reply: NoInfer<Data>,
): Promise<void> {
  const its = { queryKey, exact: true };
  const isReading = queryClient.isFetching(its) > 0;
  await queryClient.cancelQueries(its);
  queryClient.setQueryData<unknown>(queryKey, reply);
  if (isReading) void queryClient.invalidateQueries(its);
}

interface Context {
  signal: AbortSignal;
  client: QueryClient;
}

type Options<Data, Shown = Data> = Omit<
  UnusedSkipTokenOptions<Data, Error, Shown, QueryKey>,
  'queryKey' | 'queryFn'
> & {
  queryFn?: (context: Context) => Promise<Data>;
  /** stands for the query and the body in the query key */
  key?: unknown;
};

/** Throws `NotSent` instead of sending a read, such as a preview by POST, that the service would refuse. */
async function replyTo<R extends Route>(
  route: R,
  request: Request<R>,
  { signal, client }: Context,
): Promise<Reply<R>> {
  const isOfMember = route.auth === 'bearer';
  const role = roleOf(client.getQueryData(ME));
  if (isOfMember && ((await isRefused(route.name as Action, role)) || isSigningOut()))
    throw new NotSent(route.name);
  return call<R>(route, { ...request, signal } as never);
}

/** A reply as a query: `useQuery(read(getWebhookQueue, { params: { id } }))`. */
export const read = <R extends Route, Shown = Reply<R>>(
  route: R,
  request: Request<R>,
  { key, ...options }: Options<Reply<R>, Shown> = {},
) =>
  queryOptions<Reply<R>, Error, Shown, QueryKey>({
    queryKey: keyOf(route, request, key),
    queryFn: (context) => replyTo(route, request, context),
    ...options,
  });

/** For lists: shows the old page until the new one arrives. */
export const keepPrevious = { placeholderData: keepPreviousData };

type Row<R extends Route> = Reply<R> extends { results: readonly (infer T)[] } ? T : never;

/** One page of a list as a query. */
export function readPage<R extends Route>(
  route: R,
  request: Request<R> & { query: { page: number } },
  { key, ...options }: Options<Page<Row<R>>> = {},
) {
  const { page, ...rest } = request.query;
  const paged = { ...request, query: { page, page_size: PAGE_SIZE, ...rest } };
  return queryOptions<Page<Row<R>>, Error, Page<Row<R>>, QueryKey>({
    queryKey: keyOf(route, request, key),
    queryFn: async (context) => asPage((await replyTo(route, paged, context)) as never, page),
    ...keepPrevious,
    ...options,
  });
}
