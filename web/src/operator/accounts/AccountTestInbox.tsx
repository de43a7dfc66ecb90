import { revealTestMessage } from '@sixdigit/contract/operator/account-data.ts';
import type { TestMessage } from '@sixdigit/contract/test-mode.ts';
import { TEST_INBOX_DAYS } from '@sixdigit/contract/test-mode.ts';
import { IconInbox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../api/call.ts';
import { MessageCard } from '../../otp/MessageCard.tsx';
import { Inbox } from '../../otp/TestInbox.tsx';
import type { verificationSearch } from '../../otp/verifications.ts';
import type { List } from '../../table/list.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { testMessagePage } from './data.ts';
import { useReveal } from './useReveal.tsx';

interface Props {
  id: string;
  list: List<typeof verificationSearch.defaults>;
  /** the switch back to live mode */
  actions: ReactNode;
}

/** The test inbox of an account. Recipients and texts are hidden until the operator reveals one. */
export function AccountTestInbox({ id, list, actions }: Props) {
  const { page, search } = list.search;
  const query = useQuery(testMessagePage(id, { page, search }));
  const { revealed, button, dialog } = useReveal<TestMessage>({
    title: 'Reveal Message',
    schema: revealTestMessage.body,
    success: 'Message revealed',
    run: (otp_id, body) => call(revealTestMessage, { params: { id, otp_id }, body }),
  });
  return (
    <>
      <Inbox
        list={list}
        query={query}
        actions={actions}
        placeholder="Search by a whole recipient..."
        lead={`The messages of test keys from the last ${TEST_INBOX_DAYS} days. None of them was sent. Texts are hidden until you reveal them.`}
        nothing={
          <EmptyState
            icon={<IconInbox size={24} />}
            title={search === '' ? 'No test messages' : 'Nothing for this recipient'}
          >
            {search === ''
              ? 'This account has sent nothing with its test keys in this time.'
              : 'Recipients are masked, so enter the whole number or address.'}
          </EmptyState>
        }
        show={(message) => (
          <MessageCard
            message={
              revealed[message.id] ?? { ...message, code: null, subject: null, text: null, html: null }
            }
            foot={
              <>
                <StatusBadge status={message.status} />
                {button(message.id)}
              </>
            }
          />
        )}
      />
      {dialog}
    </>
  );
}
