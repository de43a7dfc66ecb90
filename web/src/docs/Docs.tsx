import { failures } from '@sixdigit/contract/errors.ts';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import {
  cancelOtp,
  getOtp,
  reportOutcome,
  type SendReply,
  sendOtp,
  type VerifyReply,
  verifyOtp,
} from '@sixdigit/contract/otp.ts';
import { checkDestination } from '@sixdigit/contract/protection/protection.ts';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import type { z } from 'zod';
import { currentUser } from '../accounts/current-user.ts';
import { ownTarget } from '../api/curl.ts';
import { pages } from '../pages.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { Later } from '../ui/Later.tsx';
import { ButtonLink, PageLink } from '../ui/links.tsx';
import { OnceOpened } from '../ui/OnceOpened.tsx';
import { OnThisPage } from '../ui/OnThisPage.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Tabs } from '../ui/Tabs.ts';
import { Call, Method } from './Call.tsx';
import { Beside, Chapter } from './Chapter.tsx';
import { Clients } from './Clients.tsx';
import classes from './Docs.module.css';
import { type Endpoint, useDocsSearch } from './docs-address.ts';
import { KeysAndLimits, Testing } from './KeysAndTests.tsx';
import { QuickStart } from './QuickStart.tsx';
import { useChosenKey } from './Sample.tsx';
import { sendSamples, verifySamples } from './samples.ts';
import { Webhooks } from './Webhooks.tsx';

/** The two shapes of errors, and how to handle common ones. */
const Errors = () => (
  <Chapter id="errors" title="Errors">
    <Beside
      sample={
        <CodeBlock
          code={JSON.stringify({ channel: [REQUIRED], recipient: [REQUIRED] }, null, 2)}
          language="json"
          label="Field errors"
        />
      }
    >
      <p>
        A refused call changes nothing and costs nothing, except that a wrong code counts as an attempt.
        Errors have two shapes. Field errors name each missing or invalid field with its messages.
      </p>
    </Beside>
    <Beside
      sample={<CodeBlock code={JSON.stringify(errorExample, null, 2)} language="json" label="An error" />}
    >
      <p>
        All other errors have a message for people, a <code>reason</code> for programs, and further details.
        Messages may change; reasons never do.
      </p>
      <ul>
        <li>
          <strong>402</strong> means that the balance is used up:{' '}
          <PageLink to="/credits">buy credits</PageLink> or turn on auto-purchase.
        </li>
        <li>
          <strong>429</strong> and <strong>503</strong> have <code>Retry-After</code>, in seconds. In every
          response, the <code>RateLimit-Limit</code>, <code>RateLimit-Remaining</code> and{' '}
          <code>RateLimit-Reset</code> headers show the remaining requests.
        </li>
        <li>
          After a timeout or a <strong>500</strong>, retry with the same <code>Idempotency-Key</code>.
        </li>
        <li>
          Every response has an <code>X-Request-Id</code>: search for it under{' '}
          <PageLink to="/logs">Logs</PageLink>.
        </li>
      </ul>
    </Beside>
  </Chapter>
);

const errorExample = {
  error: failures.invalid_code.error,
  reason: 'invalid_code',
  attempts_remaining: 4,
};

const chapters = [
  { id: 'quick-start', title: 'Quick Start' },
  { id: 'calls', title: 'Send and verify' },
  { id: 'clients', title: 'Clients' },
  { id: 'keys', title: 'Keys and limits' },
  { id: 'testing', title: 'Testing' },
  { id: 'webhooks', title: 'Webhooks' },
  { id: 'errors', title: 'Errors' },
] as const;

/** Loaded on the first search. */
const DocsSearch = lazy(async () => ({ default: (await import('./DocsSearch.tsx')).DocsSearch }));

