import { listRequestLogs, type RequestLog } from '@sixdigit/contract/request-logs.ts';
import { listVerifications, type Verification } from '@sixdigit/contract/verifications.ts';
import {
  IconArrowForwardUp,
  IconKey,
  IconListDetails,
  IconShieldCheck,
  IconWebhook,
} from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { asPage } from '../../api/list.ts';
import { apiKeyChoices, connectionChoices } from '../../api-keys/api-keys.ts';
import { statusLabel } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { usePhoneFormat } from '../../ui/phone-numbers.ts';
import { webhookChoices } from '../../webhooks/webhooks.ts';
import type { Command } from './commands.ts';

/** Keys, connections and webhook endpoints by name. Each opens its row, where its actions are. */
export function useNamed(enabled: boolean): Command[] {
  const navigate = useNavigate();
  const { data: keys } = useQuery({ ...apiKeyChoices, enabled });
  const { data: connections } = useQuery({ ...connectionChoices, enabled });
  const { data: webhooks } = useQuery({ ...webhookChoices, enabled });
  if (!enabled) return [];
  const commands = (
    rows: readonly { id: string; name: string }[] | undefined,
    { to, ...shown }: Pick<Command, 'detail' | 'words' | 'Icon'> & { to: string },
  ): Command[] =>
    (rows ?? []).map(({ id, name }) => ({
      ...shown,
      id,
      label: name,
      run: () => void navigate({ to, search: { search: name } }),
    }));
  return [
    ...commands(keys?.results, {
      ...{ to: '/api-keys', detail: 'API key', Icon: IconKey },
      words: 'api key edit rename rotate delete limits secret',
    }),
    ...commands(connections, {
      ...{ to: '/connections', detail: 'Connection', Icon: IconArrowForwardUp },
      words: 'connection test edit rename rotate delete secret',
    }),
    ...commands(webhooks, {
      ...{ to: '/webhooks', detail: 'Webhook', Icon: IconWebhook },
      words: 'webhook endpoint deliveries replay edit rename rotate delete secret',
    }),
  ];
}

interface LookedUp {
  verifications: readonly Verification[];
  requests: readonly RequestLog[];
}

/** Recipients and ids are looked up from so many characters on. */
export const SHORTEST = 3;
const SHOWN = 5;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be part of an id or a recipient rather than a command. */
export const isLookedUp = (text: string): boolean => text.length >= SHORTEST && /[\d@+]/.test(text);

/** Verifications by id or recipient, and requests by their id or their verification's id, including test traffic. */
const foundBy = (text: string) =>
  queryOptions({
    queryKey: ['palette', text],
    enabled: isLookedUp(text),
    staleTime: 10_000,
    queryFn: async ({ signal }): Promise<LookedUp> => {
      const query = { search: text, page_size: SHOWN, mode: 'all' } as const;
      const [verifications, requests] = await Promise.all([
        call(listVerifications, { query, signal }),
        ID.test(text) ? call(listRequestLogs, { query, signal }) : { results: [], count: 0 },
      ]);
      return { verifications: asPage(verifications).results, requests: asPage(requests).results };
    },
  });

/** What was found for a text, once it is loaded. */
export function useFound(text: string) {
  const navigate = useNavigate();
  const phoneText = usePhoneFormat();
  const query = useQuery(foundBy(text));
  const { verifications = [], requests = [] } = (query.isEnabled && query.data) || {};
  return {
    query,
    recipients: verifications.map(({ recipient }) => recipient),
    verifications: verifications.map((otp) => ({
      id: otp.id,
      label: phoneText(otp.recipient),
      detail: `${statusLabel(otp.status)} · ${shortDateTime(otp.created_at)}`,
      Icon: IconShieldCheck,
      run: () => void navigate({ to: '/', search: { otp: otp.id } }),
    })),
    requests: requests.map((log) => ({
      id: log.id,
      label: `${log.method} ${log.endpoint}`,
      detail: `${log.response_status_code} · ${shortDateTime(log.created_at)}`,
      Icon: IconListDetails,
      run: () => void navigate({ to: '/logs', search: { request: log.request_id } }),
    })),
  };
}
