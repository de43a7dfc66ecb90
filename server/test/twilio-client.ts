import twilio from 'twilio';
import { expect } from 'vitest';
import type { Customer } from './service.ts';
import { twilioProblem } from './twilio-shapes.ts';

/** Twilio's own client, pointed at this service. Each response is compared with its shape. */
export function twilioClient(
  address: string,
  { account_id, api_key }: Pick<Customer, 'account_id' | 'api_key'>,
) {
  const httpClient = new twilio.RequestClient();
  const request = httpClient.request.bind(httpClient);
  httpClient.request = async (options) => {
    const response = await request(options);
    const path = new URL(options.uri).pathname.replace('/compat/twilio', '');
    const body =
      typeof response.body === 'string' && response.body !== '' ? JSON.parse(response.body) : response.body;
    expect(
      twilioProblem(
        { method: options.method.toUpperCase(), path },
        { status: response.statusCode, body: body === '' ? undefined : (body ?? undefined) },
      ),
    ).toBeUndefined();
    return response;
  };
  const client = twilio(`AC${account_id.replaceAll('-', '')}`, api_key, { httpClient });
  client.verify.baseUrl = `${address}/compat/twilio`;
  return client;
}

export type TwilioClient = ReturnType<typeof twilioClient>;

/** The fields of the error with which a call is refused. */
export async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason as { status: number; code: number; message: string; details: object },
  );
  return error && { status: error.status, code: error.code, message: error.message, details: error.details };
}
