import type { Channel } from '@sixdigit/contract/channels.ts';
import { listTestMessages } from '@sixdigit/contract/test-mode.ts';
import { useQuery } from '@tanstack/react-query';
import { deployment } from '../api/deployment.ts';
import { read } from '../api/read.ts';
import { sandboxMessages } from '../api/sandbox-messages.ts';

export interface SentCode {
  otp_id: string;
  /** the id of the key that sent it */
  api_key: string;
  isTest: boolean;
  /** of the first message */
  channel: Channel;
  /** the plan */
  channels?: readonly Channel[] | undefined;
  recipient: string;
}

/** The inbox that this browser can read: the test inbox, the sandbox's, or none, because the message really left. */
export type Inbox = 'test' | 'sandbox' | undefined;

export function inboxOf({ isTest, channel }: Pick<SentCode, 'isTest' | 'channel'>): Inbox {
  if (isTest) return 'test';
  const { sandbox } = deployment();
  return sandbox?.inbox && sandbox.channels.includes(channel) ? 'sandbox' : undefined;
}

interface Arrived {
  code: string | null;
  text: string;
  created_at: string;
}

const POLL_MS = 700;
/** More test messages to one recipient than a person sends while the first one is on its way. */
const NEWEST = 20;

/** A code's message once it is in an inbox that this browser can read. */
export function useArrived(sent: SentCode): Arrived | undefined {
  const inbox = inboxOf(sent);
  const of = (messages: readonly (Arrived & { id: string })[]) =>
    messages.find(({ id }) => id === sent.otp_id);
  const untilThere = (found: boolean) => (found ? false : POLL_MS);
  const test = useQuery({
    ...read(
      listTestMessages,
      { query: { page_size: NEWEST, search: sent.recipient } },
      { select: ({ results }) => of(results) },
    ),
    enabled: inbox === 'test',
    refetchInterval: ({ state }) => untilThere(Boolean(state.data && of(state.data.results))),
  });
  const sandbox = useQuery({
    ...sandboxMessages(sent.recipient),
    enabled: inbox === 'sandbox',
    select: of,
    refetchInterval: ({ state }) => untilThere(Boolean(state.data && of(state.data))),
  });
  return test.data ?? sandbox.data;
}
