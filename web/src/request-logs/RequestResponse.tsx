import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import type { VerificationDetail } from '@sixdigit/contract/verifications.ts';
import { knownResponse } from '../otp/known-response.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';

interface Props {
  log: RequestLog;
  otp: VerificationDetail | undefined;
}

/** What is known of a response, whose body is not stored. */
export function RequestResponse({ log, otp }: Props) {
  const known = knownResponse(log, otp);
  return (
    <>
      {known ? (
        <CodeBlock
          code={JSON.stringify(known.body, null, 2)}
          language="json"
          label="The response"
          isWrapped
        />
      ) : null}
      <p className="mt-2 mb-0 text-13 text-ink-soft">{noteOn(known, log)}</p>
    </>
  );
}

function noteOn(known: ReturnType<typeof knownResponse>, log: RequestLog): string {
  if (!known) return 'Response bodies are not stored.';
  if (known.isWhole) return 'Rebuilt from the stored fields.';
  return log.response_status_code < 300
    ? 'Rebuilt from the stored fields. A code_length in it is not stored.'
    : 'Rebuilt from the stored reason. Further fields, such as retry_after, are not stored.';
}
