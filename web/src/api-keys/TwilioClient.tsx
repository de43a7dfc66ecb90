import { sidOf, twilioUrl } from '@sixdigit/contract/twilio.ts';
import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { deployment } from '../api/deployment.ts';
import { Folded } from '../ui/Folded.tsx';
import { NamedValues } from '../ui/NamedValues.tsx';

interface Props {
  /** `key` is absent if it cannot be shown again */
  apiKey: { id: string; key?: string };
}

/** What a user of Twilio Verify enters in place of Twilio's values. */
export const TwilioClient = ({ apiKey }: Props) => (
  <Folded title="Use with Twilio's client" about="base URL, SIDs">
    {(isOpen) => (isOpen ? <Values id={apiKey.id} secret={apiKey.key} /> : null)}
  </Folded>
);

function Values({ id, secret }: { id: string; secret: string | undefined }) {
  const { data: user } = useQuery(currentUser);
  const base = twilioUrl(deployment().api_url);
  return (
    <>
      <p className="m-0 text-14 text-ink-soft">
        Twilio's clients work with Twilio Verify of this service.{' '}
        {secret === undefined
          ? 'The auth token is this API key, which was shown only once.'
          : 'The auth token is this API key.'}{' '}
        The SID of a service comes from the call that creates it.
      </p>
      <NamedValues
        title="Values for Twilio's client"
        rows={[
          { name: 'Base URL of Verify', value: base },
          { name: 'In JavaScript', value: `client.verify.baseUrl = '${base}';` },
          ...(user?.account_id ? [{ name: 'Account SID', value: sidOf('AC', user.account_id) }] : []),
          ...(secret === undefined ? [] : [{ name: 'Auth token', value: secret }]),
          { name: 'API key SID', value: sidOf('SK', id) },
        ]}
      />
    </>
  );
}
