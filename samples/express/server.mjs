// Signs people in with a code by SMS or email, and receives webhooks.
// SIXDIGIT_URL=… SIXDIGIT_API_KEY=sd_test_… WEBHOOK_SECRET=whsec_… node server.mjs
import { randomUUID } from 'node:crypto';
import express from 'express';
import { Sixdigit, SixdigitError } from 'sixdigit';

const sixdigit = new Sixdigit({
  baseUrl: process.env.SIXDIGIT_URL,
  apiKey: process.env.SIXDIGIT_API_KEY,
});

// A real application keeps these in its database or its session.
const signIns = new Map();

const app = express();

app.post('/sign-in', express.json(), async (request, response) => {
  const { recipient } = request.body;
  const channel = String(recipient).includes('@') ? 'email' : 'sms';
  const sent = await sixdigit.send({ channel, recipient, client_ip: request.ip });
  const sign_in_id = randomUUID();
  signIns.set(sign_in_id, { otp_id: sent.otp_id, recipient: sent.recipient });
  response.status(201).json({ sign_in_id, expires_at: sent.expires_at });
});

app.post('/sign-in/verify', express.json(), async (request, response) => {
  const signIn = signIns.get(request.body.sign_in_id);
  if (!signIn) return response.status(404).json({ error: 'Please request a new code.' });
  await sixdigit.verify({ otp_id: signIn.otp_id, code: String(request.body.code) });
  signIns.delete(request.body.sign_in_id);
  response.json({ signed_in: signIn.recipient });
});

// The signature covers the raw body.
app.post('/webhooks/sixdigit', express.raw({ type: '*/*' }), async (request, response) => {
  const event = await sixdigit.verifyWebhook({
    body: request.body,
    headers: request.headers,
    secret: process.env.WEBHOOK_SECRET,
  });
  console.log(event.type, event.data.otp_id, event.data.status);
  response.status(204).end();
});

// What the person reads. Every other problem is ours.
const SENTENCES = {
  invalid_fields: 'Please check the phone number or email address.',
  invalid_code: 'That code is wrong.',
  otp_expired: 'That code has expired. Please request a new one.',
  max_attempts_reached: 'Too many wrong codes. Please request a new one.',
  recipient_rate_limited: 'Too many codes were requested. Please try again later.',
  recipient_opted_out: 'This number has opted out of messages.',
  destination_blocked: 'Codes cannot be sent to this number.',
};

app.use((error, _request, response, _next) => {
  const sentence = error instanceof SixdigitError ? SENTENCES[error.reason] : undefined;
  if (sentence) return response.status(400).json({ error: sentence, ...error.facts });
  if (error.reason === 'invalid_signature') return response.sendStatus(401);
  console.error(error);
  response.status(503).json({ error: 'Please try again later.' });
});

const server = app.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}`);
});
