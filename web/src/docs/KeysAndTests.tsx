import type { ApiScope } from '@sixdigit/contract/api-keys.ts';
import {
  TEST_CODE,
  TEST_DOMAIN,
  TEST_INBOX_DAYS,
  TEST_RECIPIENTS,
  TEST_SENDS_PER_DAY,
} from '@sixdigit/contract/test-mode.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { PageLink } from '../ui/links.tsx';
import { Beside, ScrollingTable } from './Chapter.tsx';

const scopes: readonly { scope: ApiScope; calls: string }[] = [
  { scope: 'otp:send', calls: 'Send a code, cancel it' },
  { scope: 'otp:verify', calls: 'Verify a code' },
  { scope: 'otp:read', calls: 'Read a status, check a destination' },
  {
    scope: 'otp:own_code',
    calls: 'Send a code that you have made, report its outcome. In no key by default',
  },
];

const refusals = [
  { reason: 'missing_scope', cause: 'The key lacks the required scope, which is in scope.' },
  { reason: 'api_key_expired', cause: 'The key has expired.' },
  { reason: 'network_not_allowed', cause: 'Your server’s address is not in the key’s allowed networks.' },
];

const blocked = {
  error: 'Sending to this destination is blocked',
  reason: 'destination_blocked',
  blocked_by: ['client_velocity'],
  blocked_until: '2026-11-21T05:05:00.000Z',
};

/** Scopes, limits and protection, which limit the damage from a stolen key and from fraud. */
export const KeysAndLimits = () => (
  <>
    <p>
      Give each program its own key with only the scopes that it needs. A key can also have an expiry, allowed
      networks and a daily credit limit.
    </p>
    <ScrollingTable label="Scopes">
      <thead>
        <tr>
          <th scope="col">Scope</th>
          <th scope="col">Calls</th>
        </tr>
      </thead>
      <tbody>
        {scopes.map(({ scope, calls }) => (
          <tr key={scope}>
            <th scope="row">
              <code>{scope}</code>
            </th>
            <td>{calls}</td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
    <p className="mt-[0.9rem]">A call that the key does not allow gets 401 with one of these reasons:</p>
    <ul>
      {refusals.map(({ reason, cause }) => (
        <li key={reason}>
          <code>{reason}</code>: {cause}
        </li>
      ))}
    </ul>
    <p className="mt-[0.9rem]">
      To replace a secret without downtime, rotate the key. The old secret stays valid for up to seven days,
      and the list shows when each was last used.
    </p>
    <h3>Spend limits</h3>
    <p>
      The account can have a daily and a monthly credit limit under{' '}
      <PageLink to="/protection" hash="spend">
        Protection
      </PageLink>
      . A send over a limit gets 402 <code>spend_limit_reached</code> with <code>resets_at</code>. While a
      limit applies, the response to a send has the header <code>X-Spend-Limit-Remaining</code>: the credits
      left before the nearest limit.
    </p>
    <Beside
      sample={<CodeBlock code={JSON.stringify(blocked, null, 2)} language="json" label="A blocked send" />}
    >
      <h3>Protection against fraud</h3>
      <p>
        With every send from a public form, pass the end user’s IP address as <code>client_ip</code>, so that
        one visitor cannot request many codes. Never pass your own server’s address. A send that looks like
        fraud is refused at no cost, and the response names the rules.
      </p>
      <p>
        The rules are under <PageLink to="/protection">Protection</PageLink>, where you can also check a
        number. Ask your user to try later or to use another channel. Do not retry before{' '}
        <code>blocked_until</code>.
      </p>
    </Beside>
  </>
);

/** Test keys and their recipients. */
export const Testing = () => (
  <>
    <p>
      A test key begins with <code>sd_test_</code>. It sends nothing and costs nothing. The code is always{' '}
      <code>{TEST_CODE.slice(0, 6)}</code>, or the beginning of <code>{TEST_CODE}</code> if your codes have
      another length. Messages appear for {TEST_INBOX_DAYS} days in the{' '}
      <PageLink to="/" search={{ mode: 'test', view: 'inbox' }}>
        test inbox
      </PageLink>
      . Responses and webhooks have <code>test: true</code>. An account can make{' '}
      {TEST_SENDS_PER_DAY.toLocaleString('en-US')} test sends per day.
    </p>
    <p>These recipients have a fixed outcome. Messages to all others are delivered.</p>
    <ScrollingTable label="Test recipients">
      <thead>
        <tr>
          <th scope="col">Phone</th>
          <th scope="col">Email</th>
          <th scope="col">Outcome</th>
        </tr>
      </thead>
      <tbody>
        {TEST_RECIPIENTS.map(({ phone, local, result }) => (
          <tr key={phone}>
            <td>
              <code>{phone}</code>
            </td>
            <td>
              <code>
                {local}@{TEST_DOMAIN}
              </code>
            </td>
            <td>{result}</td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  </>
);
