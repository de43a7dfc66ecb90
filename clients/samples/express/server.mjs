// Signs people in with a code by SMS or email, and receives webhooks.
import express from 'express';
import session from 'express-session';
import { Sixdigit, SixdigitError } from 'sixdigit';

const { SIXDIGIT_URL, SIXDIGIT_API_KEY, WEBHOOK_SECRET, SESSION_SECRET } = process.env;
const { NODE_ENV, PROXIES = 0, PORT = 8080 } = process.env;
const sixdigit = new Sixdigit({ baseUrl: SIXDIGIT_URL, apiKey: SIXDIGIT_API_KEY });
const app = express();
// Sixdigit detects abuse by the address of the person, and the cookie of the session needs HTTPS.
app.set('trust proxy', Number(PROXIES));

// The signature covers the raw body.
app.post('/webhooks/sixdigit', express.raw({ type: '*/*' }), async (request, response) => {
  const event = await sixdigit.verifyWebhook({
    body: request.body,
    headers: request.headers,
    secret: WEBHOOK_SECRET,
  });
  console.log(event.type, event.data.otp_id, event.data.status);
  response.status(204).end();
});

// Several processes need a shared store instead of their memory.
app.use(
  session({
    secret: SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: NODE_ENV === 'production' },
  }),
);
// Only JSON: a form on another site cannot send it.
app.use(express.json());

app.get('/', (request, response) => {
  const { user } = request.session;
  if (user) response.json({ signed_in: user });
  else response.status(401).json({ error: 'Please sign in.' });
});

app.post('/sign-in', async (request, response) => {
  const recipient = String(request.body?.recipient ?? '');
  const channel = recipient.includes('@') ? 'email' : 'sms';
  const sent = await sixdigit.send({ channel, recipient, client_ip: request.ip });
  // In the session and not in a form: a code works only in the browser that requested it.
  request.session.pending = { otp_id: sent.otp_id, recipient: sent.recipient };
  response.status(201).json({ expires_at: sent.expires_at });
});

app.post('/sign-in/verify', async (request, response) => {
  const { pending } = request.session;
  if (!pending) return response.status(400).json({ error: 'Please request a new code.' });
  await sixdigit.verify({ otp_id: pending.otp_id, code: String(request.body?.code ?? '') });
  // A new id: somebody else may know the one from before the sign-in.
  await new Promise((resolve, reject) =>
    request.session.regenerate((error) => (error ? reject(error) : resolve())),
  );
  request.session.user = pending.recipient;
  response.json({ signed_in: pending.recipient });
});

// What the person reads. Every other problem is the operator's.
const SENTENCES = {
  recipient: 'Please check the phone number or email address.',
  code: 'That code is wrong.',
  invalid_code: 'That code is wrong.',
  otp_expired: 'That code has expired. Please request a new code.',
  otp_closed: 'Please request a new code.',
  otp_not_found: 'Please request a new code.',
  otp_already_verified: 'Please request a new code.',
  max_attempts_reached: 'Too many wrong codes. Please request a new code.',
  recipient_rate_limited: 'Too many codes were requested. Please try again later.',
  recipient_opted_out: 'This number has opted out of messages.',
  destination_blocked: 'Codes cannot be sent to this number.',
};

app.use((error, _request, response, next) => {
  if (response.headersSent) return next(error);
  if (error.reason === 'invalid_signature') return response.sendStatus(401);
  if (error instanceof SixdigitError) {
    const [field = error.reason] = Object.keys(error.fieldErrors);
    const sentence = SENTENCES[field];
    if (sentence) {
      const { attempts_remaining } = error.facts;
      const status = error.status === 429 ? 429 : 400;
      if (error.retryAfter !== undefined) response.set('Retry-After', String(error.retryAfter));
      return response.status(status).json({ error: sentence, attempts_remaining });
    }
  } else if (error.status < 500) return response.status(error.status).json({ error: error.message });
  console.error(error);
  response.status(503).json({ error: 'Please try again later.' });
});

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}`);
});
