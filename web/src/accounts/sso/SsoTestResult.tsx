import { Button } from '@mantine/core';
import { finishSsoTest, type SsoTestReply } from '@sixdigit/contract/accounts/sso.ts';
import { useQuery } from '@tanstack/react-query';
import { call, sentence } from '../../api/call.ts';
import { ErrorAlert } from '../../ui/ErrorAlert.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { LoadingLines } from '../../ui/Loaded.tsx';
import { Intro } from '../FormText.tsx';
import { roleNames } from '../role-texts.ts';
import { once } from './once.ts';

interface Props {
  /** the parameters of the callback */
  given: URLSearchParams;
  account_id: string;
}

/** What a test sign-in has shown. Only the session that began it gets the result, once. */
export function SsoTestResult({ given, account_id }: Props) {
  const of = (name: string): string | undefined => given.get(name) ?? undefined;
  const query = useQuery({
    ...once,
    queryKey: ['sso-test', given.get('state')],
    queryFn: () =>
      call(finishSsoTest, {
        body: {
          account_id,
          state: of('state') ?? '',
          code: of('code'),
          iss: of('iss'),
          provider_error: of('error'),
        },
      }),
  });
  if (query.isError)
    return (
      <>
        <h1>Test failed</h1>
        <ErrorAlert problem={sentence(query.error, 'The result could not be loaded.')} takesFocus />
        <CloseTab />
      </>
    );
  if (!query.data)
    return (
      <>
        <Intro title="Test Sign-in">Reading what your provider sent.</Intro>
        <LoadingLines />
      </>
    );
  return <Result {...query.data} />;
}

const MEMBERSHIPS = {
  linked: 'A member who signs in with SSO.',
  member: 'A member. The first sign-in with SSO asks for their password or passkey once.',
  new: 'Would join as a new member. Somebody who is already registered confirms it with their password or passkey.',
} as const satisfies Record<NonNullable<SsoTestReply['membership']>, string>;

const Result = ({ problem, user, domain, is_domain_verified, role, membership }: SsoTestReply) => (
  <>
    {problem === null ? (
      <Intro title="The test sign-in works">Nobody was signed in, and nothing was saved.</Intro>
    ) : (
      <>
        <h1>Test failed</h1>
        <ErrorAlert problem={problem} takesFocus />
      </>
    )}
    {user ? (
      <section aria-label="What your provider sent" className="mt-4">
        <Facts nameWidth="5.5rem">
          <Fact name="Email">{user.email || 'None'}</Fact>
          <Fact name="Name">{user.name || 'None'}</Fact>
          <Fact name="Subject">{user.subject}</Fact>
          {role && membership ? (
            <Fact name="Role">
              <div>
                <strong className="font-600">{roleNames[role]}</strong>
                <span className="block text-13 text-ink-soft">{MEMBERSHIPS[membership]}</span>
              </div>
            </Fact>
          ) : null}
        </Facts>
      </section>
    ) : null}
    {problem === null && !is_domain_verified ? (
      <p className="text-ink-soft">
        Next: save the settings, then verify the domain {domain}. Until then, nobody can sign in with SSO.
      </p>
    ) : null}
    <CloseTab />
  </>
);

const CloseTab = () => (
  <Button fullWidth className="mt-4" onClick={() => window.close()}>
    Close Tab
  </Button>
);
