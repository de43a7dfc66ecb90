import { listVerifications, type Verification } from '@sixdigit/contract/otp.ts';
import { listRequestLogs, type RequestLog } from '@sixdigit/contract/request-logs.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { asPage } from '../../api/list.ts';

interface Found {
  verifications: readonly Verification[];
  requests: readonly RequestLog[];
}

const SHORTEST = 3;
const SHOWN = 5;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be an id or a part of a recipient, rather than of a command. */
export const isLookedUp = (text: string): boolean => text.length >= SHORTEST && /[\d@+]/.test(text);

/** Verifications by id or recipient, and requests by their id or the id of their verification; test traffic included. */
export const foundBy = (text: string) =>
  queryOptions({
    queryKey: ['palette', text],
    enabled: isLookedUp(text),
    staleTime: 10_000,
    queryFn: async ({ signal }): Promise<Found> => {
      const query = { search: text, page_size: SHOWN, mode: 'all' } as const;
      const [verifications, requests] = await Promise.all([
        call(listVerifications, { query, signal }),
        ID.test(text) ? call(listRequestLogs, { query, signal }) : { results: [], count: 0 },
      ]);
      return { verifications: asPage(verifications).results, requests: asPage(requests).results };
    },
  });
