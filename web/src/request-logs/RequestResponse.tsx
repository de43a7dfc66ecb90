import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { useQuery } from '@tanstack/react-query';
import { knownResponse } from '../otp/known-response.ts';
import { verificationDetail } from '../otp/verification-detail.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { LoadingLines } from '../ui/Loaded.tsx';

interface Props {
  log: RequestLog;
  /** The verification of one's own request completes the response. */
  isOwn: boolean;
}

/** What is known of a response, whose body is not stored. */
export function RequestResponse({ log, isOwn }: Props) {
  const id = log.otp?.id ?? '';
  const isCompleted = isOwn && id !== '' && log.response_status_code < 300;
  const query = useQuery({ ...verificationDetail(id), enabled: isCompleted });
  const known = knownResponse(log, isCompleted ? query.data : undefined);
  if (!known && query.isLoading) return <LoadingLines />;
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
      <p className="mt-2 mb-0 text-13 text-ink-soft">{noteOn(known)}</p>
    </>
  );
}

function noteOn(known: ReturnType<typeof knownResponse>): string {
  if (known?.isWhole) return 'Rebuilt from the stored fields.';
  if (known) return 'Rebuilt from the stored reason. Further fields, such as retry_after, are not stored.';
  return 'Response bodies are not stored.';
}
