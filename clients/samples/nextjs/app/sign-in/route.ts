import { answer, clientIpOf, fieldOf, sessionOf, sixdigit } from '../sign-in.ts';

/** Sends a code to `recipient`. */
export const POST = answer(async (request) => {
  const recipient = await fieldOf(request, 'recipient');
  const sent = await sixdigit().send({
    channel: recipient.includes('@') ? 'email' : 'sms',
    recipient,
    client_ip: clientIpOf(request),
  });
  const response = Response.json({ expires_at: sent.expires_at }, { status: 201 });
  const session = await sessionOf(request, response);
  // In the session and not in a form: a code works only in the browser that requested it.
  session.pending = { otp_id: sent.otp_id, recipient: sent.recipient };
  await session.save();
  return response;
});
