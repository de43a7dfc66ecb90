import { answer, fieldOf, sessionOf, sixdigit } from '../../sign-in.ts';

/** Signs in with `code`. */
export const POST = answer(async (request) => {
  const { pending } = await sessionOf(request, new Response());
  if (!pending) return Response.json({ error: 'Please request a new code.' }, { status: 400 });
  await sixdigit().verify({ otp_id: pending.otp_id, code: await fieldOf(request, 'code') });
  const response = Response.json({ signed_in: pending.recipient });
  const session = await sessionOf(request, response);
  delete session.pending;
  session.user = pending.recipient;
  await session.save();
  return response;
});
