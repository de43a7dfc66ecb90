import { answer, sessionOf } from './sign-in.ts';

/** Shows who has signed in. */
export const GET = answer(async (request) => {
  const { user } = await sessionOf(request, new Response());
  return user
    ? Response.json({ signed_in: user })
    : Response.json({ error: 'Please sign in.' }, { status: 401 });
});
