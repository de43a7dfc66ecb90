import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import { ownTarget } from '../api/curl.ts';
import { deployment } from '../api/deployment.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { Beside } from './Chapter.tsx';
import { pythonSample, typeScriptSample } from './client-samples.ts';

/** The section on the packages for TypeScript, Python and better-auth. */
export function Clients() {
  const { api_url } = deployment();
  const { data: user } = useQuery(currentUser);
  const target = ownTarget(user);
  return (
    <>
      <Beside
        sample={
          <CodeBlock
            code={typeScriptSample(api_url, target)}
            language="javascript"
            label="Send and verify with the TypeScript package"
          />
        }
      >
        <p>
          The packages named <code>sixdigit</code> for TypeScript and Python need no other package. The
          operator of this service has them: they are in <code>clients</code> of its source.
        </p>
        <ul>
          <li>
            <strong>Retries.</strong> All attempts of a call have one idempotency key, so a code is sent and
            paid for once, even if a response was lost.
          </li>
          <li>
            <strong>Errors.</strong> A failed call throws a <code>SixdigitError</code> with the{' '}
            <code>reason</code> and details of the API, or <code>timeout</code> or{' '}
            <code>connection_failed</code>.
          </li>
          <li>
            <strong>Webhooks.</strong> <code>verifyWebhook</code> checks the signature and returns the event.
          </li>
          <li>
            <strong>Tests.</strong> <code>FakeSixdigit</code> replaces the service in your tests: you read its
            codes, let them expire, and make calls fail.
          </li>
          <li>
            <strong>Terminal.</strong> The command <code>sixdigit</code> sends, verifies and shows codes.
          </li>
        </ul>
      </Beside>
      <Beside
        sample={
          <CodeBlock
            code={pythonSample(api_url, target)}
            language="python"
            label="Send and verify with the Python package"
          />
        }
      >
        <p>
          The Python package has the same calls, and <code>AsyncSixdigit</code> for asyncio.
        </p>
        <p>
          <code>@sixdigit/better-auth</code> leaves the codes of better-auth's phone number plugin to this
          service.
        </p>
      </Beside>
    </>
  );
}
