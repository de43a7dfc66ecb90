import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { shellWord } from '../api/curl.ts';
import { deployment } from '../api/deployment.ts';
import { withoutBase } from './labels.ts';

const HIDDEN = '•'.repeat(8);

/**
 * Rebuilds the request as a curl command. It masks the key after its public prefix and leaves out the code, which is never stored.
 */
export function asCurl(log: RequestLog, keyPrefix: string | undefined): string {
  const body =
    log.request_type === 'send_otp'
      ? { channel: log.otp?.channel ?? undefined, recipient: log.otp?.recipient ?? undefined }
      : { otp_id: log.otp?.id ?? undefined, code: HIDDEN };
  return `curl -X ${log.method} ${shellWord(`${deployment().api_url}${withoutBase(log.endpoint)}`)} \\
  -H ${shellWord(`X-API-Key: ${keyPrefix ?? 'sd_live_'}${HIDDEN}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${shellWord(JSON.stringify(body))}`;
}