/** The API documentation of this deployment. Shapes, limits and errors come from the contract. */
export function Docs() {
  const [isSearching, setSearching] = useState(false);
  return (
    <>
      <PageHeading
        title={pages.docs.title}
        actions={
          <ButtonLink to="/" search={{ dialog: 'test-send' }} variant="default">
            Send a Test Code
          </ButtonLink>
        }
      >
        Send a code, verify it, and get an event when its status changes. Every sample runs as pasted, those
        for packages after their installation.
      </PageHeading>
      <div className="sticky top-(--header) z-20 mb-4 flex items-center gap-4 bg-canvas py-2">
        <OnThisPage sections={chapters} asStrip />
        <SearchTrigger onOpen={() => setSearching(true)} />
      </div>
      <div className={`${classes.chapters} grid grid-cols-1 gap-6`}>
        <QuickStart />
        <Later>
          <Calls />
          <Chapter id="clients" title="Clients">
            <Clients />
          </Chapter>
          <Chapter id="keys" title="Keys and limits">
            <KeysAndLimits />
          </Chapter>
          <Chapter id="testing" title="Testing">
            <Testing />
          </Chapter>
          <Chapter id="webhooks" title="Webhooks">
            <Webhooks />
          </Chapter>
          <Errors />
        </Later>
      </div>
      <OnceOpened opened={isSearching}>
        {(opened) => <DocsSearch opened={opened} onClose={() => setSearching(false)} />}
      </OnceOpened>
    </>
  );
}

const SearchTrigger = ({ onOpen }: { onOpen: () => void }) => (
  <button
    type="button"
    className={`${classes.find} flex h-8.5 flex-none cursor-pointer items-center gap-2 rounded-8 border border-line bg-surface text-[0.84375rem] text-ink-soft hover:border-border hover:text-ink`}
    onClick={onOpen}
    aria-keyshortcuts="/"
  >
    <IconSearch size={16} stroke={1.75} aria-hidden />
    <span>Search the docs</span>
    <span className={`${classes.key} rounded-4 border border-line bg-sunken text-12`} aria-hidden="true">
      /
    </span>
  </button>
);

function Calls() {
  const [{ endpoint }, change] = useDocsSearch();
  const { data: user } = useQuery(currentUser);
  const target = ownTarget(user);
  const key = useChosenKey();
  return (
    <Chapter id="calls" title="Send and verify">
      <Tabs
        value={endpoint}
        onChange={(value) => value && void change({ endpoint: value as Endpoint })}
        keepMounted={false}
      >
        <Tabs.List aria-label="Call" mb="md">
          <Tabs.Tab value="send">Send OTP</Tabs.Tab>
          <Tabs.Tab value="verify">Verify OTP</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="send">
          <Call
            route={sendOtp}
            name="Send OTP"
            samples={sendSamples(target, key?.prefix)}
            required="recipient"
            reply={
              {
                otp_id: '01a1fc75-b3f7-7396-89ae-a333c4e5cb77',
                status: 'pending',
                expires_at: '2026-11-21T05:00:34.281Z',
                channel: target.channel,
                recipient: target.recipient,
                segments: target.channel === 'sms' ? 1 : null,
                cost_credits: 1,
              } satisfies SendReply
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="verify">
          <Call
            route={verifyOtp}
            name="Verify OTP"
            samples={verifySamples(key?.prefix)}
            required="code"
            reply={
              {
                status: 'verified',
                verified_at: '2026-11-21T04:55:38.102Z',
                otp_id: '01a1fc75-b3f7-7396-89ae-a333c4e5cb77',
              } satisfies z.infer<typeof VerifyReply>
            }
          />
        </Tabs.Panel>
      </Tabs>
      <h3>Other calls</h3>
      <dl className="m-0 grid gap-3">
        {[getOtp, cancelOtp, reportOutcome, checkDestination].map((route) => (
          <div key={route.name}>
            <dt>
              <Method route={route} /> <code>{route.path.replace(/:(\w+)/g, '{$1}')}</code>
            </dt>
            <dd className="m-0 mt-[0.1rem] text-ink-soft">{route.summary}.</dd>
          </div>
        ))}
      </dl>
    </Chapter>
  );
}
