import { Anchor, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { z } from 'zod';
import { REQUIRED } from '#contract/errors.ts';
import { cancelOtp, getOtp, type SendReply, sendOtp, type VerifyReply, verifyOtp } from '#contract/otp.ts';
import { checkDestination } from '#contract/protection.ts';
import { currentUser } from '../accounts/current-user.ts';
import { deployment } from '../api/deployment.ts';
import { pages } from '../pages.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { ButtonLink, PageLink } from '../ui/links.tsx';
import { OnThisPage } from '../ui/OnThisPage.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Call, errorExample } from './Call.tsx';
import { ownTarget } from './curl.ts';
import classes from './Docs.module.css';
import { type Endpoint, useDocsSearch } from './docs-address.ts';
import { KeysAndLimits, Testing } from './KeysAndTests.tsx';
import { SendPriceSentence, SendPrices } from './SendPrices.tsx';
import { sendSamples, verifySamples } from './samples.ts';
import { Webhooks } from './Webhooks.tsx';

const chapters = [
  { id: 'quick-start', title: 'Quick Start' },
  { id: 'calls', title: 'Send and verify' },
  { id: 'keys', title: 'Keys and limits' },
  { id: 'testing', title: 'Testing' },
  { id: 'webhooks', title: 'Webhooks' },
  { id: 'errors', title: 'Errors' },
] as const;

/** The API documentation of this deployment. Shapes, limits and errors come from the contract. */
export function Docs() {
  return (
    <>
      <PageHeading
        title={pages.docs.title}
        actions={
          <ButtonLink to="/" search={{ dialog: 'test-send' }} variant="default">
            Send a test code
          </ButtonLink>
        }
      >
        Send a code, verify it, and be told what happens in between. Every sample runs as pasted.
      </PageHeading>
      <div className={classes.page}>
        <OnThisPage sections={chapters} />
        <div className={classes.chapters}>
          <QuickStart />
          <Calls />
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
        </div>
      </div>
    </>
  );
}

const Chapter = ({ id, title, children }: { id: string; title: string; children: ReactNode }) => (
  <section id={id} className={classes.chapter} aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>{title}</h2>
    {children}
  </section>
);

function QuickStart() {
  const { api_url, sms_max_segments } = deployment();
  return (
    <Chapter id="quick-start" title="Quick Start">
      <ol className={classes.steps}>
        <li>
          <h3>Base URL</h3>
          <div className={classes.url}>
            <code>{api_url}</code>
            <CopyButton value={api_url} label="Copy base URL" withToast />
          </div>
          <p>
            Bodies are JSON in both directions. A machine-readable description is at{' '}
            <Anchor href={`${api_url}/openapi.json`} target="_blank" rel="noreferrer" inherit>
              openapi.json
            </Anchor>
            .
          </p>
        </li>
        <li>
          <h3>Authentication</h3>
          <p>
            Every call carries an API key in the <code>X-API-Key</code> header. Create one under{' '}
            <PageLink to="/api-keys">API Keys</PageLink>, and keep it on your server: never in an app or a web
            page.
          </p>
          <CodeBlock
            code={"export API_KEY='paste your key here'"}
            language="bash"
            label="Put the key into the environment"
          />
        </li>
        <li>
          <h3>Send, then verify</h3>
          <p>
            <SendPriceSentence /> answers an <code>otp_id</code>. Ask the person for the code and verify it
            with that id; verifying is free. Each key may make 30 requests per second.
          </p>
          <SendPrices />
          <p>
            An SMS may take {sms_max_segments} {sms_max_segments === 1 ? 'segment' : 'segments'} with its
            code. One segment holds 160 characters, each of several 153; with a character outside of GSM-7,
            such as an emoji or “ç”, 70 and 67.
          </p>
        </li>
      </ol>
    </Chapter>
  );
}

function Calls() {
  const [{ endpoint }, change] = useDocsSearch();
  const { data: user } = useQuery(currentUser);
  const target = ownTarget(user);
  return (
    <Chapter id="calls" title="Send and verify">
      <Tabs
        value={endpoint}
        onChange={(value) => value && change({ endpoint: value as Endpoint })}
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
            samples={sendSamples(target)}
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
            samples={verifySamples()}
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
      <h3>Also there</h3>
      <dl className={classes.others}>
        {[getOtp, cancelOtp, checkDestination].map((route) => (
          <div key={route.name}>
            <dt>
              <strong>{route.method}</strong> <code>{route.path.replace(/:(\w+)/g, '{$1}')}</code>
            </dt>
            <dd>{route.summary}.</dd>
          </div>
        ))}
      </dl>
    </Chapter>
  );
}

const Errors = () => (
  <Chapter id="errors" title="Errors">
    <p>
      A call that is refused changes nothing and costs nothing; a wrong code alone counts, as a try. There are
      two shapes. Fields that are missing or wrong are named, each with its sentences:
    </p>
    <CodeBlock
      code={JSON.stringify({ channel: [REQUIRED], recipient: [REQUIRED] }, null, 2)}
      language="json"
      label="Field errors"
    />
    <p className={classes.above}>
      Everything else is a sentence for people, a <code>reason</code> for programs, and facts where there are
      any. Sentences may be reworded, reasons stay:
    </p>
    <CodeBlock code={JSON.stringify(errorExample, null, 2)} language="json" label="An error" />
    <ul className={classes.list}>
      <li>
        <strong>402</strong> means that the balance is used up: <PageLink to="/credits">buy credits</PageLink>{' '}
        or switch auto-purchase on.
      </li>
      <li>
        <strong>429</strong> and <strong>503</strong> carry <code>Retry-After</code>, in seconds. The{' '}
        <code>RateLimit-Limit</code>, <code>RateLimit-Remaining</code> and <code>RateLimit-Reset</code>{' '}
        headers of every answer say what is left.
      </li>
      <li>
        After a time-out or a <strong>500</strong>, send again with the same <code>Idempotency-Key</code>.
      </li>
      <li>
        Every answer has an <code>X-Request-Id</code>: search for it under{' '}
        <PageLink to="/logs">Logs</PageLink>.
      </li>
    </ul>
  </Chapter>
);
