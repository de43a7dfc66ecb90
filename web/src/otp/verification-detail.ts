import { listRequestLogs, type RequestLog } from '@sixdigit/contract/request-logs.ts';
import { getVerification, type VerificationDetail } from '@sixdigit/contract/verifications.ts';
import { listVerificationWebhooks } from '@sixdigit/contract/webhook-list.ts';
import { keepPrevious, read } from '../api/read.ts';

const OPEN_REFETCH_MS = 2_000;
const CLOSED_REFETCH_MS = 10_000;

/** Refetched on opening, and on a timer while open. */
export const verificationDetail = (id: string) =>
  read(
    getVerification,
    { params: { id } },
    {
      staleTime: 0,
      gcTime: 0,
      refetchInterval: ({ state: { data } }) =>
        data === undefined || data.status === 'pending' || data.status === 'sent'
          ? OPEN_REFETCH_MS
          : CLOSED_REFETCH_MS,
    },
  );

/** A verification's requests that were answered with 400, oldest first. */
export const failedRequestsOf = (id: string) =>
  ({ search: id, status_code: '400', mode: 'all', ordering: 'created_at', page_size: 20 }) as const;

export const onlyWrongCodes = ({ results }: { results: readonly RequestLog[] }) =>
  results.filter(({ reason }) => reason === 'invalid_code');

type Changing = Pick<VerificationDetail, 'id' | 'status'>;

/**
 * The requests with a wrong code, oldest first. Refetched when the status changes, and on a timer while the verification is
 * open.
 */
export const wrongCodes = ({ id, status }: Changing) =>
  read(
    listRequestLogs,
    { query: failedRequestsOf(id) },
    {
      key: { wrongCodesOf: id, status },
      select: onlyWrongCodes,
      staleTime: 0,
      gcTime: 0,
      refetchInterval: status === 'sent' ? CLOSED_REFETCH_MS : false,
      ...keepPrevious,
    },
  );

/** The webhook messages about a verification, refetched when its status changes, and on a timer. */
export const webhooksOf = ({ id, status }: Changing) =>
  read(
    listVerificationWebhooks,
    { params: { id } },
    {
      key: status,
      select: ({ results }) => results,
      staleTime: 0,
      gcTime: 0,
      refetchInterval: CLOSED_REFETCH_MS,
      ...keepPrevious,
    },
  );
