import type { LookupKind } from '@sixdigit/contract/operator/lookup-kinds.ts';
import { type Incoming, listen, type Reply } from './http-listener.ts';

/** A company that looks numbers up. */
export interface LookupFake {
  url: string;
  /** the requests so far */
  requests: Incoming[];
  /** replaces the response */
  answer: ((request: Incoming) => Reply | Promise<Reply>) | undefined;
  close(): Promise<void>;
}

/** What each company says of a number; `sim` is the time of the last change. */
export const ANSWERS: Record<Exclude<LookupKind, 'custom'>, (line: string, sim: string | null) => object> = {
  twilio: (line, sim) => ({
    country_code: 'US',
    line_type_intelligence: { type: line, carrier_name: 'T-Mobile USA', error_code: null },
    sim_swap: {
      last_sim_swap: sim && {
        last_sim_swap_date: sim,
        swapped_period: 'PT72H0M0S',
        swapped_in_period: true,
      },
      carrier_name: 'T-Mobile USA',
      error_code: sim ? null : 60008,
    },
  }),
  prelude: (line) => ({
    phone_number: '+14155550100',
    country_code: 'US',
    network_info: { carrier_name: 'T-Mobile USA', mcc: '310', mnc: '260' },
    flags: ['ported'],
    line_type: line,
  }),
  camara: (_line, sim) => ({ latestSimChange: sim }),
  camara_check: (_line, sim) => ({ swapped: sim !== null }),
};

export async function startLookup(): Promise<LookupFake> {
  const fake: LookupFake = { url: '', requests: [], answer: undefined, close: async () => {} };
  const { origin, close } = await listen((request) => {
    fake.requests.push(request);
    return fake.answer?.(request) ?? { status: 200, body: ANSWERS.twilio('mobile', null) };
  });
  return Object.assign(fake, { url: origin, close });
}
