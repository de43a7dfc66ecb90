import { type OutboundPost, outboundPost } from '../src/platform/outbound/request.ts';

/** A request like those for webhooks and carriers. */
export const post = (url: string, options: Partial<OutboundPost> = {}) =>
  outboundPost({
    url,
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    allowPrivate: false,
    ...options,
  });

export const postAnywhere = (url: string, options: Partial<OutboundPost> = {}) =>
  post(url, { allowPrivate: true, ...options });
