import { serviceWithCarriers } from './carriers.ts';
import { sender } from './sender.ts';
import { type TwilioClient, twilioClient } from './twilio-client.ts';

/** A service whose customer Alice uses Twilio's client. */
export async function twilioStage() {
  const service = await serviceWithCarriers(['http', 'smtp'], {
    ALLOWED_COUNTRIES: 'US,CA,CH',
    VOICE_CARRIERS: 'http',
  });
  /** A customer whose live keys may change services. */
  const customer = (name: string, options: Parameters<typeof sender>[2]) =>
    sender(service, name, { ...options, scopes: ['verify_services:write'] });
  const alice = await customer('Alice', { keys: 40, credits: 1_000 });
  const address = await service.listen();
  // Twilio's client follows the addresses of pages.
  service.app.config.publicUrl = address;
  let phones = 0;
  /** With another key each time, because a key has a limit of requests per second. */
  const client = (): TwilioClient =>
    twilioClient(address, { account_id: alice.account_id, api_key: alice.key() });
  return {
    service,
    customer,
    alice,
    address,
    client,
    /** A new service's SID. */
    made: async (params: { codeLength?: number; customCodeEnabled?: boolean } = {}): Promise<string> =>
      (await client().verify.v2.services.create({ friendlyName: 'Acme', ...params })).sid,
    at: (sid: string) => client().verify.v2.services(sid),
    /** A number that no other test uses. */
    phone: (): string => {
      phones += 1;
      return `+1415555${String(2_000 + phones)}`;
    },
    /** The texts that a recipient got, and the code in the last one. */
    async received(recipient: string): Promise<{ texts: string[]; code: string }> {
      await service.drain();
      const texts = service.http.messages
        .filter((one) => one.recipient === recipient)
        .map(({ text }) => String(text));
      return { texts, code: /\d{4,10}/.exec(texts.at(-1) ?? '')?.[0] ?? '' };
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
