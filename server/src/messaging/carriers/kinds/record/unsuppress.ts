import type { CarrierRecord } from '@sixdigit/contract/operator/carrier-record.ts';
import type { Carrier, FieldValues, Unsuppressed } from '../../carrier.ts';
import { shownWords } from '../../mail-event.ts';
import { createPoster, parsed, type Reach, withoutAnswer } from '../../post.ts';
import { at, firstShort } from './paths.ts';
import { requestOf } from './request.ts';

/** The caller of the API waits for it. */
const TIMEOUT_MS = 5_000;

interface Provider {
  name: string;
  values: FieldValues;
  /** Without secrets. */
  masked(text: string): string;
  reach: Reach | undefined;
  now: () => Date;
}

/** Undefined unless the provider suppresses addresses itself. */
export function unsuppressOf(record: CarrierRecord | undefined, provider: Provider): Carrier['unsuppress'] {
  const { name } = provider;
  if (record?.unsuppress) return (address) => unsuppressed(record, provider, address);
  const hasList = Object.values(record?.reports?.statuses ?? {}).includes('suppressed');
  return hasList
    ? async () => ({ outcome: 'not_asked', detail: `${name} has no call for its own list.` })
    : undefined;
}

async function unsuppressed(
  { send, unsuppress }: CarrierRecord,
  { name, values, masked, reach, now }: Provider,
  to: string,
): Promise<Unsuppressed> {
  const request = unsuppress && requestOf({ send: { ...send, ...unsuppress } }, { ...values, to }, now());
  if (!request) return { outcome: 'not_asked', detail: `${name} is not set up completely.` };
  const poster = createPoster(reach);
  try {
    const answer = await poster.post({ ...request, timeoutMs: TIMEOUT_MS });
    if (answer.kind !== 'answered') return { outcome: 'refused', detail: withoutAnswer(name, answer).detail };
    const { status, text } = answer;
    if (unsuppress.absent?.includes(status)) return { outcome: 'removed' };
    const body = parsed(text);
    const { removed } = unsuppress;
    if (status >= 200 && status < 300 && (!removed || at(body, removed.status) === removed.is))
      return { outcome: 'removed' };
    const words = shownWords(masked(String(firstShort(body, unsuppress.words) ?? '')));
    return {
      outcome: 'refused',
      detail: `${name} refused to remove it (HTTP ${status})${words === null ? '.' : `: “${words}”`}`,
    };
  } finally {
    poster.close();
  }
}
